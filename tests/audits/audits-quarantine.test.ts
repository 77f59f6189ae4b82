/** Rows that audits hold back: which, where they go, and that no row is lost or doubled. */
import { afterEach, describe, expect, test } from 'vitest';
import { days, openWarehouse, type Warehouse } from '../support/materialize-warehouse.ts';
import { temporaryProject } from '../support/temporary-project.ts';

let open: Warehouse | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});

const AUDITS = {
  'audits/a.sql':
    "AUDIT (name positive, on_failure quarantine);\nSELECT * FROM @this_model AS t WHERE t.i <= @least;\n\nAUDIT (name known, on_failure quarantine, defaults (least = 0));\nSELECT * FROM @this_model WHERE c NOT IN ('a', 'b');",
};

async function warehouse(kind: string, more = ''): Promise<Warehouse> {
  open = await openWarehouse({
    ...AUDITS,
    'models/m.sql': `MODEL (name s.m, kind ${kind}, audits (positive(least := 0), known${more}));\nSELECT d, i, c FROM x.src`,
    'external_models.yaml': '- name: x.src\n  columns:\n    d: DATE\n    i: INT\n    c: TEXT\n',
  });
  await open.execute('CREATE SCHEMA x');
  await open.execute('CREATE TABLE x.src (d DATE, i INT, c TEXT)');
  return open;
}

const fill = (w: Warehouse, rows: string): Promise<void> => w.execute(`INSERT INTO x.src VALUES ${rows}`);
const shown = (w: Warehouse): Promise<readonly unknown[]> =>
  w.rows(`SELECT i, c FROM ${w.table('s.m')} ORDER BY ALL`);
const held = (w: Warehouse): Promise<readonly unknown[]> =>
  w.rows(`SELECT i, c, plinth__audits FROM ${w.quarantine('s.m')} ORDER BY ALL`);
const JANUARY = days('2024-01-01', '2024-02-01');
const FEBRUARY = days('2024-02-01', '2024-03-01');
const MARCH = days('2024-03-01', '2024-04-01');

describe('quarantine', () => {
  test.each([
    'FULL',
    'INCREMENTAL_BY_TIME_RANGE (time_column d)',
    'INCREMENTAL_BY_UNIQUE_KEY (unique_key i)',
    'INCREMENTAL_BY_PARTITION, partitioned_by (d)',
    'SCD_TYPE_2_BY_COLUMN (unique_key i, columns [c])',
  ])('a call that fails at any place ends the write of %s, and never the process', async (kind) => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    const w = await warehouse(kind);
    await fill(w, "('2024-01-01', 1, 'a'), ('2024-01-02', 0, 'a')");
    await w.write('s.m', { range: JANUARY });
    await fill(w, "('2024-02-01', 2, 'a'), ('2024-02-02', -1, 'a')");
    let isDone = false;
    for (let calls = 0; calls < 50 && !isDone; calls++) {
      w.failAfter(calls);
      isDone = await w.write('s.m', { range: FEBRUARY }).then(
        () => true,
        () => false,
      );
      await new Promise(setImmediate);
    }
    process.off('unhandledRejection', note);
    expect(isDone).toBe(true);
    expect(unhandled).toEqual([]);
  });

  test('failing rows are held back with their audits, NULL says nothing against a row, the rest is published', async () => {
    const w = await warehouse('FULL');
    await fill(
      w,
      "('2024-01-01', 1, 'a'), ('2024-01-02', 0, 'a'), ('2024-01-03', -1, 'z'), (NULL, NULL, NULL), ('2024-01-04', 2, 'z')",
    );
    expect(await w.write('s.m', { runId: 'r-7', range: JANUARY })).toEqual({
      rows: 2,
      balance: { input: 5, published: 2, quarantined: 3 },
      audits: [
        { name: 'positive', status: 'quarantined', failedRows: 2 },
        { name: 'known', status: 'quarantined', failedRows: 2 },
      ],
    });
    expect(await shown(w)).toEqual([
      [1, 'a'],
      [null, null],
    ]);
    expect(await held(w)).toEqual([
      [-1, 'z', ['positive', 'known']],
      [0, 'a', ['positive']],
      [2, 'z', ['known']],
    ]);
    expect(
      await w.rows(
        `SELECT DISTINCT plinth__run_id, plinth__interval_start::DATE, plinth__interval_end::DATE, plinth__at IS NOT NULL FROM ${w.quarantine('s.m')}`,
      ),
    ).toEqual([['r-7', '2024-01-01', '2024-02-01', true]]);
    expect(
      await w.rows("SELECT table_name FROM information_schema.tables WHERE table_name LIKE '%stage%'"),
    ).toEqual([]);
  });

  test('a rebuilt table replaces all that was held back; without failing rows there is no quarantine table', async () => {
    const w = await warehouse('FULL');
    await fill(w, "('2024-01-01', 1, 'a')");
    expect((await w.write('s.m')).balance).toEqual({ input: 1, published: 1, quarantined: 0 });
    await expect(held(w)).rejects.toThrow(/does not exist/);
    await fill(w, "('2024-01-01', 0, 'a')");
    await w.write('s.m');
    expect(await held(w)).toHaveLength(1);
    await w.execute('UPDATE x.src SET i = 5');
    expect((await w.write('s.m')).audits).toMatchObject([{ status: 'passed' }, { status: 'passed' }]);
    expect(await held(w)).toEqual([]);
    expect(await shown(w)).toEqual([
      [5, 'a'],
      [5, 'a'],
    ]);
  });

  test('filling an interval again replaces what of it was held back, and rows of no interval are neither', async () => {
    const w = await warehouse('INCREMENTAL_BY_TIME_RANGE (time_column d)');
    await fill(w, "('2024-01-05', 0, 'a'), ('2024-01-06', 1, 'a'), ('2024-02-05', -5, 'a'), (NULL, 3, 'a')");
    expect(await w.write('s.m', { range: JANUARY })).toMatchObject({
      rows: 1,
      rowsOutside: 2,
      balance: { input: 2, published: 1, quarantined: 1 },
    });
    expect(await w.write('s.m', { range: FEBRUARY })).toMatchObject({
      rows: 0,
      rowsOutside: 3,
      balance: { input: 1, published: 0, quarantined: 1 },
    });
    expect(await held(w)).toEqual([
      [-5, 'a', ['positive']],
      [0, 'a', ['positive']],
    ]);
    await w.execute("UPDATE x.src SET i = 7 WHERE d = '2024-01-05'");
    expect(await w.write('s.m', { range: days('2024-01-05', '2024-01-06') })).toMatchObject({
      balance: { input: 1, published: 1, quarantined: 0 },
    });
    expect(await held(w)).toEqual([[-5, 'a', ['positive']]]);
    expect(await shown(w)).toEqual([
      [1, 'a'],
      [7, 'a'],
    ]);
  });

  test('a merged key replaces what was held back of it', async () => {
    const w = await warehouse('INCREMENTAL_BY_UNIQUE_KEY (unique_key c)');
    await fill(w, "('2024-01-05', 0, 'a'), ('2024-01-05', 1, 'b')");
    await w.write('s.m');
    expect(await held(w)).toEqual([[0, 'a', ['positive']]]);
    await w.execute('UPDATE x.src SET i = i + 10');
    expect(await w.write('s.m')).toMatchObject({ balance: { input: 2, published: 2, quarantined: 0 } });
    expect([await held(w), await shown(w)]).toEqual([
      [],
      [
        [10, 'a'],
        [11, 'b'],
      ],
    ]);
  });

  test.each(['INCREMENTAL_UNMANAGED', 'SCD_TYPE_2_BY_COLUMN (unique_key c, columns [i])'])(
    '%s publishes the rest too',
    async (kind) => {
      const w = await warehouse(kind);
      await fill(w, "('2024-01-05', 0, 'a'), ('2024-01-05', 1, 'b')");
      for (const range of [JANUARY, FEBRUARY])
        expect(await w.write('s.m', { range })).toMatchObject({
          balance: { input: 2, published: 1, quarantined: 1 },
        });
      expect(await w.rows(`SELECT DISTINCT i, c FROM ${w.table('s.m')}`)).toEqual([[1, 'b']]);
    },
  );

  test('a row that is held back is not gone from a history; a row that is gone is', async () => {
    const w = await warehouse(
      'SCD_TYPE_2_BY_COLUMN (unique_key c, columns [i], invalidate_hard_deletes true)',
    );
    const history = () =>
      w.rows(`SELECT c, i, valid_to IS NULL FROM ${w.table('s.m')} ORDER BY c, valid_from`);
    await fill(w, "('2024-01-05', 1, 'a'), ('2024-01-05', 2, 'b')");
    await w.write('s.m', { range: JANUARY });
    await w.execute("UPDATE x.src SET i = -5 WHERE c = 'a'");
    expect(await w.write('s.m', { range: FEBRUARY })).toMatchObject({
      balance: { input: 2, published: 1, quarantined: 1 },
    });
    expect(await history()).toEqual([
      ['a', 1, true],
      ['b', 2, true],
    ]);
    await w.execute("DELETE FROM x.src WHERE c = 'a'");
    await w.write('s.m', { range: MARCH });
    expect([await history(), await held(w)]).toEqual([
      [
        ['a', 1, false],
        ['b', 2, true],
      ],
      [],
    ]);
  });

  test.each([
    'INCREMENTAL_BY_PARTITION, partitioned_by c',
    'INCREMENTAL_UNMANAGED (insert_overwrite true), partitioned_by c',
  ])('%s: a partition is replaced by its rows that pass, also when none does', async (kind) => {
    const w = await warehouse(kind);
    await fill(
      w,
      "('2024-01-05', 1, 'a'), ('2024-01-05', 2, 'a'), ('2024-01-05', 3, 'b'), ('2024-01-05', 4, NULL)",
    );
    await w.write('s.m', { range: JANUARY });
    await w.execute('DELETE FROM x.src');
    await fill(w, "('2024-02-05', 0, 'a'), ('2024-02-05', 0, 'b'), ('2024-02-05', 7, 'b')");
    expect(await w.write('s.m', { range: FEBRUARY })).toMatchObject({
      balance: { input: 3, published: 1, quarantined: 2 },
    });
    expect(await shown(w)).toEqual([
      [4, null],
      [7, 'b'],
    ]);
  });

  test('the row of a key whose new row is held back stays, whatever the merge does to rows that the source lacks', async () => {
    const w = await warehouse(
      'INCREMENTAL_BY_UNIQUE_KEY (unique_key c, when_matched (WHEN MATCHED THEN UPDATE SET target.i = source.i WHEN NOT MATCHED BY SOURCE THEN DELETE))',
    );
    await fill(w, "('2024-01-05', 1, 'a'), ('2024-01-05', 2, 'b')");
    await w.write('s.m', { range: JANUARY });
    await w.execute("UPDATE x.src SET i = -5 WHERE c = 'a'");
    await w.execute("UPDATE x.src SET i = 9 WHERE c = 'b'");
    await w.write('s.m', { range: FEBRUARY });
    expect(await shown(w)).toEqual([
      [1, 'a'],
      [9, 'b'],
    ]);
    await w.execute("DELETE FROM x.src WHERE c = 'a'");
    await w.write('s.m', { range: MARCH });
    expect(await shown(w)).toEqual([[9, 'b']]);
  });

  test('an audit may compare a row with the other rows of its batch', async () => {
    open = await openWarehouse({
      'audits/a.sql':
        'AUDIT (name alone, on_failure quarantine);\nSELECT * FROM @this_model AS t WHERE (SELECT COUNT(*) FROM @this_model AS o WHERE o.k = t.k) > 1;',
      'models/m.sql':
        "MODEL (name s.m, kind FULL, audits (alone, not_null(columns := (k), on_failure := 'quarantine')));\nSELECT * FROM (VALUES (1, 'x'), (1, 'y'), (2, 'z'), (NULL, 'n')) AS v(k, v)",
    });
    expect(await open.write('s.m')).toMatchObject({
      rows: 1,
      balance: { input: 4, published: 1, quarantined: 3 },
    });
    expect(await open.rows(`SELECT v, plinth__audits FROM ${open.quarantine('s.m')} ORDER BY 1`)).toEqual([
      ['n', ['not_null']],
      ['x', ['alone']],
      ['y', ['alone']],
    ]);
  });

  test('a blocking audit still stops what the quarantine left', async () => {
    const w = await warehouse('FULL', ', number_of_rows(threshold := 1)');
    await fill(w, "('2024-01-05', 0, 'a'), ('2024-01-05', 1, 'b')");
    expect((await w.write('s.m')).failed).toMatchObject([{ name: 'number_of_rows', count: 1 }]);
    await expect(held(w)).rejects.toThrow(/does not exist/);
  });

  test('rows that fail only after statements behind the write stop it, others are let through', async () => {
    const model = (value: number) => ({
      'models/m.sql': `MODEL (name s.m, kind FULL, audits (low));\nSELECT i FROM (VALUES (1), (-2)) AS t(i);\nINSERT INTO @this_model VALUES (${value})`,
    });
    open = await openWarehouse({
      'audits/a.sql': 'AUDIT (name low, on_failure quarantine);\nSELECT * FROM @this_model WHERE i < 0;',
      ...model(-9),
    });
    expect(await open.write('s.m')).toMatchObject({
      failed: [{ name: 'low', count: 1, rows: [[-9]] }],
      audits: [{ name: 'low', status: 'failed', failedRows: 1 }],
    });
    await open.change(model(9));
    expect(await open.write('s.m')).toMatchObject({
      balance: { input: 2, published: 1, quarantined: 1 },
      audits: [{ name: 'low', status: 'quarantined', failedRows: 1 }],
    });
    expect(await open.rows(`SELECT i FROM ${open.table('s.m')} ORDER BY i`)).toEqual([[1], [9]]);
  });

  test('rows that a merge makes fail stop it', async () => {
    open = await openWarehouse({
      'audits/a.sql': 'AUDIT (name low, on_failure quarantine);\nSELECT * FROM @this_model WHERE i < 0;',
      'models/m.sql':
        'MODEL (name s.m, kind INCREMENTAL_BY_UNIQUE_KEY (unique_key k, when_matched (WHEN MATCHED THEN UPDATE SET target.i = 0 - source.i)), audits (low));\nSELECT 1 AS k, 3 AS i',
    });
    expect((await open.write('s.m')).failed).toBeUndefined();
    expect((await open.write('s.m')).failed).toMatchObject([{ name: 'low', rows: [[1, -3]] }]);
    expect(await open.rows(`SELECT i FROM ${open.table('s.m')}`)).toEqual([[3]]);
  });

  test('statements behind the write reach any time, so the audits look at all of it', async () => {
    open = await openWarehouse({
      'models/m.sql': `MODEL (name s.m, kind INCREMENTAL_BY_TIME_RANGE (time_column d), audits (forall(criteria := (i > 0))));\nSELECT @start_date AS d, 1 AS i;\nUPDATE @this_model SET i = -1 WHERE d < @start_date`,
    });
    expect((await open.write('s.m', { range: JANUARY })).failed).toBeUndefined();
    expect((await open.write('s.m', { range: FEBRUARY })).failed).toMatchObject([
      { name: 'forall', count: 1 },
    ]);
  });

  test('a condition that answers otherwise each time is found out by the balance', async () => {
    open = await openWarehouse({
      'audits/a.sql':
        'AUDIT (name chance, on_failure quarantine);\nSELECT * FROM @this_model WHERE random() < 0.5;',
      'models/m.sql': 'MODEL (name s.m, kind FULL, audits (chance));\nSELECT i FROM range(10000) AS t(i)',
    });
    await expect(open.write('s.m')).rejects.toMatchObject({ code: 'audit.row-balance' });
    expect(
      await open.rows(
        "SELECT table_name FROM information_schema.tables WHERE table_name LIKE 'm\\_\\_%' ESCAPE '\\'",
      ),
    ).toEqual([]);
  });

  test('a column that came later is added to the quarantine', async () => {
    const w = await warehouse('FULL');
    await fill(w, "('2024-01-05', 0, 'a')");
    await w.write('s.m');
    await w.change({
      'models/m.sql':
        'MODEL (name s.m, kind FULL, audits (positive(least := 0)));\nSELECT d, i, c, i + 1 AS j FROM x.src',
    });
    await w.write('s.m');
    expect(await w.rows(`SELECT i, j FROM ${w.quarantine('s.m')}`)).toEqual([[0, 1]]);
  });
});

describe('what cannot be held back is refused at load, at its place', () => {
  test.each([
    ['SELECT i FROM @this_model WHERE i < 0', 'FULL'],
    ['SELECT * FROM @this_model WHERE i < 0 LIMIT 5', 'FULL'],
    ['SELECT * FROM @this_model', 'FULL'],
    ['SELECT * FROM @this_model AS a JOIN @this_model AS b USING (i) WHERE a.i < 0', 'FULL'],
    ['SELECT * FROM other.place WHERE i < 0', 'FULL'],
    ['WITH x AS (SELECT 1) SELECT * FROM @this_model WHERE i < 0', 'FULL'],
    ['SELECT * FROM @this_model WHERE i < 0 GROUP BY ALL', 'FULL'],
    ['SELECT * FROM @this_model WHERE i < 0', 'VIEW'],
  ])('%s on %s', async (query, kind) => {
    const project = temporaryProject({
      'audits/a.sql': `AUDIT (name mine, on_failure quarantine);\n${query};`,
      'models/m.sql': `MODEL (name s.m, kind ${kind}, audits (mine));\nSELECT 1 AS i`,
    });
    try {
      const { diagnostics } = await project.load();
      expect(diagnostics.filter(({ code }) => code === 'audit.cannot-quarantine')).toMatchObject([
        { at: { file: 'models/m.sql' } },
      ]);
    } finally {
      project.delete();
    }
  });

  test('a built-in audit over the whole table', async () => {
    const project = temporaryProject({
      'models/m.sql':
        "MODEL (name s.m, kind FULL, audits (unique_values(columns := (i), on_failure := 'quarantine'), not_null(columns := (i), on_failure := 'quarantine')));\nSELECT 1 AS i",
    });
    try {
      const found = (await project.load()).diagnostics.filter(({ severity }) => severity === 'error');
      expect(found).toMatchObject([
        { code: 'audit.cannot-quarantine', message: expect.stringContaining('unique_values') },
      ]);
    } finally {
      project.delete();
    }
  });
});
