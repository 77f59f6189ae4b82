import { tmpdir } from 'node:os';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { profileSteps, type TableToProfile } from '../../src/compiler/quality/profile-steps.ts';
import type { AnswerColumn } from '../../src/domain/engine.ts';
import type { ColumnProfile, TableProfile } from '../../src/domain/table-profile.ts';
import { IS_LONG } from '../support/long-form.ts';
import { type PlainDuckdb, plainDuckdb } from '../support/plain-duckdb.ts';
import { type OracleValue, oracleColumn } from './profile-oracle.ts';

let database: PlainDuckdb;
beforeAll(async () => {
  database = await plainDuckdb(tmpdir());
  await database.execute("SET TimeZone = 'UTC'");
});

/** Runs the steps as the runtime does, and counts queries. */
async function profiled(
  options: Partial<TableToProfile> = {},
): Promise<{ readonly rows: number; readonly columns: readonly ColumnProfile[]; readonly queries: number }> {
  const described = await database.query('DESCRIBE t');
  const columns = described.rows.map(
    ([name, type]): AnswerColumn => ({ name: String(name), type: String(type) }),
  );
  const steps = profileSteps({
    relation: { schema: 'main', name: 't' },
    columns,
    dialect: 'duckdb',
    hasQuantileLists: true,
    ...options,
  });
  let queries = 0;
  for (;;) {
    const step = steps.next();
    if (step.done === true) return { ...step.value, queries };
    for (const query of step.value.queries) {
      queries++;
      step.value.answers.take(query, (await database.query(query.sql)).rows);
    }
  }
}

const tableOf = (profile: {
  readonly rows: number;
  readonly columns: readonly ColumnProfile[];
}): TableProfile => ({
  id: 'p1',
  environment: 'prod',
  model: 't',
  runId: 'r',
  at: 0,
  ms: 1,
  dataVersion: '1:1',
  rows: profile.rows,
  columns: profile.columns,
});

const column = (profile: { readonly columns: readonly ColumnProfile[] }, name = 'c'): ColumnProfile => {
  const found = profile.columns.find((each) => each.name === name);
  if (found === undefined) throw new Error(name);
  return found;
};

async function tableWith(type: string, values: readonly string[]): Promise<void> {
  await database.execute(`CREATE OR REPLACE TABLE t (c ${type})`);
  for (let i = 0; i < values.length; i += 500)
    await database.execute(
      `INSERT INTO t VALUES ${values
        .slice(i, i + 500)
        .map((value) => `(CAST(${value} AS ${type}))`)
        .join(', ')}`,
    );
}

const NUMBERS = [
  'TINYINT',
  'SMALLINT',
  'INTEGER',
  'BIGINT',
  'HUGEINT',
  'UTINYINT',
  'UBIGINT',
  'DECIMAL(18,2)',
  'DECIMAL(38,10)',
  'FLOAT',
  'DOUBLE',
];
const TYPES: Readonly<Record<string, readonly [string, string, string]>> = {
  ...Object.fromEntries(NUMBERS.map((type) => [type, ['1', '2', '3']])),
  VARCHAR: ["'a'", "'B'", "'9 ä'"],
  "ENUM('a', 'b', 'c')": ["'a'", "'b'", "'c'"],
  BOOLEAN: ['TRUE', 'FALSE', 'TRUE'],
  DATE: ["'2024-01-01'", "'2024-01-02'", "'0001-01-01'"],
  TIMESTAMP: ["'2024-01-01 10:00:00'", "'2024-01-02'", "'1900-01-01'"],
  TIMESTAMPTZ: ["'2024-01-01 10:00:00+00'", "'2024-01-02'", "'1900-01-01'"],
  TIME: ["'10:00:00'", "'11:00:00'", "'12:00:00'"],
  INTERVAL: ["'1 day'", "'2 days'", "'3 days'"],
  UUID: [
    "'00000000-0000-0000-0000-000000000001'",
    "'00000000-0000-0000-0000-000000000002'",
    "'00000000-0000-0000-0000-000000000003'",
  ],
  BLOB: ["'a'", "'b'", "'c'"],
  BIT: ["'1'", "'01'", "'11'"],
  JSON: ["'1'", "'[2]'", '\'{"a":3}\''],
  'INTEGER[]': ['[1]', '[2]', '[3]'],
  'STRUCT(a INTEGER)': ["{'a': 1}", "{'a': 2}", "{'a': 3}"],
  'MAP(VARCHAR, INTEGER)': ["MAP {'a': 1}", "MAP {'b': 1}", "MAP {'c': 1}"],
};

describe('a profile of each type', () => {
  test.each(Object.entries(TYPES))('%s', async (type, [a, b, c]) => {
    const isBoolean = type === 'BOOLEAN';
    const cases: readonly (readonly [readonly string[], Partial<ColumnProfile>])[] = [
      [[], { nulls: 0, distinct: 0, duplicates: 0 }],
      [['NULL', 'NULL', 'NULL'], { nulls: 3, distinct: 0, duplicates: 0 }],
      [[a, a, a, 'NULL'], { nulls: 1, distinct: 1 }],
      [isBoolean ? [a, b] : [a, b, c], { nulls: 0, distinct: isBoolean ? 2 : 3 }],
    ];
    for (const [values, expected] of cases) {
      await tableWith(type, values);
      const found = await profiled();
      expect(found.rows).toBe(values.length);
      expect(column(found)).toMatchObject(expected);
      const { family, duplicates, topValues, isApproximate } = column(found);
      expect(isApproximate).toBeUndefined();
      if (family === 'other' || values.every((value) => value === 'NULL')) continue;
      expect(duplicates).toBe(
        values.filter((each) => each !== 'NULL').length - (expected.distinct === 1 ? 0 : values.length),
      );
      expect(topValues?.[0]?.rows).toBe(expected.distinct === 1 ? 3 : 1);
    }
  });
});

/** A column of a type with values that are hard to count. */
const odd = fc.oneof(
  fc.record({
    type: fc.constantFrom('INTEGER', 'BIGINT', 'DOUBLE', 'DECIMAL(18,2)'),
    values: fc.array(fc.oneof(fc.constant(null), fc.integer({ min: -5, max: 30 })), { maxLength: 80 }),
  }),
  fc.record({
    type: fc.constant('DOUBLE'),
    values: fc.array(
      fc.oneof(
        fc.constant(null),
        fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY),
        fc.double({ min: -1e6, max: 1e6, noNaN: true }),
      ),
      { maxLength: 60 },
    ),
  }),
  fc.record({
    type: fc.constant('VARCHAR'),
    values: fc.array(
      fc.oneof(
        fc.constant(null),
        fc.constantFrom('', 'a', 'Ä9', '日本', "o'k", '👩‍🚀', 'x'.repeat(300)),
        fc.string({ maxLength: 12, unit: fc.constantFrom('a', 'B', '7', ' ', '-', 'ß', '٣') }),
      ),
      { maxLength: 60 },
    ),
  }),
);

const literal = (value: OracleValue): string => {
  if (value === null) return 'NULL';
  if (typeof value === 'number') return `'${String(value)}'`;
  return `'${String(value).replaceAll("'", "''")}'`;
};

describe('a profile', () => {
  test('says what the rows say', async () => {
    await fc.assert(
      fc.asyncProperty(odd, async ({ type, values }) => {
        const list = (values as readonly OracleValue[]).map((value) => (value === 0 ? 0 : value));
        await tableWith(type, list.map(literal));
        const found = column(await profiled());
        const { stddev, quartiles, avg, sum, lengths, ...exact } = oracleColumn(found, list);
        expect(found).toMatchObject(exact);
        const near = (a: number | undefined, b: number | undefined, what: string): void => {
          if (b === undefined) expect(a, what).toBeUndefined();
          else
            expect(Math.abs((a ?? Number.NaN) - b), `${what} ${a} ${b}`).toBeLessThanOrEqual(
              1e-7 * Math.max(1, Math.abs(b)),
            );
        };
        near(found.stddev, stddev, 'stddev');
        near(found.avg, avg, 'avg');
        near(found.sum, sum, 'sum');
        near(found.lengths?.avg, lengths?.avg, 'length');
        expect(found.lengths?.max).toBe(lengths?.max);
        expect(found.lengths?.min).toBe(lengths?.min);
        for (const i of [0, 1, 2]) near(found.quartiles?.[i], quartiles?.[i], `quartile ${i}`);
        histogramHolds(found, list);
        sharesHold(found);
      }),
      { numRuns: 120 },
    );
  });

  test('is the same with shapes of a sample, and with quantiles one by one', async () => {
    const names = Object.entries(TYPES).map(([type, values], i) => ({ name: `c${i}`, type, values }));
    const texts = fc.string({
      maxLength: 8,
      unit: fc.constantFrom(...`aZ5 ä٣日_-.$^\\[](){}|*+?/'"\n~`, 'ǅ', '𝐀', 'x'.repeat(40)),
    });
    const cell = fc.oneof({ weight: 1, arbitrary: fc.constant(null) }, { weight: 9, arbitrary: fc.nat(2) });
    const row = fc.record({ text: texts, cells: fc.tuple(...names.map(() => cell)) });
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 60, maxLength: 60 }), async (rows) => {
        const written = rows.map(({ text, cells }) => [
          literal(text),
          ...cells.map((place, i) => (place === null ? 'NULL' : (names[i]?.values[place] ?? 'NULL'))),
        ]);
        await database.execute(
          `CREATE OR REPLACE TABLE t (c VARCHAR, ${names.map(({ name, type }) => `${name} ${type}`).join(', ')})`,
          `INSERT INTO t VALUES ${written.map((cells) => `(${cells.join(', ')})`).join(', ')}`,
        );
        const before = await profiled();
        const earlier = { previous: tableOf(before) };
        const drifted = await profiled(earlier);
        for (const other of [{ sampleRows: 1 }, { sampleRows: 5, hasQuantileLists: false }]) {
          expect((await profiled(other)).columns).toEqual(before.columns);
          expect((await profiled({ ...other, ...earlier })).columns).toEqual(drifted.columns);
        }
      }),
      { numRuns: 2 },
    );
  }, 120_000);

  test('of texts with frequent shapes counts those of all texts', async () => {
    await database.execute(
      `CREATE OR REPLACE TABLE t AS SELECT CASE WHEN i % 4 = 0 THEN 'Ä-' || (i % 10) || chr(10) WHEN i % 4 = 1 THEN 'Z-' || (i % 10) || chr(10) ELSE 'Ab_' || (i % 7) END AS c FROM range(400) r(i)`,
    );
    for (const sampleRows of [2, 3, 30, 400])
      expect(column(await profiled({ sampleRows })).patterns).toEqual(
        [
          { pattern: 'Aa_9', rows: 200 },
          { pattern: 'A-9\n', rows: 200 },
        ].toSorted((a, b) => (a.pattern < b.pattern ? -1 : 1)),
      );
  });

  describe('has a histogram of times', () => {
    const day = (text: string): number => Date.parse(`${text}T00:00:00Z`) / 1000;
    const bins = async () =>
      column(await profiled()).histogram?.map(({ from, to, rows }) => [from, to, rows]);
    test('with whole days for dates, and as few as reach the last one', async () => {
      await tableWith('DATE', ["'2024-02-28'", "'2024-02-28'", "'2024-03-01'", 'NULL']);
      expect(await bins()).toEqual([
        [day('2024-02-28'), day('2024-02-29'), 2],
        [day('2024-02-29'), day('2024-03-01'), 0],
        [day('2024-03-01'), day('2024-03-02'), 1],
      ]);
      await tableWith('DATE', ["'1969-12-31'"]);
      expect(await bins()).toEqual([[day('1969-12-31'), day('1970-01-01'), 1]]);
      await database.execute(
        "CREATE OR REPLACE TABLE t AS SELECT DATE '2023-01-01' + CAST(i AS INTEGER) AS c FROM range(365) r(i)",
      );
      const year = (await bins()) ?? [];
      expect(year).toHaveLength(20);
      expect(year.map(([, , rows]) => rows)).toEqual([...Array(19).fill(19), 4]);
      expect([year[0]?.[0], year[1]?.[0]]).toEqual([day('2023-01-01'), day('2023-01-20')]);
    });
    test('of equal width for timestamps, in every zone the same', async () => {
      for (const type of ['TIMESTAMP', 'TIMESTAMPTZ', 'TIMESTAMP_NS']) {
        await tableWith(type, ["'2024-01-01 00:00:00'", "'2024-01-01 00:00:00.5'", "'2024-01-02 00:00:00'"]);
        const found = (await bins()) ?? [];
        expect(found, type).toHaveLength(20);
        expect(found[0], type).toEqual([day('2024-01-01'), day('2024-01-01') + 4320, 2]);
        expect(found.at(-1), type).toEqual([day('2024-01-02') - 4320, day('2024-01-02'), 1]);
      }
    });
    test('of those that have an end', async () => {
      await tableWith('TIMESTAMP', ["'infinity'", "'2024-01-01'"]);
      expect(column(await profiled())).toMatchObject({ nulls: 0, distinct: 2, max: 'infinity' });
      expect(await bins()).toEqual([[day('2024-01-01'), day('2024-01-01'), 1]]);
    });
  });

  test('keeps decimals and large whole numbers exact', async () => {
    await tableWith('DECIMAL(38,10)', ["'1234567890123456789012345678.0000000001'", "'-0.5'"]);
    expect(column(await profiled())).toMatchObject({
      min: '-0.5000000000',
      max: '1234567890123456789012345678.0000000001',
    });
    await tableWith('HUGEINT', [
      "'170141183460469231731687303715884105727'",
      "'170141183460469231731687303715884105727'",
    ]);
    expect(column(await profiled())).toMatchObject({
      max: '170141183460469231731687303715884105727',
      distinct: 1,
      sum: 2 ** 128,
    });
  });

  test('survives numbers at the end of the range', async () => {
    await tableWith('DOUBLE', ["'1.7e308'", "'-1.7e308'", "'1.7e308'"]);
    expect(column(await profiled())).toMatchObject({ distinct: 2, min: '-1.7e+308', max: '1.7e+308' });
  });

  const COLUMNS = IS_LONG ? 1000 : 200;
  test('of many columns takes few queries', async () => {
    await database.execute(
      `CREATE OR REPLACE TABLE t AS SELECT ${Array.from({ length: COLUMNS }, (_, i) => `(i + ${i}) % 7 AS "c ${i}"`).join(', ')} FROM range(50) r(i)`,
    );
    const found = await profiled();
    expect(found.columns).toHaveLength(COLUMNS);
    expect(column(found, `c ${COLUMNS - 1}`)).toMatchObject({ distinct: 7, nulls: 0 });
    expect(found.queries).toBeLessThan(0.3 * COLUMNS);
  }, 120_000);

  test('of more rows than it counts exactly says that it is approximate', async () => {
    await database.execute(
      "CREATE OR REPLACE TABLE t AS SELECT i AS id, i % 10 AS c, 'v' || (i % 3) AS v FROM range(20000) r(i)",
    );
    const found = await profiled({ exactRowsMax: 10_000 });
    expect(column(found)).toMatchObject({ isApproximate: true, distinct: 10 });
    expect(column(found, 'v')).toMatchObject({ distinct: 3, duplicates: 20_000 });
    expect(column(found, 'v').isApproximate).toBeUndefined();
    expect(Math.abs((column(found, 'id').distinct ?? 0) / 20_000 - 1)).toBeLessThan(0.1);
  });

  test('of columns with hostile names and values is right', async () => {
    const name = `x"; DROP TABLE t; --'<script>`;
    await database.execute(
      `CREATE OR REPLACE TABLE t ("${name.replaceAll('"', '""')}" VARCHAR)`,
      `INSERT INTO t VALUES ('''; DROP TABLE t; --'), ('''; DROP TABLE t; --'), ('b')`,
    );
    const first = await profiled();
    expect(column(first, name)).toMatchObject({
      distinct: 2,
      topValues: [
        { value: "'; DROP TABLE t; --", rows: 2 },
        { value: 'b', rows: 1 },
      ],
    });
    expect(column(await profiled({ previous: tableOf(first) }), name).drift?.previous).toMatchObject({
      psi: 0,
      isDrifted: false,
    });
  });
});

describe('drift', () => {
  const from = (sql: string) => database.execute(`CREATE OR REPLACE TABLE t AS ${sql}`);

  test('is not there between equal tables', async () => {
    await from(
      "SELECT i AS n, i / 7.0 AS x, 'v' || (i % 4) AS v, i % 2 = 0 AS b, DATE '2024-01-01' + CAST(i AS INTEGER) AS d FROM range(500) r(i)",
    );
    const before = tableOf(await profiled());
    const now = await profiled({ previous: before, baseline: before });
    for (const { name, drift } of now.columns) {
      expect(drift?.previous?.isDrifted, name).toBe(false);
      expect(drift?.previous?.psi ?? 0, name).toBe(0);
      expect(drift?.baseline).toEqual(drift?.previous);
    }
  });

  test('sees other numbers, more NULLs, new and vanished values', async () => {
    await from("SELECT i // 2 AS n, i AS x, 'v' || (i % 4) AS v FROM range(500) r(i)");
    const before = tableOf(await profiled());
    await from(
      "SELECT i // 2 * 2 AS n, CASE WHEN i % 50 > 0 THEN i END AS x, 'v' || (i % 4 + 1) AS v FROM range(500) r(i)",
    );
    const now = await profiled({ previous: before });
    expect(column(now, 'n').drift?.previous).toMatchObject({ isDrifted: true, profile: 'p1' });
    // Of the bins of the first profile, the upper half has moved into the last one.
    expect(column(now, 'n').drift?.previous?.psi).toBeCloseTo(0.6, 0);
    expect(column(now, 'x').drift?.previous).toMatchObject({ nullRate: 0.02, isDrifted: true });
    expect(column(now, 'v').drift?.previous).toMatchObject({
      newValues: ['v4'],
      vanishedValues: ['v0'],
      isDrifted: true,
    });
  });

  test('of a key or of a date that goes on is not called drift', async () => {
    await from(
      "SELECT 'id' || i AS id, i AS n, DATE '2024-01-01' + CAST(i AS INTEGER) AS d FROM range(500) r(i)",
    );
    const before = tableOf(await profiled());
    await from(
      "SELECT 'id' || (i + 400) AS id, i + 400 AS n, DATE '2024-01-01' + CAST(i AS INTEGER) AS d FROM range(700) r(i)",
    );
    const now = await profiled({ previous: before });
    expect(column(now, 'id').drift?.previous?.isDrifted).toBe(false);
    expect(column(now, 'n').drift?.previous?.isDrifted).toBe(false);
    expect(column(now, 'd').drift?.previous?.isDrifted).toBe(false);
  });

  test('of two NULLs among few rows is chance', async () => {
    await from('SELECT i AS n FROM range(40) r(i)');
    const before = tableOf(await profiled());
    await from('SELECT CASE WHEN i > 1 THEN i END AS n FROM range(40) r(i)');
    expect(column(await profiled({ previous: before }), 'n').drift?.previous).toMatchObject({
      nullRate: 0.05,
      isDrifted: false,
    });
  });
});

/** Each finite value is in the one bin whose edges it lies between. */
function histogramHolds({ family, histogram = [] }: ColumnProfile, values: readonly OracleValue[]): void {
  if (family !== 'number') return;
  const finite = values.filter(
    (value): value is number => typeof value === 'number' && Number.isFinite(value),
  );
  expect(histogram.reduce((sum, { rows }) => sum + rows, 0)).toBe(finite.length);
  histogram.forEach(({ from, to, rows }, i) => {
    const isLast = i === histogram.length - 1;
    expect(finite.filter((value) => value >= from && (value < to || (isLast && value <= to))).length).toBe(
      rows,
    );
    if (i > 0) expect(from).toBe(histogram[i - 1]?.to);
  });
}

function sharesHold({ shares, nulls }: ColumnProfile): void {
  if (shares === undefined || nulls === undefined) return;
  const sum = shares.reduce((total, { share }) => total + share, 0);
  expect(sum === 0 || Math.abs(sum - 1) < 1e-9, JSON.stringify(shares)).toBe(true);
}
