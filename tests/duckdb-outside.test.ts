/** What a connection opens of the world outside its database: what its options name, and nothing else. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { duckdbEngine } from '../src/adapters/engines/duckdb/duckdb-connection.ts';
import type { DataRecord } from '../src/foundation/yaml/data.ts';
import { plainDuckdb } from './plain-duckdb.ts';
import { temporaryProject } from './temporary-project.ts';

let folder: string;
let outside: string;
let count = 0;

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'plinth-inside-')));
  outside = realpathSync(mkdtempSync(join(tmpdir(), 'plinth-outside-')));
  writeFileSync(join(outside, 'secret.txt'), 'secret');
  for (const place of ['seeds', 'lake', 'more']) {
    mkdirSync(join(folder, place));
    writeFileSync(join(folder, place, 'own.txt'), 'own');
  }
  const other = await plainDuckdb(folder);
  await other.execute(
    `ATTACH '${folder}/other.duckdb' AS o`,
    'CREATE TABLE o.t AS SELECT 7 AS a',
    'DETACH o',
  );
});
afterAll(() => {
  for (const each of [folder, outside]) rmSync(each, { recursive: true, force: true });
});

async function reads(connection: DataRecord, ...queries: readonly string[]): Promise<readonly string[]> {
  const engine = await duckdbEngine({ database: `w${count++}.duckdb`, folder, connection, idleMs: 1 });
  try {
    const answers: string[] = [];
    for (const sql of queries)
      answers.push(
        await engine.query(sql).then(
          ({ rows }) => String(rows[0]?.[0]),
          (error: Error) =>
            /disabled|Permission|belong to Plinth/i.test(error.message) ? 'refused' : error.message,
        ),
      );
    return answers;
  } finally {
    await engine.close();
  }
}

const text = (path: string): string => `SELECT content FROM read_text('${path}')`;
const catalogs = { own: 'own.duckdb', other: { path: 'other.duckdb', read_only: true } };

test.each<[string, DataRecord]>([
  ['no option', {}],
  ['filesystems', { filesystems: [{ fs: 's3' }] }],
  ['no extensions', { extensions: [] }],
  ['a secret', { secrets: { web: { type: 'http', bearer_token: 't' } } }],
  ['a secret for files', { secrets: { web: { type: 'http', bearer_token: 't', scope: '/' } } }],
  ['catalogs', { catalogs }],
  ['settings', { connector_config: { threads: 1 } }],
  ['external access off', { connector_config: { enable_external_access: false } }],
  ['a token', { token: 'x' }],
])('%s opens no file outside of the project', async (_, connection) => {
  const answers = await reads(
    connection,
    text('seeds/own.txt'),
    text(`${outside}/secret.txt`),
    text('more/own.txt'),
    `ATTACH '${outside}/new.duckdb' AS stolen`,
    `COPY (SELECT 1) TO '${outside}/copy.csv'`,
    'INSTALL httpfs',
    'LOAD httpfs',
  );
  expect(answers).toEqual(['own', ...Array.from({ length: 6 }, () => 'refused')]);
});

test('a secret opens the addresses that it is for, and no others', async () => {
  const web = { type: 'http', bearer_token: 't', scope: 'https://lake.invalid/raw' };
  const [own, beside, other] = await reads(
    { secrets: { web } },
    "SELECT * FROM read_csv('https://lake.invalid/raw/a.csv')",
    "SELECT * FROM read_csv('https://lake.invalid/other/a.csv')",
    "SELECT * FROM read_csv('s3://lake/a.csv')",
  );
  // A machine without network cannot install the extension: it is looked for, and the address is not refused.
  expect(own).toContain('httpfs');
  expect([beside, other]).toEqual(['refused', 'refused']);
});

test('catalogs, folders and external access open what they name', async () => {
  expect(await reads({ catalogs }, 'SELECT a FROM other.t', text('lake/own.txt'))).toEqual(['7', 'refused']);
  const paths = { allowed_paths: ['more'] };
  expect(await reads(paths, text('more/own.txt'), text('seeds/own.txt'))).toEqual(['own', 'refused']);
  const settings = { connector_config: { allowed_directories: ['more'] } };
  expect(await reads(settings, text('more/own.txt'), text(`${outside}/secret.txt`))).toEqual([
    'own',
    'refused',
  ]);
  const all = { connector_config: { enable_external_access: true } };
  expect(await reads(all, text(`${outside}/secret.txt`))).toEqual(['secret']);
  expect(await reads({ ...all, ...paths }, text(`${outside}/secret.txt`))).toEqual(['refused']);
});

test('a folder for temporary files opens a folder of its own in it, and spills there', async () => {
  const temporary = join(outside, 'spill');
  const missing = join(outside, 'not', 'there');
  mkdirSync(temporary);
  writeFileSync(join(temporary, 'of-another.txt'), 'secret');
  const settings = { memory_limit: '60MB', threads: 1 };
  const large = 'SELECT count(*) FROM (SELECT DISTINCT md5(i::TEXT) FROM range(2000000) AS r(i))';
  const answers = await reads(
    { connector_config: { ...settings, temp_directory: temporary } },
    text(`${temporary}/of-another.txt`),
    large,
  );
  expect(answers).toEqual(['refused', '2000000']);
  expect(await reads({ connector_config: { ...settings, temp_directory: missing } }, large)).toEqual([
    '2000000',
  ]);
  // DuckDB's own word for "nowhere".
  const [, without] = await reads(
    { connector_config: { ...settings, temp_directory: '' } },
    text(`${outside}/secret.txt`),
    large,
  );
  expect(without).toMatch(/memory/i);
}, 60_000);

test('an option that nothing reads is told, and a part that nothing knows is an error', async () => {
  const told = async (connection: string): Promise<readonly string[]> => {
    const project = temporaryProject({
      'config.yaml': `name: p\ngateways: {local: {connection: {type: duckdb, ${connection}}}}\n`,
      'models/m.sql': 'MODEL (name s.m, kind FULL);\nSELECT 1 AS a',
    });
    try {
      const { diagnostics } = await project.load();
      return diagnostics.map(({ severity, code, message }) => `${severity} ${code} ${message.split(' ')[0]}`);
    } finally {
      project.delete();
    }
  };
  expect(await told('filesystems: [{fs: s3}]')).toEqual([
    expect.stringContaining('config.key-without-effect filesystems'),
  ]);
  expect(await told('token: x')).toEqual([expect.stringContaining('config.key-without-effect token')]);
  expect(await told('catalogs: {a: {path: x.db, readonly: true}}')).toEqual([
    'error yaml.unknown-key readonly',
  ]);
  expect(await told('catalogs: {a: {type: postgres}}')).toEqual(['error yaml.missing-key The']);
  expect(await told('extensions: [{nme: httpfs}]')).not.toEqual([]);
  expect(await told('secrets: {a: {type: s3, key_id: k}}, catalogs: {a: x.db}, extensions: json')).toEqual(
    [],
  );
});
