/** Which statements of a model run when its table is made, when it is filled, when it is shown. */
import { afterEach, describe, expect, test } from 'vitest';
import { days, openWarehouse, type Warehouse } from '../support/materialize-warehouse.ts';
import { type ServedProduct, servedProduct } from '../support/served-product.ts';

let open: Warehouse | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});

/** Every statement writes down what it is, in order. */
const log = (what: string): string => `INSERT INTO x.log SELECT max(n) + 1, ${what} FROM x.log`;
const stage = (name: string, what: string): string => `@IF(@runtime_stage = '${name}', ${log(`'${what}'`)})`;
const ROWS = `(SELECT count(*) FROM @this_model)`;

async function warehouse(kind: string): Promise<Warehouse> {
  open = await openWarehouse({
    'models/m.sql': `MODEL (name s.m, kind ${kind});
${stage('creating', 'pre creating')};
${log("'pre'")};
${stage('evaluating', 'pre evaluating')};
SELECT d, k, v FROM x.src WHERE d BETWEEN @start_date AND @end_date;
@IF(@runtime_stage = 'creating', ${log(`'post creating ' || ${ROWS}`)});
@IF(@runtime_stage = 'creating', CREATE INDEX by_k ON @this_model (k));
${log(`'post ' || ${ROWS}`)};
@IF(@runtime_stage = 'evaluating', ${log(`'post evaluating ' || ${ROWS}`)});
`,
    'external_models.yaml': '- {name: x.src, columns: {d: date, k: int, v: text}}\n',
  });
  await open.execute('CREATE SCHEMA x');
  await open.execute("CREATE TABLE x.log AS SELECT 0 AS n, 'begin' AS what");
  await open.execute(
    "CREATE TABLE x.src AS SELECT * FROM (VALUES (DATE '2024-01-01', 1, 'a'), (DATE '2024-01-02', 2, 'b')) AS t(d, k, v)",
  );
  return open;
}

async function logged(w: Warehouse): Promise<readonly unknown[]> {
  const rows = await w.rows('SELECT what FROM x.log WHERE n > 0 ORDER BY n');
  await w.execute('DELETE FROM x.log WHERE n > 0');
  return rows.map(([what]) => what);
}

const FILLED = (rows: number): readonly string[] => [
  'pre',
  'pre evaluating',
  `post ${rows}`,
  `post evaluating ${rows}`,
];

describe('a table', () => {
  test.each([
    ['INCREMENTAL_BY_TIME_RANGE (time_column d)', 1, 2],
    ['INCREMENTAL_BY_UNIQUE_KEY (unique_key k)', 1, 2],
    ['INCREMENTAL_BY_PARTITION, partitioned_by k', 1, 2],
    ['INCREMENTAL_UNMANAGED', 1, 2],
    ['SCD_TYPE_2_BY_COLUMN (unique_key k, columns [v])', 1, 2],
    ['SCD_TYPE_2_BY_TIME (unique_key k, updated_at_name d)', 1, 2],
    ['FULL', 1, 1],
  ])('of kind %s is made once and filled each time', async (kind, first, second) => {
    const w = await warehouse(kind);
    await w.write('s.m', { range: days('2024-01-01', '2024-01-02') });
    expect(await logged(w)).toEqual([
      'pre creating',
      'pre',
      'pre evaluating',
      'post creating 0',
      `post ${first}`,
      `post evaluating ${first}`,
    ]);
    const indexes = "SELECT count(*)::INTEGER FROM duckdb_indexes() WHERE index_name = 'by_k'";
    expect(await w.rows(indexes)).toEqual([[1]]);
    await w.write('s.m', { range: days('2024-01-02', '2024-01-03') });
    expect(await logged(w)).toEqual(FILLED(second));
    // A FULL table is another one after each fill.
    expect(await w.rows(indexes)).toEqual([[kind === 'FULL' ? 0 : 1]]);
  });

  test('that is only made runs what is for that, and nothing when it is there already', async () => {
    const w = await warehouse('FULL');
    await w.write('s.m', { isEmpty: true });
    expect(await logged(w)).toEqual(['pre creating', 'pre', 'post creating 0', 'post 0']);
    await w.write('s.m', { isEmpty: true });
    expect(await logged(w)).toEqual([]);
  });

  test('that reads its own past is made, too, before it is filled', async () => {
    open = await openWarehouse({
      'models/m.sql': `MODEL (name s.m, kind INCREMENTAL_BY_TIME_RANGE (time_column d));
SELECT @start_date AS d, (SELECT COUNT(*) FROM s.m)::INTEGER AS n;
@IF(@runtime_stage = 'creating', CREATE INDEX by_n ON @this_model (n));
`,
    });
    for (const [start, end] of [
      ['2024-01-01', '2024-01-02'],
      ['2024-01-02', '2024-01-03'],
    ] as const)
      await open.write('s.m', { range: days(start, end) });
    expect(await open.rows(`SELECT n FROM ${open.table('s.m')} ORDER BY d`)).toEqual([[0], [1]]);
    expect(await open.rows('SELECT index_name FROM duckdb_indexes()')).toEqual([['by_n']]);
  });

  test('without statements for its making is built as ever', async () => {
    open = await openWarehouse({
      'models/m.sql': 'MODEL (name s.m, kind FULL);\nSELECT 1 AS k;\nUPDATE @this_model SET k = k + 1;\n',
    });
    open.takeSent();
    await open.write('s.m');
    expect(open.takeSent().map((each) => each.split(' ')[0])).toEqual(['replaceTable', 'execute']);
  });
});

test('a view is made and evaluated at once', async () => {
  const w = await warehouse('VIEW');
  await w.change({
    'models/m.sql': `MODEL (name s.m, kind VIEW);
${stage('creating', 'pre creating')};
${stage('evaluating', 'pre evaluating')};
SELECT k FROM x.src;
${log("'post'")};
${stage('creating', 'post creating')};
${stage('evaluating', 'post evaluating')};
`,
  });
  await w.write('s.m');
  expect(await logged(w)).toEqual([
    'pre creating',
    'pre evaluating',
    'post creating',
    'post',
    'post evaluating',
  ]);
});

describe('through the whole product', () => {
  let served: ServedProduct;
  afterEach(() => served.close());

  test('each stage has its name: creating, evaluating, promoting, before_all, after_all', async () => {
    const say = (what: string): string => `INSERT INTO x.log VALUES (${what} || ' ' || @runtime_stage)`;
    served = await servedProduct({
      'config.yaml': `name: stages
before_all: ["CREATE SCHEMA IF NOT EXISTS x", "CREATE TABLE IF NOT EXISTS x.log (what TEXT)", "${say("'around'")}"]
after_all: ["${say("'around'")}"]
`,
      'models/m.sql': `MODEL (name s.m, kind FULL, start '2025-06-01');
SELECT 1 AS a;
${say("'write'")};
ON_VIRTUAL_UPDATE_BEGIN;
${say("'shown'")};
ON_VIRTUAL_UPDATE_END;
`,
    });
    const { rows } = await served.product.world.engine.query('SELECT what FROM x.log');
    expect(rows.map(([what]) => what)).toEqual([
      'around before_all',
      'write creating',
      'write evaluating',
      'shown promoting',
      'around after_all',
    ]);
  });
});
