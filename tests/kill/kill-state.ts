/*
 * Where the state of a campaign's folder lies is said by its config.yaml: in the folder, or on a server of tests, in a database
 * that is called like the folder and copied with it.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import {
  type PostgresServer,
  postgresPrograms,
  STATE_DATABASE,
  STATE_PASSWORD,
  STATE_USER,
  startPostgresServer,
} from '../postgres-server.ts';

/** The state stores that campaigns run with. */
export type StateKind = 'sqlite' | 'postgres';
export type StateRow = Readonly<Record<string, unknown>>;

interface StateConnection {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

const SCHEMA = 'plinth';
const LINE = /^ {4}state_connection: (.*)$/m;

/** A server whose user may copy databases; undefined for states in files. */
export async function serverOf(kind: StateKind): Promise<PostgresServer | undefined> {
  if (kind === 'sqlite') return undefined;
  const server = await startPostgresServer();
  await server.ask(`ALTER ROLE ${STATE_USER} CREATEDB`);
  return server;
}

/** Lets an empty project keep its state on a server, in a database of its own. */
export async function keepStateOn(folder: string, { port }: PostgresServer): Promise<void> {
  const file = join(folder, 'config.yaml');
  const connection = { host: '127.0.0.1', port, user: STATE_USER, password: STATE_PASSWORD };
  await inDatabase({ ...connection, database: STATE_DATABASE }, (client) =>
    client.query(`CREATE DATABASE ${nameOf(folder)}`),
  );
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace('  local:\n', '  local:\n    state_connection: \n'));
  writeConnection(folder, { ...connection, database: basename(folder) });
}

/** Undefined when the state lies in the folder. */
export function connectionOf(folder: string): StateConnection | undefined {
  const line = LINE.exec(readFileSync(join(folder, 'config.yaml'), 'utf8'))?.[1];
  return line === undefined ? undefined : (JSON.parse(line) as StateConnection);
}

function writeConnection(folder: string, connection: StateConnection): void {
  const file = join(folder, 'config.yaml');
  const line = `    state_connection: ${JSON.stringify({ type: 'postgres', ...connection, schema: SCHEMA, sslmode: 'disable' })}`;
  writeFileSync(file, readFileSync(file, 'utf8').replace(LINE, line));
}

const nameOf = (folder: string): string => pg.escapeIdentifier(basename(folder));

/** Makes a folder what another one is, its state included; nobody may have that one open. */
export async function copyProject(from: string, to: string): Promise<void> {
  rmSync(to, { recursive: true, force: true });
  cpSync(from, to, { recursive: true });
  const connection = existsSync(join(to, 'config.yaml')) ? connectionOf(to) : undefined;
  if (connection === undefined) return;
  await forget(from);
  await inDatabase({ ...connection, database: STATE_DATABASE }, async (client) => {
    await client.query(`DROP DATABASE IF EXISTS ${nameOf(to)} WITH (FORCE)`);
    await client.query(`CREATE DATABASE ${nameOf(to)} TEMPLATE ${nameOf(from)}`);
  });
  writeConnection(to, { ...connection, database: basename(to) });
}

export async function removeProject(folder: string): Promise<void> {
  const connection = connectionOf(folder);
  await forget(folder);
  rmSync(folder, { recursive: true, force: true });
  if (connection === undefined) return;
  await inDatabase({ ...connection, database: STATE_DATABASE }, (client) =>
    client.query(`DROP DATABASE IF EXISTS ${nameOf(folder)} WITH (FORCE)`),
  );
}

/** Leaves what is on the server beside the folder's other files, for inspection. */
export function dumpState(folder: string): void {
  const connection = connectionOf(folder);
  if (connection === undefined) return;
  const { host, port, user, password, database } = connection;
  const words = ['-h', host, '-p', String(port), '-U', user, '-f', join(folder, 'state.sql'), database];
  spawnSync(join(postgresPrograms() ?? '', 'pg_dump'), words, {
    env: { ...process.env, PGPASSWORD: password },
    stdio: 'inherit',
  });
}

/** By folder: what is asked again and again does not log in each time. */
const clients = new Map<string, Promise<pg.Client>>();

async function forget(folder: string): Promise<void> {
  const client = clients.get(folder);
  clients.delete(folder);
  await (await client)?.end();
}

async function inDatabase(
  connection: StateConnection,
  work: (client: pg.Client) => Promise<unknown>,
): Promise<void> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

/** Rows of a project's state, beside whoever works on it; none when there is no state yet. */
export async function stateRows(folder: string, sql: string): Promise<readonly StateRow[]> {
  const connection = connectionOf(folder);
  if (connection === undefined) return rowsOfFile(join(folder, '.plinth', 'state.db'), sql);
  const client = clients.get(folder) ?? connected(connection);
  clients.set(folder, client);
  try {
    return (await (await client).query<StateRow>(sql)).rows;
  } catch (error) {
    // A table that is not there.
    if ((error as { readonly code?: string }).code === '42P01') return [];
    throw error;
  }
}

async function connected(connection: StateConnection): Promise<pg.Client> {
  const client = new pg.Client(connection);
  // The server of a campaign ends before those who look at folders with problems.
  client.on('error', () => undefined);
  await client.connect();
  await client.query(`SET search_path TO ${SCHEMA}`);
  return client;
}

function rowsOfFile(file: string, sql: string): readonly StateRow[] {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { readOnly: true, timeout: 2000 });
    return database.prepare(sql).all();
  } catch (error) {
    // It was killed before there was a file, or before there were tables in it.
    if (/unable to open|no such table/.test(String(error))) return [];
    throw error;
  } finally {
    database?.close();
  }
}
