/** What a connection opens of the world outside its database: what its options name, and nothing else. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { duckdbEngine } from '../../src/adapters/engines/duckdb/duckdb-connection.ts';
import { Failure } from '../../src/domain/failure.ts';
import type { DataRecord } from '../../src/foundation/yaml/data.ts';
import { plainDuckdb } from '../support/plain-duckdb.ts';
import { temporaryProject } from '../support/temporary-project.ts';

let folder: string;
let outside: string;
let count = 0;

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'plinth-inside-')));
  outside = realpathSync(mkdtempSync(join(tmpdir(), 'plinth-outside-')));
  writeFileSync(join(outside, 'secret.txt'), 'secret');
  for (const place of ['seeds', 'lake', 'more', '.plinth/keys']) {
    mkdirSync(join(folder, place), { recursive: true });
    writeFileSync(join(folder, place, 'own.txt'), 'own');
  }
  writeFileSync(join(folder, 'own.txt'), 'own');
  symlinkSync(outside, join(folder, 'more', 'link'));
  symlinkSync(join(outside, 'secret.txt'), join(folder, 'more', 'link.txt'));
  symlinkSync('../own.txt', join(folder, 'more', 'within.txt'));
  symlinkSync('.plinth', join(folder, 'shortcut'));
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
            /disabled|Permission|belongs? to Plinth|may not reach(?!.*is not loaded)/i.test(error.message)
              ? 'refused'
              : error.message,
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
    text('more/link.txt'),
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
  // A machine without network cannot install the extension.
  expect(own).toContain('the extension httpfs is not loaded');
  expect([beside, other]).toEqual(['refused', 'refused']);
});

test('catalogs, folders and external access open what they name, beside the project folder', async () => {
  const secret = text(`${outside}/secret.txt`);
  expect(await reads({ catalogs }, 'SELECT a FROM other.t', secret)).toEqual(['7', 'refused']);
  for (const connection of [
    { allowed_paths: [outside] },
    { connector_config: { allowed_directories: [outside] } },
    { connector_config: { enable_external_access: true } },
  ])
    expect(await reads(connection, secret, text('more/own.txt'), text('seeds/own.txt'))).toEqual([
      'secret',
      'own',
      'own',
    ]);
  const both = { connector_config: { enable_external_access: true }, allowed_paths: ['more'] };
  expect(await reads(both, secret, text('more/own.txt'))).toEqual(['refused', 'own']);
});

test('the project folder is open to SQL, links that leave it and .plinth are not', async () => {
  expect(
    await reads(
      {},
      text('own.txt'),
      text('more/own.txt'),
      text('more/within.txt'),
      text(`${folder}/lake/../own.txt`),
      text(`file://${folder}/own.txt`),
      "SELECT count(*) FROM read_text(['own.txt', 'lake/*.txt'])",
    ),
  ).toEqual(['own', 'own', 'own', 'own', 'own', '2']);
  const refused = [
    text('more/link.txt'),
    text('more/link/secret.txt'),
    text('more/*.txt'),
    text('.plinth/keys/own.txt'),
    text('lake/../.plinth/keys/own.txt'),
    text(`${folder}/.plinth/keys/own.txt`),
    text(`file://${folder}/.plinth/keys/own.txt`),
    text('shortcut/keys/own.txt'),
    text('*/keys/own.txt'),
    text('**/own.txt'),
    "SELECT content FROM read_text('.pli' || 'nth/keys/own.txt')",
    "SELECT content FROM read_text(['own.txt', concat('.plin', 'th/keys/own.txt')])",
    "SELECT content FROM read_text(e'.plint\\x68/keys/own.txt')",
    'SELECT content FROM read_text($$shortcut/keys/own.txt$$)',
    "SELECT * FROM query('SELECT content FROM read_text(''shortcut/keys/own.txt'')')",
    "WITH t AS (SELECT * FROM read_csv('shortcut/keys/own.txt')) FROM t",
    'FROM \'shortcut/keys/*.csv\' AS a, "shortcut/keys/own.csv" AS b',
  ];
  expect(await reads({}, ...refused)).toEqual(refused.map(() => 'refused'));
  expect(await reads({ allowed_paths: ['.plinth/keys'] }, text('.plinth/keys/own.txt'))).toEqual(['own']);
  expect(await reads({ allowed_paths: ['.'] }, text('.plinth/keys/own.txt'))).toEqual(['refused']);
  // Texts that are data are nobody's path.
  expect(await reads({}, "SELECT '.plinth of ' || content FROM read_text('own.txt')")).toEqual([
    '.plinth of own',
  ]);
});

test('statements write into seeds and data, and where the connection says', async () => {
  const writes = async (connection: DataRecord, sql: string): Promise<string> => {
    const engine = await duckdbEngine({ database: `w${count++}.duckdb`, folder, connection, idleMs: 1 });
    try {
      return await engine
        .write([], (session) => session.execute(sql))
        .then(
          () => 'written',
          (error: Error) => (error.message.includes('may not reach') ? 'refused' : error.message),
        );
    } finally {
      await engine.close();
    }
  };
  const copy = (path: string): string => `COPY (SELECT 1 AS a) TO ${path} (FORMAT csv)`;
  expect(await writes({}, copy("'seeds/new.csv'"))).toBe('written');
  for (const path of ["'models.csv'", "'more/new.csv'", "'seeds/../new.csv'", "('more' || '/new.csv')"])
    expect(await writes({}, copy(path)), path).toBe('refused');
  expect(await writes({}, copy("'.plinth/new.csv'"))).toBe('refused');
  expect(await writes({ allowed_paths: ['more'] }, copy("'more/new.csv'"))).toBe('written');
});

test('the refusal of a link that leaves the project folder names the folder that it leads to', async () => {
  symlinkSync('/etc/passwd', join(folder, 'leaves.csv'));
  const engine = await duckdbEngine({ database: `w${count++}.duckdb`, folder, idleMs: 1 });
  try {
    await expect(engine.query("SELECT * FROM read_csv('leaves.csv')")).rejects.toMatchObject({
      code: 'engine.file-closed',
      message: 'SQL may not reach leaves.csv: it is a link to /etc/passwd, outside of the project folder.',
      diagnostic: { hint: "add '/etc' to allowed_paths of the connection in config.yaml" },
    });
  } finally {
    await engine.close();
  }
});

test.each([
  ['/etc/passwd', 'it is not in the project folder', "add '/etc' to allowed_paths of the connection"],
  ['https://lake.invalid/raw/a.csv', 'this address is not open to SQL', "add 'https://lake.invalid/' to allowed_paths, and httpfs to extensions"],
  ['s3://lake/raw/a.csv', 'this address is not open to SQL', "add 's3://lake/' to allowed_paths, and httpfs to extensions"],
  ['.plinth/keys/own.txt', '.plinth belongs to Plinth', 'elsewhere in the project folder'],
])('the refusal of %s says what opens it', async (path, reason, hint) => {
  const engine = await duckdbEngine({ database: `w${count++}.duckdb`, folder, idleMs: 1 });
  try {
    for (const sql of [`SELECT * FROM read_csv('${path}')`, `SELECT * FROM '${path}'`]) {
      const failed = await engine.query(sql).catch((error: unknown) => error);
      if (!(failed instanceof Failure)) throw new Error(`${sql} was not refused`);
      // DuckDB takes a text for a file by its ending.
      if (/Table with name/.test(failed.message)) continue;
      expect([failed.code, failed.message, failed.diagnostic.hint]).toEqual([
        'engine.file-closed',
        `SQL may not reach ${path}: ${reason}.`,
        expect.stringContaining(hint),
      ]);
    }
  } finally {
    await engine.close();
  }
}); // biome-ignore format: a table

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
});

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
