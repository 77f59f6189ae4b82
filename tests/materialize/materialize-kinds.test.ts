/** Upserts, partitions and appends on a real DuckDB. */
import { afterEach, describe, expect, test } from 'vitest';
import { days, openWarehouse, type Warehouse } from '../support/materialize-warehouse.ts';

let open: Warehouse | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});

const NEXT = days('2024-01-02', '2024-01-03');

async function warehouse(
  block: string,
  query = 'SELECT k, v FROM x.src',
  more: Readonly<Record<string, string>> = {},
): Promise<Warehouse> {
  open = await openWarehouse({
    'models/m.sql': `MODEL (name s.m, ${block});\n${query}`,
    'external_models.yaml': '- name: x.src\n  columns:\n    k: INT\n    v: TEXT\n',
    ...more,
  });
  await open.execute('CREATE SCHEMA x');
  await open.execute('CREATE TABLE x.src (k INT, v TEXT)');
  return open;
}

const source = async (w: Warehouse, rows: string): Promise<void> => {
  await w.execute('DELETE FROM x.src');
  if (rows !== '') await w.execute(`INSERT INTO x.src VALUES ${rows}`);
};
const shown = (w: Warehouse): Promise<readonly unknown[]> =>
  w.rows(`SELECT * FROM ${w.table('s.m')} ORDER BY ALL NULLS FIRST`);

describe('INCREMENTAL_BY_UNIQUE_KEY', () => {
  const KIND = 'kind INCREMENTAL_BY_UNIQUE_KEY (unique_key k)';

  test('rows replace those of their key, NULL being a key, others are added', async () => {
    const w = await warehouse(KIND);
    await source(w, "(1, 'a'), (2, 'b'), (NULL, 'n')");
    expect((await w.write('s.m')).rows).toBe(3);
    await source(w, "(2, 'B'), (3, 'c'), (NULL, 'N')");
    expect((await w.write('s.m', { range: NEXT })).rows).toBe(3);
    expect(await shown(w)).toEqual([
      [null, 'N'],
      [1, 'a'],
      [2, 'B'],
      [3, 'c'],
    ]);
  });

  test('equal rows of one key are one row, in the first build and later', async () => {
    const w = await warehouse(KIND);
    await source(w, "(1, 'a'), (1, 'a'), (2, 'b')");
    expect((await w.write('s.m')).rows).toBe(2);
    await source(w, "(2, 'c'), (2, 'c')");
    await w.write('s.m', { range: NEXT });
    expect(await shown(w)).toEqual([
      [1, 'a'],
      [2, 'c'],
    ]);
  });

  test('different rows of one key are refused with an example, and nothing changes', async () => {
    const w = await warehouse(KIND);
    await source(w, "(1, 'a'), (1, 'b')");
    await expect(w.write('s.m')).rejects.toMatchObject({
      code: 'audit.duplicate-key',
      message: expect.stringMatching(/1 key .* example 1/),
    });
    await source(w, "(1, 'a')");
    await w.write('s.m');
    await source(w, "(7, 'x'), (7, 'y'), (8, 'z'), (8, NULL)");
    await expect(w.write('s.m', { range: NEXT })).rejects.toMatchObject({
      code: 'audit.duplicate-key',
      message: expect.stringMatching(/2 keys .* example 7/),
    });
    expect(await shown(w)).toEqual([[1, 'a']]);
  });

  test('a key of expressions', async () => {
    const w = await warehouse('kind INCREMENTAL_BY_UNIQUE_KEY (unique_key (COALESCE(k, 0), LOWER(v)))');
    await source(w, "(NULL, 'A'), (1, 'b')");
    await w.write('s.m');
    await source(w, "(0, 'a'), (1, 'c')");
    await w.write('s.m', { range: NEXT });
    expect(await shown(w)).toEqual([
      [0, 'a'],
      [1, 'b'],
      [1, 'c'],
    ]);
  });

  test('when_matched and merge_filter with macros', async () => {
    const w = await warehouse(
      "kind INCREMENTAL_BY_UNIQUE_KEY (unique_key k, when_matched (WHEN MATCHED THEN UPDATE SET target.v = CONCAT(target.v, @sep, source.v)), merge_filter source.k > @VAR('least', 0))",
      undefined,
      { 'config.yaml': "variables: {sep: '+', least: 1}\ngateways: {local: {connection: {type: duckdb}}}\n" },
    );
    await source(w, "(1, 'a'), (2, 'b')");
    await w.write('s.m');
    await source(w, "(2, 'B')");
    await w.write('s.m', { range: NEXT });
    expect(await shown(w)).toEqual([
      [1, 'a'],
      [2, 'b+B'],
    ]);
  });
});

describe('INCREMENTAL_BY_PARTITION', () => {
  test('partitions with new rows are replaced as a whole, also that of NULL; the others stay', async () => {
    const w = await warehouse('kind INCREMENTAL_BY_PARTITION, partitioned_by (k)');
    await source(w, "(1, 'a'), (1, 'b'), (2, 'c'), (NULL, 'n')");
    await w.write('s.m');
    await source(w, "(1, 'x'), (NULL, 'm'), (NULL, 'o')");
    expect((await w.write('s.m', { range: NEXT })).rows).toBe(3);
    expect(await shown(w)).toEqual([
      [null, 'm'],
      [null, 'o'],
      [1, 'x'],
      [2, 'c'],
    ]);
  });

  test('a partition may be an expression', async () => {
    const w = await warehouse('kind INCREMENTAL_BY_PARTITION, partitioned_by (k % 10, UPPER(v))');
    await source(w, "(1, 'a'), (11, 'A'), (2, 'a')");
    await w.write('s.m');
    await source(w, "(21, 'a')");
    await w.write('s.m', { range: NEXT });
    expect(await shown(w)).toEqual([
      [2, 'a'],
      [21, 'a'],
    ]);
  });

  test('without new rows nothing is touched', async () => {
    const w = await warehouse('kind INCREMENTAL_BY_PARTITION, partitioned_by (k)');
    await source(w, "(1, 'a')");
    await w.write('s.m');
    await source(w, '');
    expect((await w.write('s.m', { range: NEXT })).rows).toBe(0);
    expect(await shown(w)).toEqual([[1, 'a']]);
  });
});

describe('INCREMENTAL_UNMANAGED', () => {
  test('rows are added', async () => {
    const w = await warehouse('kind INCREMENTAL_UNMANAGED');
    await source(w, "(1, 'a')");
    await w.write('s.m');
    expect((await w.write('s.m', { range: NEXT })).rows).toBe(1);
    expect(await shown(w)).toEqual([
      [1, 'a'],
      [1, 'a'],
    ]);
  });

  test('with insert_overwrite the partitions of the new rows are replaced', async () => {
    const w = await warehouse('kind INCREMENTAL_UNMANAGED (insert_overwrite true), partitioned_by (k)');
    await source(w, "(1, 'a'), (2, 'b')");
    await w.write('s.m');
    await source(w, "(2, 'c')");
    await w.write('s.m', { range: NEXT });
    expect(await shown(w)).toEqual([
      [1, 'a'],
      [2, 'c'],
    ]);
  });
});

describe('time that is written again', () => {
  test('an appended interval is refused, all of them are made anew', async () => {
    const w = await warehouse('kind INCREMENTAL_UNMANAGED (disable_restatement false)');
    await source(w, "(1, 'a')");
    await w.write('s.m');
    await w.write('s.m', { range: NEXT });
    await expect(w.write('s.m', { range: NEXT, isRestatement: true })).rejects.toMatchObject({
      code: 'audit.filled-twice',
      message: expect.stringContaining('2024-01-02'),
    });
    await w.write('s.m', { range: days('2024-01-01', '2024-01-03'), isRestatement: true });
    expect(await shown(w)).toEqual([[1, 'a']]);
  });
});

describe('a model that reads its own table', () => {
  const OWN = 'SELECT k, v FROM x.src WHERE k NOT IN (SELECT k FROM s.m)';

  test.each(['INCREMENTAL_UNMANAGED', 'INCREMENTAL_BY_UNIQUE_KEY (unique_key k)'])(
    '%s finds it empty the first time',
    async (kind) => {
      const w = await warehouse(`kind ${kind}, columns (k INT, v TEXT)`, OWN);
      await source(w, "(1, 'a')");
      await w.write('s.m');
      await source(w, "(1, 'b'), (2, 'c')");
      await w.write('s.m', { range: NEXT });
      expect(await shown(w)).toEqual([
        [1, 'a'],
        [2, 'c'],
      ]);
    },
  );

  test('asks the engine for columns that its text does not tell', async () => {
    const w = await warehouse(
      'kind INCREMENTAL_UNMANAGED',
      'SELECT * FROM x.unknown WHERE k NOT IN (SELECT me.k FROM s.m AS me)',
      {},
    );
    await w.execute('CREATE VIEW x.unknown AS SELECT * FROM x.src');
    await source(w, "(1, 'a')");
    await w.write('s.m');
    expect(await shown(w)).toEqual([[1, 'a']]);
  });

  test('cannot be made of columns that nobody knows', async () => {
    const w = await warehouse('kind FULL', 'SELECT me.*, 1 AS k FROM s.m AS me');
    await expect(w.write('s.m')).rejects.toMatchObject({ code: 'audit.own-columns-unknown' });
  });
});

test('an audit that the engine refuses names the audits of the write', async () => {
  const w = await warehouse('kind FULL, audits (accepted_range(column := k, min_v := 1), mine)', undefined, {
    'audits/a.sql': 'AUDIT (name mine); SELECT * FROM nowhere.at_all',
  });
  await expect(w.write('s.m')).rejects.toMatchObject({
    code: 'audit.cannot-run',
    message: expect.stringMatching(/s\.m .*accepted_range, mine.*nowhere/),
  });
});

describe('every incremental kind', () => {
  const KINDS = [
    'INCREMENTAL_BY_TIME_RANGE (time_column d)',
    'INCREMENTAL_BY_UNIQUE_KEY (unique_key k)',
    'INCREMENTAL_BY_PARTITION',
    'INCREMENTAL_UNMANAGED',
    'SCD_TYPE_2_BY_TIME (unique_key k, updated_at_name d)',
    'SCD_TYPE_2_BY_COLUMN (unique_key k, columns *)',
  ] as const;
  const QUERY = "SELECT k, v, TIMESTAMP '2024-01-01 05:00' AS d FROM x.src";
  const block = (kind: string): string =>
    `kind ${kind}${kind.includes('PARTITION') ? ', partitioned_by (k)' : ''}`;

  test.each(KINDS)('%s can begin empty and is filled later', async (kind) => {
    const w = await warehouse(block(kind), QUERY);
    await source(w, "(1, 'a')");
    expect(await w.write('s.m', { isEmpty: true })).toMatchObject({ rows: 0 });
    const before = await w.rows(`DESCRIBE ${w.table('s.m')}`);
    expect(await shown(w)).toEqual([]);
    expect(await w.write('s.m', { isFirst: false })).toMatchObject({ rows: 1 });
    expect(await w.rows(`DESCRIBE ${w.table('s.m')}`)).toEqual(before);
    expect(await w.rows(`SELECT k, v FROM ${w.table('s.m')}`)).toEqual([[1, 'a']]);
  });

  test.each(KINDS)('%s works where columns cannot be known from the text', async (kind) => {
    const w = await warehouse(block(kind), "SELECT *, TIMESTAMP '2024-01-01 05:00' AS d FROM x.unknown");
    await w.execute('CREATE VIEW x.unknown AS SELECT * FROM x.src');
    await source(w, "(1, 'a')");
    for (const isFirst of [true, false])
      await w.write('s.m', { isFirst, executionTime: Date.UTC(2024, 5, isFirst ? 1 : 2) });
    expect(await w.rows(`SELECT DISTINCT k, v FROM ${w.table('s.m')}`)).toEqual([[1, 'a']]);
  });

  test.each(KINDS)(
    '%s leaves out what the table does not have with on_additive_change ignore',
    async (kind) => {
      const ignoring = kind.includes('(')
        ? kind.replace('(', "(on_additive_change 'ignore', ")
        : `${kind} (on_additive_change 'ignore')`;
      const w = await warehouse(block(ignoring), QUERY);
      await source(w, "(1, 'a')");
      await w.write('s.m');
      await w.change({
        'models/m.sql': `MODEL (name s.m, ${block(ignoring)});\n${QUERY.replace(' AS d', ' AS d, 1 AS added').replace('05:00', '06:00')}`,
      });
      await source(w, "(2, 'b')");
      await w.write('s.m', { executionTime: Date.UTC(2024, 5, 1) });
      expect(await w.rows(`SELECT k, v FROM ${w.table('s.m')} ORDER BY k`)).toContainEqual([2, 'b']);
      expect((await w.rows(`DESCRIBE ${w.table('s.m')}`)).map(([name]) => name)).not.toContain('added');
    },
  );

  test('no tables are left beside the model', async () => {
    for (const kind of KINDS) {
      const w = await warehouse(block(kind), QUERY);
      await source(w, "(1, 'a')");
      for (const isFirst of [true, false]) await w.write('s.m', { isFirst });
      expect(
        await w.rows("SELECT count(*) FROM information_schema.tables WHERE table_schema = 'plinth__s'"),
      ).toEqual([['1']]);
      await w.close();
      open = undefined;
    }
  });
});
