/** Makes the schema of a state, or brings it to our version, in one transaction; copies what was there beside it. */
import { randomUUID } from 'node:crypto';
import pg, { type ClientBase } from 'pg';
import { StateProblem } from '../sql/state-problem.ts';
import type { Row } from '../sql/state-sql.ts';
import { type PostgresConfig, placeOf, schemaOf } from './postgres-config.ts';
import { FOUNDATION, MIGRATIONS, POSTGRES_DIALECT, WRITERS } from './postgres-dialect.ts';
import { STANDBY } from './postgres-problem.ts';
import { inTransaction } from './postgres-transaction.ts';

/** What the guide promises; nothing older was tried. */
const SERVER_MIN = 13;

export interface SchemaOptions {
  /** Other migrations than ours, and a later server: tests only. */
  readonly migrations?: readonly string[] | undefined;
  readonly serverMin?: number | undefined;
}

export async function prepareSchema(
  client: ClientBase,
  config: PostgresConfig,
  { migrations = MIGRATIONS, serverMin = SERVER_MIN }: SchemaOptions,
): Promise<void> {
  const { gateway, place, user } = placeOf(config);
  const { rows } = await client.query<Row>(
    `SELECT current_setting('server_version') AS server, pg_is_in_recovery() AS is_standby, to_regclass('plinth_writers')::TEXT AS ours`,
  );
  const [found] = rows;
  const server = String(found?.['server']);
  if (Number.parseInt(server, 10) < serverMin)
    throw new StateProblem('state.old-server', { gateway, place, version: server, needed: serverMin });
  if (found?.['is_standby'] as unknown as boolean)
    throw new StateProblem('state.read-only', { gateway, place, user, detail: STANDBY });
  if (
    found?.['ours'] !== null &&
    (await versionOf(client, { place, known: migrations.length })) === migrations.length
  )
    return;
  await inTransaction(client, 'BEGIN ISOLATION LEVEL READ COMMITTED', async () => {
    // Another process may be making it at this moment; after the wait its tables are seen.
    await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
      `plinth ${schemaOf(config)}`,
    ]);
    await migrate(client, { schema: schemaOf(config), place, migrations });
  });
}

async function versionOf(
  client: ClientBase,
  { place, known }: { readonly place: string; readonly known: number },
): Promise<number> {
  const { rows } = await client.query<Row>("SELECT value FROM meta WHERE key = 'schema-version'");
  const version = Number(rows[0]?.['value']);
  if (version > known) throw new StateProblem('state.newer', { file: place, version, known });
  return version;
}

async function migrate(
  client: ClientBase,
  {
    schema,
    place,
    migrations,
  }: { readonly schema: string; readonly place: string; readonly migrations: readonly string[] },
): Promise<void> {
  const { rows } = await client.query<Row>(
    'SELECT to_regnamespace($1)::TEXT AS known, to_regclass($2)::TEXT AS ours',
    [pg.escapeIdentifier(schema), 'plinth_turn'],
  );
  if (rows[0]?.['known'] === null) await client.query(`CREATE SCHEMA ${pg.escapeIdentifier(schema)}`);
  const isNew = rows[0]?.['ours'] === null;
  if (isNew) await client.query(FOUNDATION);
  // Schemas of before have no such table.
  await client.query(WRITERS);
  const version = isNew ? 0 : await versionOf(client, { place, known: migrations.length });
  if (!isNew && version < migrations.length) await backUp(client, version);
  for (const sql of migrations.slice(version)) await client.query(sql);
  if (isNew) await client.query("INSERT INTO meta VALUES ('warehouse-id', $1)", [randomUUID()]);
  await client.query(
    "INSERT INTO meta VALUES ('schema-version', $1) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
    [String(migrations.length)],
  );
}

/** The name under which a table lies as it was before a migration. */
export const backupTable = (table: string, version: number): string => `plinth_version_${version}_${table}`;

async function backUp(client: ClientBase, version: number): Promise<void> {
  for (const { name } of (await client.query<Row>(POSTGRES_DIALECT.tables)).rows) {
    const copy = backupTable(String(name), version);
    await client.query(`DROP TABLE IF EXISTS ${copy}; CREATE TABLE ${copy} AS TABLE ${name}`);
  }
}
