/** Every kind on a real DuckDB: what a batch writes, leaves alone, counts and refuses. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { days, openWarehouse, type Warehouse } from '../support/materialize-warehouse.ts';

let open: Warehouse | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});

async function warehouse(
  files: Readonly<Record<string, string>>,
  variables?: Readonly<Record<string, string>>,
): Promise<Warehouse> {
  open = await openWarehouse(files, variables === undefined ? {} : { variables });
  return open;
}

const model = (block: string, query: string): string => `MODEL (name s.m, ${block});\n${query}`;
const JANUARY = days('2024-01-01', '2024-02-01');

describe('FULL, SEED and VIEW', () => {
  test('a FULL model with two audits is one CTAS and one audit query', async () => {
    const w = await warehouse({
      'models/m.sql': model(
        'kind FULL, audits (not_null(columns := (a)), unique_values(columns := (a)))',
        'SELECT 1 AS a',
      ),
    });
    const result = await w.write('s.m');
    expect(result).toEqual({
      rows: 1,
      audits: [
        { name: 'not_null', status: 'passed', failedRows: 0 },
        { name: 'unique_values', status: 'passed', failedRows: 0 },
      ],
    });
    expect(w.takeSent().map((call) => call.split(' ')[0])).toEqual(['replaceTable', 'query']);
  });

  test('a second write of a FULL model takes the place of the first', async () => {
    const w = await warehouse({ 'models/m.sql': model('kind FULL', 'SELECT i FROM x.src') });
    await w.execute('CREATE SCHEMA x');
    await w.execute('CREATE TABLE x.src AS SELECT 1 AS i');
    await w.write('s.m');
    await w.execute('INSERT INTO x.src VALUES (2)');
    expect((await w.write('s.m')).rows).toBe(2);
    expect(await w.rows(`SELECT i FROM ${w.table('s.m')} ORDER BY 1`)).toEqual([[1], [2]]);
  });

  test('declared columns give names, order and types', async () => {
    const w = await warehouse({
      'models/m.sql': model('kind FULL, columns (b TEXT, a BIGINT)', "SELECT 1 AS a, 'x' AS b"),
    });
    await w.write('s.m');
    expect(await w.rows(`SELECT column_name, column_type FROM (DESCRIBE ${w.table('s.m')})`)).toEqual([
      ['b', 'VARCHAR'],
      ['a', 'BIGINT'],
    ]);
  });

  test('statements around the query run in the same transaction, with @this_model as its table', async () => {
    const w = await warehouse({
      'models/m.sql': `${model('kind FULL', "CREATE TEMP MACRO twice(x) AS x * 2;\nSELECT twice(21) AS a;\nUPDATE @this_model SET a = a + @IF(@runtime_stage = 'evaluating', 1, 1000);")}`,
    });
    await w.write('s.m');
    expect(await w.rows(`SELECT a FROM ${w.table('s.m')}`)).toEqual([[43]]);
  });

  test('an error in the middle is the one that is told, and nothing is kept', async () => {
    const w = await warehouse({
      'models/m.sql': `${model('kind FULL, audits (not_null(columns := (a)))', 'SELECT 1 AS a;\nDELETE FROM nowhere.at_all;')}`,
    });
    await expect(w.write('s.m')).rejects.toThrow(/nowhere/);
    await expect(w.rows(`SELECT * FROM ${w.table('s.m')}`)).rejects.toThrow(/does not exist/);
  });

  test('a SEED is its file', async () => {
    const w = await warehouse({
      'models/m.sql': `MODEL (name s.m, kind SEED (path '../seeds/m.csv'), columns (a INT, b TEXT))`,
      'seeds/m.csv': 'a,b\n1,x\n2,\n',
    });
    expect((await w.write('s.m')).rows).toBe(2);
    expect(await w.rows(`SELECT * FROM ${w.table('s.m')} ORDER BY a`)).toEqual([
      [1, 'x'],
      [2, null],
    ]);
  });

  test('a SEED whose file is no longer the planned one is refused', async () => {
    const w = await warehouse({
      'models/m.sql': `MODEL (name s.m, kind SEED (path '../seeds/m.csv'), columns (a INT))`,
      'seeds/m.csv': 'a\n1\n',
    });
    writeFileSync(join(w.folder, 'seeds/m.csv'), 'a\n2\n');
    await expect(w.write('s.m')).rejects.toMatchObject({
      code: 'audit.seed-changed',
      message: expect.stringContaining('seeds/m.csv'),
    });
  });

  test('a VIEW stores nothing and lists its columns', async () => {
    const w = await warehouse({
      'models/m.sql': model('kind VIEW', 'SELECT * FROM s.t'),
      'models/t.sql': 'MODEL (name s.t, kind FULL); SELECT 1 AS a, 2 AS b',
    });
    await w.write('s.t');
    expect((await w.write('s.m')).rows).toBe(0);
    await w.execute(`ALTER TABLE ${w.table('s.t')} ADD COLUMN c INT`);
    expect(await w.rows(`SELECT * FROM ${w.table('s.m')}`)).toEqual([[1, 2]]);
  });

  test('an empty backfill makes the table with its columns only', async () => {
    const w = await warehouse({
      'models/m.sql': model(
        'kind FULL, audits (number_of_rows(threshold := 0))',
        "SELECT 1 AS a, DATE '2024-01-01' AS d",
      ),
    });
    expect(await w.write('s.m', { isEmpty: true })).toEqual({
      rows: 0,
      audits: [{ name: 'number_of_rows', status: 'skipped', failedRows: 0 }],
    });
    expect(await w.rows(`SELECT count(*) FROM ${w.table('s.m')}`)).toEqual([['0']]);
  });
});

describe('INCREMENTAL_BY_TIME_RANGE', () => {
  const timed = (
    options = '',
    type = 'DATE',
    time = 'd',
    query?: string,
  ): Readonly<Record<string, string>> => ({
    'models/m.sql': model(
      `kind INCREMENTAL_BY_TIME_RANGE (time_column ${time}${options})`,
      query ?? 'SELECT d, i FROM x.src',
    ),
    'external_models.yaml': `- name: x.src\n  columns:\n    d: ${type}\n    i: INT\n`,
  });
  async function withSource(
    files: Readonly<Record<string, string>>,
    rows: string,
    type = 'DATE',
  ): Promise<Warehouse> {
    const w = await warehouse(files);
    await w.execute('CREATE SCHEMA x');
    await w.execute(`CREATE TABLE x.src (d ${type}, i INT)`);
    await w.execute(`INSERT INTO x.src VALUES ${rows}`);
    return w;
  }

  test.each([
    ['DATE', "'2024-01-01'", "'2024-01-31'", "'2024-02-01'", "'2023-12-31'", ''],
    [
      'TIMESTAMP',
      "'2024-01-01 00:00:00'",
      "'2024-01-31 23:59:59.999999'",
      "'2024-02-01 00:00:00'",
      "'2023-12-31 23:59:59.999999'",
      '',
    ],
    [
      'TIMESTAMPTZ',
      "'2024-01-01 00:00:00+00'",
      "'2024-02-01 00:59:59+01'",
      "'2024-02-01 00:00:00+00'",
      "'2024-01-01 00:30:00+01'",
      '',
    ],
    ['VARCHAR', "'2024-01-01'", "'2024-01-31'", "'2024-02-01'", "'not a day'", ''],
    ['VARCHAR', "'01.01.2024'", "'31.01.2024'", "'01.02.2024'", "'31.12.2023'", "'%d.%m.%Y'"],
    ['INTEGER', '20240101', '20240131', '20240201', '20231231', "'%Y%m%d'"],
  ])(
    'a %s column: the first and the last of the interval are in, what is next to it is counted and left out',
    async (type, first, last, after, before, format) => {
      const w = await withSource(
        timed('', type, format === '' ? 'd' : `(d, ${format})`),
        `(${first}, 1), (${last}, 2), (${after}, 3), (${before}, 4), (NULL, 5)`,
        type,
      );
      for (const round of ['first', 'later']) {
        const result = await w.write('s.m', { range: JANUARY });
        expect([round, result.rows, result.rowsOutside]).toEqual([round, 2, 3]);
        expect(await w.rows(`SELECT i FROM ${w.table('s.m')} ORDER BY 1`)).toEqual([[1], [2]]);
      }
    },
  );

  test('only the rows of the interval are replaced', async () => {
    const w = await withSource(timed(), "('2024-01-05', 1), ('2024-02-05', 2)");
    await w.write('s.m', { range: JANUARY });
    await w.write('s.m', { range: days('2024-02-01', '2024-03-01') });
    await w.execute('UPDATE x.src SET i = i + 10');
    const again = await w.write('s.m', { range: JANUARY });
    expect([again.rows, again.rowsOutside]).toEqual([1, 1]);
    expect(await w.rows(`SELECT i FROM ${w.table('s.m')} ORDER BY 1`)).toEqual([[2], [11]]);
  });

  test('an hourly interval of a TIMESTAMP is half-open', async () => {
    const w = await withSource(
      timed('', 'TIMESTAMP'),
      "('2024-01-01 09:59:59.9', 1), ('2024-01-01 10:00', 2), ('2024-01-01 10:59:59.999999', 3), ('2024-01-01 11:00', 4)",
      'TIMESTAMP',
    );
    const start = Date.parse('2024-01-01T10:00:00Z');
    await w.write('s.m', { range: { start, end: start + 3_600_000 } });
    expect(await w.rows(`SELECT i FROM ${w.table('s.m')} ORDER BY 1`)).toEqual([[2], [3]]);
  });

  test('with strict_time error such rows stop the write', async () => {
    const w = await withSource(timed(", strict_time 'error'"), "('2024-01-05', 1), (NULL, 2)");
    await expect(w.write('s.m', { range: JANUARY })).rejects.toMatchObject({
      code: 'audit.outside-interval',
      message: expect.stringMatching(/1 row .* d .*2024-01-01.*2024-02-01/),
    });
    await expect(w.rows(`SELECT * FROM ${w.table('s.m')}`)).rejects.toThrow(/does not exist/);
  });

  test('time macros stand for the interval, and audits see only its rows', async () => {
    const query = 'SELECT d, i FROM x.src WHERE d BETWEEN @start_ds AND @end_ds';
    const files = timed('', 'DATE', 'd', query);
    const w = await withSource(
      {
        ...files,
        'models/m.sql': files['models/m.sql']!.replace(
          '(time_column d)',
          '(time_column d), audits (number_of_rows(threshold := 1), mine)',
        ),
        'audits/a.sql': 'AUDIT (name mine, blocking false); SELECT * FROM @this_model AS t WHERE t.i > 1',
      },
      "('2024-01-05', 1), ('2024-01-06', 2), ('2024-02-05', 3)",
    );
    const first = await w.write('s.m', { range: JANUARY });
    expect(first).toMatchObject({
      rows: 2,
      rowsOutside: 0,
      audits: [{ status: 'passed' }, { name: 'mine', status: 'warned', failedRows: 1 }],
      warned: [{ count: 1, rows: [['2024-01-06', 2]] }],
    });
    const second = await w.write('s.m', { range: days('2024-02-01', '2024-03-01') });
    expect(second.failed).toMatchObject([{ name: 'number_of_rows', count: 1 }]);
    expect(await w.rows(`SELECT count(*) FROM ${w.table('s.m')}`)).toEqual([['2']]);
    expect((await w.audit('s.m', days('2024-01-06', '2024-01-07'))).audits).toMatchObject([
      { status: 'failed' },
      { failedRows: 1 },
    ]);
  });

  test('a column the table does not have is left out with on_additive_change ignore', async () => {
    const files = timed(", on_additive_change 'ignore'");
    const w = await withSource(files, "('2024-01-05', 1)");
    await w.write('s.m', { range: JANUARY });
    await w.change({ 'models/m.sql': files['models/m.sql']!.replace('d, i FROM', 'd, i, i + 1 AS j FROM') });
    await w.write('s.m', { range: JANUARY });
    expect(await w.rows(`SELECT * FROM ${w.table('s.m')}`)).toEqual([['2024-01-05', 1]]);
  });
});
