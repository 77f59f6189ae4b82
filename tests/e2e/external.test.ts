/** `plinth external`: tables that models read and no model makes, described as the warehouse has them. */
import { readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { keepersOf } from '../support/keepers-of.ts';
import { plainDuckdb } from '../support/plain-duckdb.ts';
import { type Ended, envelope, runPlinth, type TemporaryProject, temporaryProject } from './run-plinth.ts';

let project: TemporaryProject;
const warehouse = async (...statements: readonly string[]): Promise<void> => {
  const keepers = (): readonly number[] => keepersOf(join(realpathSync(project.folder), 'w.duckdb'));
  for (const pid of keepers()) process.kill(pid, 'SIGTERM');
  await vi.waitFor(() => expect(keepers()).toEqual([]), { timeout: 10_000 });
  const duckdb = await plainDuckdb(project.folder);
  await duckdb.execute(
    `ATTACH '${project.folder}/w.duckdb' AS w`,
    'USE w',
    ...statements,
    'USE memory',
    'DETACH w',
  );
};
const plinth = (...args: readonly string[]): Promise<Ended> => runPlinth([...args], { cwd: project.folder });
const described = (): string => readFileSync(join(project.folder, 'external_models.yaml'), 'utf8');

beforeEach(async () => {
  project = temporaryProject({
    'config.yaml': 'name: p\ngateways: {local: {connection: {type: duckdb, database: w.duckdb}}}\n',
    'models/orders.sql': 'MODEL (name staging.orders, kind FULL);\nSELECT * FROM raw.orders',
    'models/all.sql':
      'MODEL (name marts.all, kind FULL);\nSELECT order_id FROM staging.orders JOIN raw.users USING (user_id) JOIN raw.gone USING (user_id)',
    'external_models.yaml': '- name: raw.users\n  description: By hand.\n  columns: {user_id: int}\n',
  });
  await warehouse(
    'CREATE SCHEMA raw',
    'CREATE TABLE raw.orders (order_id BIGINT, user_id INTEGER, amount DECIMAL(10, 2), "Odd column" STRUCT(a DATE))',
    'CREATE TABLE raw.users (user_id INTEGER, name VARCHAR)',
  );
});
afterEach(() => project.remove());

test('tables get columns and types, what was written by hand stays, and the project knows the columns', async () => {
  const before = described();
  expect((await plinth('external', '--check')).code).toBe(1);
  expect(described()).toBe(before);
  const { data } = envelope(await plinth('external', '--json')) as { readonly data: unknown };
  expect(data).toEqual({
    path: 'external_models.yaml',
    changed: true,
    written: true,
    tables: [
      { name: 'raw.gone', status: 'missing' },
      { name: 'raw.orders', status: 'written', columns: 4 },
      { name: 'raw.users', status: 'kept' },
    ],
  });
  const text = described();
  expect(text.startsWith(before)).toBe(true);
  expect(text).toContain('    amount: DECIMAL(10,2)\n    "Odd column": STRUCT(a DATE)\n');
  expect((await plinth('external', '--check')).code).toBe(0);
  expect(described()).toBe(text);
  const info = await plinth('info', '--json');
  expect(info.stdout).toContain('DECIMAL(10,2)');
  expect(info.stderr + info.stdout).not.toContain('sql.star-not-expanded');
});

test('a changed table is brought up to date although models already read its new column; one that no model reads goes', async () => {
  await plinth('external');
  await warehouse('ALTER TABLE raw.orders ADD COLUMN region VARCHAR');
  project.write(
    'models/orders.sql',
    'MODEL (name staging.orders, kind FULL);\nSELECT order_id, user_id, region FROM raw.orders',
  );
  expect((await plinth('info')).code).not.toBe(0);
  expect((await plinth('external')).code).toBe(0);
  expect(described()).toContain('    region: VARCHAR\n');
  project.write('models/orders.sql', 'MODEL (name staging.orders, kind FULL);\nSELECT 1 AS user_id');
  const { stdout } = await plinth('external');
  expect(stdout).toContain('raw.orders  removed: no model reads it');
  expect(described()).toBe('- name: raw.users\n  description: By hand.\n  columns: {user_id: int}\n');
});

test("SQLMesh's word for it is the same command; written as there it says which it is here", async () => {
  expect((await plinth('help', 'create-external-models')).stdout).toContain('plinth external');
  expect(envelope(await plinth('create-external-models', '--json'))).toMatchObject({
    schema: 'plinth.external/1',
    data: { written: true },
  });
  expect((await plinth('external', '--check')).code).toBe(0);
  expect((await plinth('create_external_models')).stderr).toContain('plinth external');
});
