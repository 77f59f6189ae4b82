/** One model of every kind through the real engine and its keeper, twice each: what the in-process tests prove in detail holds there, too. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { days, openWarehouse, type Warehouse } from '../support/materialize-warehouse.ts';

const KINDS = {
  full: 'FULL',
  timed: 'INCREMENTAL_BY_TIME_RANGE (time_column d)',
  keyed: 'INCREMENTAL_BY_UNIQUE_KEY (unique_key k)',
  parted: 'INCREMENTAL_BY_PARTITION',
  added: 'INCREMENTAL_UNMANAGED',
  by_time: 'SCD_TYPE_2_BY_TIME (unique_key k, updated_at_name d)',
  by_column: 'SCD_TYPE_2_BY_COLUMN (unique_key k, columns [v])',
} as const;

let w: Warehouse;
beforeAll(async () => {
  const models = Object.entries(KINDS).map(([name, kind]) => [
    `models/${name}.sql`,
    `MODEL (name s.${name}, kind ${kind}${name === 'parted' ? ', partitioned_by (k)' : ''}, description 'It''s ${name}', audits (not_null(columns := (k)), accepted_range(column := v, min_v := 0, on_failure := 'quarantine')));\nSELECT k, v, d FROM x.src WHERE d >= @start_at AND d < @end_before`,
  ]);
  w = await openWarehouse(
    {
      ...Object.fromEntries(models),
      'models/seen.sql':
        'MODEL (name s.seen, kind VIEW, audits (number_of_rows(threshold := 100)));\nSELECT * FROM s.full JOIN s.timed USING (k)',
      'models/seed.sql': "MODEL (name s.seed, kind SEED (path '../seeds/m.csv'), columns (a INT))",
      'seeds/m.csv': 'a\n1\n2\n',
      'external_models.yaml': '- name: x.src\n  columns:\n    k: INT\n    v: INT\n    d: TIMESTAMP\n',
    },
    { isKept: true },
  );
  await w.execute('CREATE SCHEMA x');
  await w.execute(
    "CREATE TABLE x.src AS SELECT * FROM (VALUES (1, 1, TIMESTAMP '2024-01-01 05:00'), (2, -1, TIMESTAMP '2024-01-01 06:00'), (1, 3, TIMESTAMP '2024-01-02 05:00')) AS r(k, v, d)",
  );
});
afterAll(() => w.close());

test.each(Object.keys(KINDS))('%s', async (name) => {
  for (const [i, range] of [days('2024-01-01', '2024-01-02'), days('2024-01-02', '2024-01-03')].entries()) {
    const result = await w.write(`s.${name}`, { range });
    const balance =
      i === 0 ? { input: 2, published: 1, quarantined: 1 } : { input: 1, published: 1, quarantined: 0 };
    expect(result).toMatchObject({
      balance,
      audits: [{ status: 'passed' }, { status: i === 0 ? 'quarantined' : 'passed' }],
    });
  }
  const expected = { full: 1, timed: 2, keyed: 1, parted: 1, added: 2, by_time: 2, by_column: 2 }[name];
  expect(await w.rows(`SELECT COUNT(*) FROM ${w.table(`s.${name}`)}`)).toEqual([[expected]]);
  expect(
    await w.rows("SELECT table_name FROM information_schema.tables WHERE table_name LIKE '%stage%'"),
  ).toEqual([]);
});

test('a seed, and a view with its audit', async () => {
  expect(await w.write('s.seed')).toMatchObject({ rows: 2 });
  await w.write('s.seen');
  expect(await w.audit('s.seen')).toMatchObject({
    audits: [{ name: 'number_of_rows', status: 'failed' }],
    failed: [{ count: 1 }],
  });
});

test('a statement that fails rolls everything back', async () => {
  await w.execute('DELETE FROM x.src');
  await w.execute("INSERT INTO x.src VALUES (NULL, 1, TIMESTAMP '2024-01-03 05:00')");
  const before = await w.rows(`SELECT * FROM ${w.table('s.added')} ORDER BY ALL`);
  expect(await w.write('s.added', { range: days('2024-01-03', '2024-01-04') })).toMatchObject({
    failed: [{ name: 'not_null', count: 1, rows: [[null, 1, expect.anything()]] }],
  });
  await expect(w.write('s.by_time', { range: days('2024-01-03', '2024-01-04') })).rejects.toMatchObject({
    code: 'audit.null-key',
  });
  expect(await w.rows(`SELECT * FROM ${w.table('s.added')} ORDER BY ALL`)).toEqual(before);
});
