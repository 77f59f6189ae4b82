/** Texts that would write, read files, change settings or look beside the models: refused at the command line as over HTTP, with the same words. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServedProject, servedProject } from '../e2e/served-project.ts';

const FILES = {
  'config.yaml': 'name: asked\ngateways: {local: {connection: {type: duckdb, database: asked.duckdb}}}\n',
  'models/a.sql': 'MODEL (name s.a, kind FULL);\nSELECT 1 AS x\n',
  'secret.csv': 'secret\n42\n',
};
const TEXTS = [
  'DROP VIEW s.a',
  'DELETE FROM s.a',
  'WITH a AS (SELECT 1) DELETE FROM s.a',
  'CREATE TABLE t AS SELECT 1',
  "COPY s.a TO 'out.csv'",
  "COPY (SELECT 1) TO 'out.csv'",
  "EXPORT DATABASE 'out'",
  "ATTACH 'other.duckdb'",
  'INSTALL httpfs',
  'SET threads = 1',
  'PRAGMA database_list',
  'SELECT 1; DROP VIEW s.a',
  'SELECT 1; SELECT 2',
  'SELECT 1) AS asked; DROP VIEW s.a; SELECT * FROM (SELECT 1',
  "SELECT * FROM 'secret.csv'",
  "SELECT * FROM read_csv('secret.csv')",
  "SELECT * FROM read_text('config.yaml')",
  "SELECT * FROM glob('*')",
  'SELECT * FROM duckdb_settings()',
  'SELECT * FROM information_schema.tables',
  "SELECT current_setting('threads')",
  "SELECT getenv('HOME')",
  "SELECT * FROM query('SELECT 1')",
  "SELECT * FROM query_table('s.a')",
  'SELECT * FROM main.plinth__ledger',
  'DESCRIBE s.a',
  'SELECT * FROM (SUMMARIZE s.a)',
  "SELECT nextval('q')",
  'SELECT ?',
  'SELECT * FROM s.b',
  '/* nothing */',
];

let served: ServedProject;
beforeAll(async () => {
  served = await servedProject(FILES, async () => undefined, ['--auth', 'disabled']);
});
afterAll(() => served?.stop());

test.each(TEXTS)('%s', async (sql) => {
  const answer = await fetch(`${served.products[0]?.base_url}/query/statement`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ sql, wait: 20 }),
  });
  const { code, detail } = (await answer.json()) as { readonly code: string; readonly detail: string };
  expect([answer.status, code]).toEqual([422, expect.stringMatching(/^(?:query|statement)\./)]);
  const command = await served.json('query', '--sql', sql);
  expect(command.code).toBe(2);
  expect(command.error).toMatchObject({ code, message: detail });
});
