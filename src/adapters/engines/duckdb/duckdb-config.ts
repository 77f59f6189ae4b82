import { hash } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { availableParallelism, tmpdir, totalmem } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { isOnlyReadable } from '../../../foundation/private-files.ts';
import type { DataRecord } from '../../../foundation/yaml/data.ts';
import { nameSql, textSql } from './duckdb-dialect.ts';
import type { FileRules } from './file-rules.ts';

/** What the workspace asks for. */
export interface DuckdbOptions {
  /** A file (absolute, or relative to the folder) or `:memory:`. */
  readonly database: string;
  /** The project: paths in users' SQL are relative to it. */
  readonly folder: string;
  /** Options of the connection as config.yaml has them. */
  readonly connection?: DataRecord;
  /** False: descriptions are not written as comments. */
  readonly hasComments?: boolean;
  /** How long the keeper waits for another client after its last one left; 10 s. */
  readonly idleMs?: number;
  /** How long an interrupt may take before the keeper is killed; 2 s. */
  readonly cancelMs?: number;
  /** Resident bytes of the keeper from which running statements are stopped; a quarter (at least 1 GB) above DuckDB's own limit. */
  readonly residentMax?: number;
  /** Whether a file that is not there may be made, the own one or that of a catalog: it may not be one that was filled before. True when absent. */
  readonly mayMake?: (catalog?: string) => Promise<boolean>;
  /** Do not wait until the file is open: the first call does, and gets the failure. */
  readonly isLazy?: boolean;
  /** Who asks, for the messages that others get: `plinth plan`. */
  readonly who?: string;
}

/** Everything a keeper is started with; the part that its clients must agree on is `optionsHash`. */
export interface KeeperSettings {
  readonly database: string;
  readonly folder: string;
  readonly isReadOnly: boolean;
  /** Database files that are made where they are missing. */
  readonly ownFiles: readonly string[];
  /** Run one after the other before the configuration is locked. */
  readonly statements: readonly string[];
  /** Absent: files and addresses are all open. */
  readonly files?: FileRules;
  /** Resident bytes from which running statements are stopped. */
  readonly residentMax: number;
  /** Bytes of address space the process may have; Linux only. */
  readonly addressMax: number;
  readonly idleMs: number;
  /** For what does not fit into memory; empty: nothing is written. */
  readonly temporaryFolder: string;
  readonly optionsHash: string;
  /** Where it listens; undefined: only for the process that starts it. */
  readonly socket?: string;
}

const GB = 1024 ** 3;
const IDLE_MS = 10_000;
/** Address space that a keeper has without using it: of an idle one 2.4 GB, more where Node has to strip types first. */
const RESERVED = 4 * GB;
/** The name under which the file is attached: its own name would be ambiguous with a schema of the same name. */
export const WAREHOUSE = 'plinth_warehouse';
/** The folder of a project that no statement reads: state, keys, results, caches. */
export const OWN_FOLDER = '.plinth';
/** Where in the project statements may write, beside what the connection names. */
export const WRITABLE: readonly string[] = ['seeds', 'data'];

/** Settings of DuckDB that are set by rules of their own, below. */
const OWN_SETTINGS = new Set([
  'memory_limit',
  'max_memory',
  'temp_directory',
  'lock_configuration',
  'allowed_configs',
  'enable_external_access',
  'allowed_directories',
]);

/** Turns the connection's options into the statements that set a keeper up. `database` is a real path or `:memory:`. */
export function keeperSettings(options: DuckdbOptions, database: string): KeeperSettings {
  const connection = options.connection ?? {};
  const isReadOnly = connection['read_only'] === true || isOnlyReadable(database);
  const settings = record(connection['connector_config']);
  const memory = memoryLimit(settings);
  const places = openPlaces(connection, options.folder);
  const statements = [
    ...extensionStatements(connection['extensions']),
    `SET GLOBAL memory_limit = ${textSql(`${Math.floor(memory / 1024 ** 2)}MiB`)}`,
    // Memory of a query that is over goes back to the machine within seconds; without it, it stays with the process.
    'SET GLOBAL allocator_background_threads = true',
    // Secrets in the home folder of the user who started it are not in config.yaml, which names all that counts.
    'SET GLOBAL allow_persistent_secrets = false',
    // A view takes three of them. DuckDB's thousand ends a build at the 334th view over another; it has stack for twice as many.
    'SET GLOBAL max_expression_depth = 2500',
    `SET GLOBAL temp_directory = ${textSql(temporaryFolder(options, database))}`,
    ...Object.entries(settings)
      .filter(([name]) => !OWN_SETTINGS.has(name.toLowerCase()))
      .map(([name, value]) => `SET GLOBAL ${nameSql(name)} = ${valueSql(value)}`),
    ...secretStatements(connection['secrets']),
    ...attachStatements(connection['catalogs'], options.folder, database),
    "SET GLOBAL TimeZone = 'UTC'",
    ...accessStatements(places, options.folder),
    // The keeper's own: see `keeper-threads.ts`.
    "SET GLOBAL allowed_configs = ['external_threads']",
    'SET GLOBAL lock_configuration = true',
  ];
  const kept = { database, folder: options.folder, isReadOnly, statements };
  const files = places && { folder: options.folder, opened: places.map(realPlace) };
  const residentMax = options.residentMax ?? memory + Math.max(GB, memory / 4);
  return {
    ...kept,
    ...(files === undefined ? {} : { files }),
    ownFiles: [
      ...(isReadOnly || database === ':memory:' ? [] : [database]),
      ...attachedFiles(options, database).map(({ path }) => path),
    ],
    residentMax,
    addressMax: Math.max(memory * 1.5, residentMax) + RESERVED + availableParallelism() * (GB / 8),
    idleMs: options.idleMs ?? IDLE_MS,
    temporaryFolder: temporaryFolder(options, database),
    optionsHash: hash('sha256', JSON.stringify(kept), 'hex').slice(0, 16),
  };
}

/** DuckDB lets every query read and write the folder, so it is one that holds nothing else. Empty: nothing is written. */
export function temporaryFolder({ connection = {}, folder }: DuckdbOptions, database: string): string {
  const own = record(connection['connector_config'])['temp_directory'];
  const name = database === ':memory:' ? `plinth-memory-${process.pid}` : `${basename(database)}.tmp`;
  if (typeof own === 'string') return own === '' ? '' : join(resolve(folder, own), name);
  return join(database === ':memory:' ? tmpdir() : dirname(database), name);
}

/** Six tenths of what the machine (or the container) has, unless the connection says otherwise. */
function memoryLimit(settings: DataRecord): number {
  const own = settings['memory_limit'] ?? settings['max_memory'];
  const constrained = process.constrainedMemory();
  const total = constrained > 0 && constrained < totalmem() ? constrained : totalmem();
  return parseBytes(own) ?? Math.floor(total * 0.6);
}

const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  kb: 1e3,
  kib: 1024,
  mb: 1e6,
  mib: 1024 ** 2,
  gb: 1e9,
  gib: 1024 ** 3,
  tb: 1e12,
  tib: 1024 ** 4,
};

function parseBytes(value: unknown): number | undefined {
  const found = /^\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*$/i.exec(String(value ?? ''));
  const unit = UNITS[(found?.[2] ?? '').toLowerCase()];
  return found === null || unit === undefined ? undefined : Number(found[1]) * unit;
}

function extensionStatements(extensions: unknown): readonly string[] {
  return list(extensions).flatMap((entry) => {
    const {
      name,
      repository,
      force_install: isForced,
    } = typeof entry === 'string'
      ? { name: entry, repository: undefined, force_install: false }
      : record(entry);
    if (typeof name !== 'string') return [];
    const from = typeof repository === 'string' ? ` FROM ${nameSql(repository)}` : '';
    return [`${isForced === true ? 'FORCE ' : ''}INSTALL ${nameSql(name)}${from}`, `LOAD ${nameSql(name)}`];
  });
}

/** Secrets are a list, or a record by name; each has `type` and the parameters of that type. */
function secretsOf(secrets: unknown): readonly (readonly [string | undefined, DataRecord])[] {
  return Array.isArray(secrets)
    ? secrets.map((secret) => [undefined, record(secret)])
    : Object.entries(record(secrets)).map(([name, secret]) => [name, record(secret)]);
}

function secretStatements(secrets: unknown): readonly string[] {
  return secretsOf(secrets).map(([name, parameters]) => {
    const texts = Object.entries(parameters).map(([key, value]) => `${nameSql(key)} ${valueSql(value)}`);
    return `CREATE OR REPLACE SECRET ${name === undefined ? '' : `${nameSql(name)} `}(${texts.join(', ')})`;
  });
}

/** Files of catalogs beside the own one that would be made where they are missing. */
export function attachedFiles(
  { connection = {}, folder }: DuckdbOptions,
  database: string,
): readonly { readonly catalog: string; readonly path: string }[] {
  return Object.entries(record(connection['catalogs'])).flatMap(([catalog, value]) => {
    const options = typeof value === 'string' ? { path: value } : record(value);
    const path = String(options['path'] ?? '');
    const isFile = !['', ':memory:'].includes(path) && !isAddress(path);
    const isMade = isFile && (options['type'] ?? 'duckdb') === 'duckdb' && options['read_only'] !== true;
    const target = resolve(folder, path);
    return isMade && target !== database ? [{ catalog, path: target }] : [];
  });
}

function attachStatements(catalogs: unknown, folder: string, database: string): readonly string[] {
  return Object.entries(record(catalogs)).flatMap(([alias, value]) => {
    const options = typeof value === 'string' ? { path: value } : record(value);
    const path = String(options['path'] ?? '');
    const type = String(options['type'] ?? 'duckdb').toLowerCase();
    const target = type === 'duckdb' && isPlainFile(path) ? resolve(folder, path) : path;
    // The connection's own file is there already, under its own name.
    if (target === database) return [];
    const flags = [
      ...(type === 'duckdb' ? [] : [`TYPE ${nameSql(type)}`]),
      ...(options['read_only'] === true || (type === 'duckdb' && isOnlyReadable(target))
        ? ['READ_ONLY']
        : []),
      ...list(options['data_path']).map((data) => `DATA_PATH ${textSql(String(data))}`),
    ];
    return [
      `ATTACH ${textSql(target)} AS ${nameSql(alias)}${flags.length > 0 ? ` (${flags.join(', ')})` : ''}`,
    ];
  });
}

function isPlainFile(path: string): boolean {
  return path !== ':memory:' && !isAbsolute(path) && !isAddress(path);
}

/*
 * What models and queries reach outside the database:
 *
 *   the project folder without .plinth           ─┐
 *   allowed_paths                                 │
 *   secrets: their scope, else the addresses      ├─▶ allowed_directories, external access off
 *   of their type                                 │
 *   data_path of a catalog                       ─┘
 *   connector_config: {enable_external_access: true} without allowed_paths ─▶ everything
 *
 * Extensions are loaded and catalogs attached before: both stay usable, and further ones are refused. `.plinth` is what `keeper-files.ts` looks for.
 */
function accessStatements(places: readonly string[] | undefined, folder: string): readonly string[] {
  if (places === undefined) return [];
  const folders = [folder, ...places].map((place) => (isAddress(place) ? place : `${join(place)}/`));
  return [
    `SET GLOBAL allowed_directories = [${[...new Set(folders)].map(textSql).join(', ')}]`,
    'SET GLOBAL enable_external_access = false',
  ];
}

/** What the connection opens beside the project folder: absolute paths and addresses. Undefined: everything. */
function openPlaces(connection: DataRecord, folder: string): readonly string[] | undefined {
  const own = list(connection['allowed_paths']).map(String);
  const settings = record(connection['connector_config']);
  if (isTrue(settings['enable_external_access']) && own.length === 0) return undefined;
  return [
    ...own,
    ...list(settings['allowed_directories']).map(String),
    ...secretsOf(connection['secrets']).flatMap(([, secret]) => placesOf(secret)),
    ...Object.values(record(connection['catalogs'])).flatMap((catalog) =>
      list(record(catalog)['data_path']).map(String),
    ),
  ].map((place) => (isAddress(place) ? place : resolve(folder, place)));
}

/** A place that is a link, as statements reach it. */
const realPlace = (place: string): string =>
  isAddress(place) || !existsSync(place) ? place : realpathSync(place);

/** Addresses that a secret without a scope is for, by its type. */
const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  s3: ['s3://', 's3a://', 's3n://'],
  r2: ['r2://'],
  gcs: ['gcs://', 'gs://'],
  azure: ['azure://', 'az://', 'abfss://', 'abfs://'],
  http: ['http://', 'https://'],
  huggingface: ['hf://'],
};

/** Never files of this machine: `allowed_paths` names those. */
function placesOf(secret: DataRecord): readonly string[] {
  const keys = new Map(Object.entries(secret).map(([key, value]) => [key.toLowerCase(), value]));
  const scopes = list(keys.get('scope')).map(String);
  if (scopes.length > 0) return scopes.filter((scope) => isAddress(scope) && !/^file:/i.test(scope));
  return ADDRESSES[String(keys.get('type') ?? '').toLowerCase()] ?? [];
}

const isAddress = (path: string): boolean => /^[a-z][a-z0-9+.-]*:/i.test(path);

const isTrue = (value: unknown): boolean => value === true || /^(?:true|1|on|yes)$/i.test(String(value));

function record(value: unknown): DataRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as DataRecord) : {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
}

function valueSql(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return `[${value.map(valueSql).join(', ')}]`;
  return textSql(String(value));
}
