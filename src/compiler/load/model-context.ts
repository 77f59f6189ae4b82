import type { Config, Connection, ModelDefaults } from '../../domain/config.ts';
import type { ModelKind } from '../../domain/model-kind.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { tokenize } from '../../foundation/sql/tokenize.ts';
import type { Data, DataRecord } from '../../foundation/yaml/data.ts';
import type { BlockReader } from './header/block.ts';
import { blockMacros } from './header/block-macros.ts';
import { readKind } from './header/kinds.ts';
import type { EvaluateMacro } from './header/substitute-variables.ts';

/** What reading model files needs to know of the configuration. */
export interface ModelContext {
  readonly defaultGateway: string;
  /** By lower-case name. */
  readonly gateways: ReadonlyMap<string, ModelGateway>;
  /** Evaluates macro functions in MODEL blocks; without it they are errors. */
  readonly evaluateMacro?: EvaluateMacro;
}

/** A gateway as models see it. */
export interface ModelGateway {
  readonly engine: string;
  /** Whether it is another warehouse than the one of the gateway in use, in which everything is built. */
  readonly isElsewhere?: boolean;
  /** The catalog that names may leave out. */
  readonly defaultCatalog?: string | undefined;
  readonly defaults: ModelDefaults;
  readonly defaultKind: ModelKind;
  /** SQL texts by lower-case name, the project's and the gateway's. */
  readonly variables: ReadonlyMap<string, string>;
}

/** Derives the context from the configuration; the diagnostics are about a default kind that cannot be used. */
export function modelContext(
  config: Config,
  evaluateMacro: EvaluateMacro = blockMacros(config.defaultGateway, config.modelDefaults.dialect),
): { readonly context: ModelContext; readonly diagnostics: readonly Diagnostic[] } {
  const diagnostics: Diagnostic[] = [];
  const gateways = new Map<string, ModelGateway>();
  const home = JSON.stringify(config.gateways[config.defaultGateway]?.connection);
  for (const gateway of Object.values(config.gateways)) {
    const defaults: ModelDefaults = { ...config.modelDefaults, ...gateway.modelDefaults };
    gateways.set(gateway.name.toLowerCase(), {
      engine: gateway.connection.type,
      ...(JSON.stringify(gateway.connection) === home ? {} : { isElsewhere: true }),
      defaultCatalog: defaultCatalog(gateway.connection),
      defaults,
      defaultKind: defaultKind(config, defaults, diagnostics),
      variables: variableTexts({ ...config.variables, ...gateway.variables, gateway: gateway.name }),
    });
  }
  const context: ModelContext = {
    defaultGateway: config.defaultGateway.toLowerCase(),
    gateways,
    evaluateMacro,
  };
  return { context, diagnostics: unique(diagnostics) };
}

function defaultKind(config: Config, defaults: ModelDefaults, diagnostics: Diagnostic[]): ModelKind {
  const view: ModelKind = { kind: 'view', materialized: false };
  if (defaults.kind === undefined) return view;
  const options = Object.entries(defaults.kind.options).map(([name, value]) => `${name} ${sqlText(value)}`);
  const text = options.length === 0 ? defaults.kind.name : `${defaults.kind.name} (${options.join(', ')})`;
  const { tokens } = tokenize(text, defaults.dialect);
  const reader: BlockReader = { block: 'MODEL', dialect: defaults.dialect, diagnostics: [] };
  const source = { file: config.file ?? 'config.yaml', text };
  const value = { source, tokens, from: 0, to: tokens.length - 1 };
  const nameRange = { file: source.file, start: 0, end: 0 };
  const read = readKind(
    reader,
    { property: 'model_defaults.kind', nameRange, value },
    { texts: new Map() },
    defaults,
  );
  // The text is made of the configuration, so its offsets mean nothing there: the file is named, not a place in it.
  for (const { at: _, ...rest } of reader.diagnostics) diagnostics.push(rest);
  return read?.kind ?? view;
}

/** The SQL text of a value of the configuration: what `@x` stands for. */
export function sqlText(value: Data): string {
  if (value === null) return 'NULL';
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`;
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return `(${value.map((item) => sqlText(item as Data)).join(', ')})`;
  return `(${Object.entries(value as DataRecord)
    .map(([key, item]) => `${key} = ${sqlText(item)}`)
    .join(', ')})`;
}

/** SQL texts of variables by lower-case name. */
export function variableTexts(variables: DataRecord): ReadonlyMap<string, string> {
  return new Map(Object.entries(variables).map(([name, value]) => [name.toLowerCase(), sqlText(value)]));
}

/** The catalog a connection opens by itself; undefined where engines have none. */
function defaultCatalog(connection: Connection): string | undefined {
  const option = (name: string): string | undefined => {
    const value = connection.options[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  switch (connection.type) {
    case 'duckdb':
    case 'motherduck': {
      const catalogs = connection.options['catalogs'];
      if (typeof catalogs === 'object' && catalogs !== null && !Array.isArray(catalogs)) {
        const [first] = Object.keys(catalogs);
        if (first !== undefined) return first;
      }
      const database = option('database');
      if (database === undefined || database === ':memory:')
        return connection.type === 'duckdb' ? 'memory' : undefined;
      const name = database.replace(/^md:/, '').split(/[\\/]/).at(-1) ?? database;
      return name.replace(/\.[^.]*$/, '');
    }
    case 'trino':
    case 'databricks':
      return option('catalog');
    case 'bigquery':
      return option('project');
    case 'athena':
      return option('catalog_name') ?? 'awsdatacatalog';
    case 'spark':
      return option('catalog') ?? 'spark_catalog';
    case 'mysql':
    case 'clickhouse':
    case 'starrocks':
    case 'sqlite':
      return undefined;
    default:
      return option('database');
  }
}

function unique(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const seen = new Set<string>();
  return diagnostics.filter((d) => {
    const key = `${d.code}\0${d.message}`;
    return seen.has(key) ? false : seen.add(key);
  });
}
