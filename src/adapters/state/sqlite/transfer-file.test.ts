import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, test } from 'vitest';
import { TRANSFERRED_TABLES } from '../sql/transferred-tables.ts';
import { MIGRATIONS } from './schema.ts';
import { exportFile, importFile } from './transfer-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'plinth-transfer-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function* each(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

async function linesOf(file: string): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const line of exportFile({ file })) lines.push(line);
  return lines;
}

/** Rows that every version has had. */
const ROWS: readonly Readonly<Record<string, unknown>>[] = [
  { kind: 'snapshots', fingerprint: 'f1', model: 's.m', head: { model: 's.m' } },
  { kind: 'leases', name: 'environment:prod', token: 7, since: 0, expires_at: 0, who: 'one' },
  { kind: 'events', sequence: 3, at: 5, event: 'run.finished', data: { a: [1] } },
];
const GRANT = { kind: 'grants', tenant: 't', product: 'p', principal: 'ann', role: 'reader', created_at: 4 };

function exported(version: number): readonly string[] {
  const rows = version >= 3 ? [...ROWS, version >= 4 ? { ...GRANT, request_id: '' } : GRANT] : ROWS;
  const header = { kind: 'state', schema: 'plinth.state/1', version, warehouseId: 'w1' };
  return [header, ...rows, { kind: 'end', lines: rows.length + 1 }].map((row) => JSON.stringify(row));
}

test.each(MIGRATIONS.map((_, index) => index + 1))(
  'an export of version %i is imported and looks like one of today',
  async (version) => {
    const file = join(folder, `from-${version}.db`);
    await importFile({ file }, each(exported(version)));
    const lines = (await linesOf(file)).map((line) => JSON.parse(line));
    expect(lines[0]).toMatchObject({ version: MIGRATIONS.length, warehouseId: 'w1' });
    for (const row of ROWS) expect(lines).toContainEqual(row);
    if (version >= 3) expect(lines).toContainEqual({ ...GRANT, request_id: '' });
    // The tables are those of a file that was made today.
    const fresh = join(folder, `fresh-${version}.db`);
    await linesOf(fresh);
    expect(schemaOf(file)).toEqual(schemaOf(fresh));
  },
);

function schemaOf(file: string): readonly unknown[] {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return database.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY type, name').all();
  } finally {
    database.close();
  }
}

test('a failed import of an old export leaves the state empty and as it was', async () => {
  const file = join(folder, 'broken.db');
  const lines = exported(2).slice(0, -1);
  await expect(importFile({ file }, each(lines))).rejects.toMatchObject({ code: 'state.bad-import' });
  await importFile({ file }, each(exported(MIGRATIONS.length)));
});

test('an export of a later version is refused with both versions', async () => {
  const file = join(folder, 'later.db');
  await expect(importFile({ file }, each(exported(MIGRATIONS.length + 1)))).rejects.toMatchObject({
    parameters: { detail: expect.stringContaining(`version ${MIGRATIONS.length + 1}`) },
  });
});

/** Columns that are not exported: they say what is under way, or last a day or less. */
const LEFT_BEHIND: Readonly<Record<string, readonly string[]>> = {
  leases: ['holder', 'process'],
  delivery_queues: ['token'],
  ...Object.fromEntries(
    'access_revision executions kept_answers kept_bytes lost_leases meta refused_fingerprints statement_workers statements'
      .split(' ')
      .map((table) => [table, ['*']]),
  ),
};

test('every column of every table is exported, or is listed here', () => {
  const database = new DatabaseSync(':memory:');
  for (const migration of MIGRATIONS) database.exec(migration);
  const made = database
    .prepare(
      `SELECT m.name AS "table", c.name AS "column" FROM sqlite_schema m, pragma_table_info(m.name) c
       WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%'`,
    )
    .all() as { table: string; column: string }[];
  database.close();
  const lost = made.filter(
    ({ table, column }) =>
      TRANSFERRED_TABLES[table]?.columns[column] === undefined &&
      !LEFT_BEHIND[table]?.some((name) => name === '*' || name === column),
  );
  expect(lost).toEqual([]);
  expect(Object.keys(LEFT_BEHIND).filter((name) => !made.some(({ table }) => table === name))).toEqual([]);
});
