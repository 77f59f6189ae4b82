/** A rollup's answer is the answer without it: random questions over random rows, on a real DuckDB. */
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { loadDefinition } from '../../../src/compiler/load/yaml/load-definition.ts';
import { compileQuery } from '../../../src/compiler/semantic/compile-query.ts';
import type { CompiledQuery } from '../../../src/compiler/semantic/compiled-query.ts';
import type { RollupTable } from '../../../src/compiler/semantic/rollups/choose-rollup.ts';
import { type RollupShape, rollupShapes } from '../../../src/compiler/semantic/rollups/rollup-shape.ts';
import { type SemanticIndex, semanticIndex } from '../../../src/compiler/semantic/semantic-index.ts';
import type { Model } from '../../../src/domain/model.ts';
import type { SemanticModel } from '../../../src/domain/semantic-model.ts';
import type { Caller, QueryFilter, SemanticQuery } from '../../../src/domain/semantic-query.ts';
import { type PlainDuckdb, plainDuckdb } from '../../support/plain-duckdb.ts';

const ORDERS = `
kind: semantic
name: orders
depends_on: m.orders
dimensions:
  - status
  - day
  - {name: at, granularities: [{name: fortnight, interval: 2 weeks, origin: 2024-01-01}]}
  - id
  - {name: size, expression: "CASE WHEN {amount} > 60 THEN 'big' ELSE 'small' END"}
measures:
  - {name: revenue, type: sum, expression: "{amount}"}
  - {name: pieces, type: sum, expression: "{pieces}"}
  - {name: least, type: min, expression: "{amount}"}
  - {name: most, type: max, expression: "{amount}"}
  - {name: mean, type: avg, expression: "{pieces}"}
  - {name: buyers, type: count_distinct, expression: "{customer_id}"}
  - {name: middle, type: median, expression: "{pieces}"}
  - {name: done, type: count, filters: ["{status} = 'done'"]}
  - {name: aov, type: number, expression: "{revenue} / {count}"}
  - {name: recent, type: sum, expression: "{amount}", rolling_window: {trailing: 7 days}}
segments:
  - {name: big, expression: "{amount} > 60"}
joins: [{name: customers, type: many_to_one, on: "{customer_id} = {customers.id}"}]
rollups:
  - {name: daily, measures: [revenue, pieces, least, most, mean, buyers, middle, count], dimensions: [status, customers.region], time_dimension: at, granularity: day}
  - {name: monthly, measures: [revenue, count], dimensions: [status], time_dimension: at, granularity: month}
  - {name: weekly, measures: [revenue, pieces, count, buyers], segments: [big], time_dimension: day, granularity: week}
  - {name: sizes, measures: [count, mean], dimensions: [size, status]}
  - {name: hourly, measures: [done], dimensions: [id, status, size], time_dimension: day, granularity: hour}
`;
const CUSTOMERS = 'kind: semantic\nname: customers\ndepends_on: m.customers\n';

let duckdb: PlainDuckdb;
let index: SemanticIndex;
let rollups: ReadonlyMap<string, RollupTable>;
const models: Model[] = [];

beforeAll(async () => {
  duckdb = await plainDuckdb('.');
  await duckdb.execute(
    "SET TimeZone = 'UTC'",
    'CREATE SCHEMA m',
    'CREATE SCHEMA rollups',
    `CREATE TABLE m.orders AS SELECT i AS id, nullif(i * 7 % 13, 5) AS customer_id, CASE WHEN i % 11 = 0 THEN NULL WHEN i % 3 = 0 THEN 'done' ELSE 'open' END AS status,
       CASE WHEN i % 17 = 0 THEN NULL ELSE CAST(i * 31 % 100 + 0.25 AS DECIMAL(10, 2)) END AS amount, CAST(i * 5 % 9 AS INTEGER) AS pieces,
       CASE WHEN i % 29 = 0 THEN NULL ELSE TIMESTAMP '2023-11-20 03:00:00' + INTERVAL (i * 611 % 5000) HOUR END AS at, DATE '2023-11-20' + CAST(i * 13 % 200 AS INTEGER) AS day
       FROM range(400) AS t(i)`,
    "CREATE TABLE m.customers AS SELECT i AS id, CASE WHEN i % 4 = 0 THEN NULL WHEN i % 2 = 0 THEN 'EU' ELSE 'US' END AS region FROM range(11) AS t(i)",
  );
  for (const name of ['m.orders', 'm.customers']) {
    const { columns } = await duckdb.query(`SELECT * FROM ${name} LIMIT 0`);
    models.push({ name, columns, hasAllColumns: true, grains: [], dialect: 'duckdb' } as unknown as Model);
  }
  const semanticModels = [ORDERS, CUSTOMERS].map((text, i): SemanticModel => {
    const read = loadDefinition({ path: `models/semantics/s${i}.yml`, text });
    if (read.semanticModel === undefined) throw new Error(JSON.stringify(read.diagnostics));
    return read.semanticModel;
  });
  index = semanticIndex({ semanticModels, metrics: [], models });
  const shown = new Map<string, RollupTable>();
  for (const [name, shape] of rollupShapes(index)) {
    if ('reason' in shape) throw new Error(shape.reason);
    await build(shape, '1:1');
    const [schema = '', table = ''] = shape.model.split('.');
    shown.set(name, { relation: { schema, name: table }, versionSql: `(SELECT version FROM m.ledger)` });
  }
  await duckdb.execute("CREATE TABLE m.ledger AS SELECT '1:1' AS version");
  rollups = shown;
});

async function build({ model, sql }: RollupShape, version: string): Promise<void> {
  await duckdb.execute(
    `CREATE OR REPLACE TABLE ${model} AS SELECT * REPLACE (plinth__source || ' ${version}' AS plinth__source) FROM (${sql})`,
  );
}

interface Asking {
  readonly rollups?: ReadonlyMap<string, RollupTable>;
  readonly index?: SemanticIndex;
  readonly caller?: Caller;
}

function compiled(query: SemanticQuery, asking: Asking = {}): CompiledQuery {
  const result = compileQuery(asking.index ?? index, query, {
    dialect: 'duckdb',
    caller: asking.caller ?? { groups: [], isUnrestricted: true },
    now: Date.UTC(2024, 5, 15),
    relationOf: (model) => {
      const [schema = '', name = ''] = model.split('.');
      return { schema, name };
    },
    ...(asking.rollups === undefined ? {} : { rollups: asking.rollups }),
  });
  if (!result.ok) throw new Error(result.diagnostics.map(({ message }) => message).join('\n'));
  return result.compiled;
}

const ask = (more: Partial<SemanticQuery>): SemanticQuery => ({ measures: [], dimensions: [], ...more });
const chosen = (more: Partial<SemanticQuery>): string | undefined => compiled(ask(more), { rollups }).rollup;

describe('which rollup answers', () => {
  test.each<[string | undefined, string, Partial<SemanticQuery>]>([
    ['orders.monthly', 'fewest keys', { measures: ['orders.revenue'], dimensions: ['orders.status'] }],
    [
      'orders.daily',
      'a dimension of a joined model',
      { measures: ['orders.revenue'], dimensions: ['customers.region'] },
    ],
    [
      'orders.monthly',
      'a longer unit',
      { measures: ['orders.count'], timeDimensions: [{ dimension: 'orders.at', granularity: 'quarter' }] },
    ],
    [
      'orders.daily',
      'weeks not from months',
      { measures: ['orders.count'], timeDimensions: [{ dimension: 'orders.at', granularity: 'week' }] },
    ],
    [
      'orders.daily',
      'buckets of the users from days',
      { measures: ['orders.count'], dimensions: ['orders.at.fortnight'] },
    ],
    [
      undefined,
      'no hours from days',
      { measures: ['orders.count'], timeDimensions: [{ dimension: 'orders.at', granularity: 'hour' }] },
    ],
    [
      undefined,
      'no months from weeks',
      { measures: ['orders.count'], timeDimensions: [{ dimension: 'orders.day', granularity: 'month' }] },
    ],
    [
      undefined,
      'a time zone',
      {
        measures: ['orders.count'],
        timezone: 'Asia/Tokyo',
        timeDimensions: [{ dimension: 'orders.at', granularity: 'day' }],
      },
    ],
    [
      'orders.weekly',
      'a DATE has no zone',
      {
        measures: ['orders.count'],
        timezone: 'Asia/Tokyo',
        timeDimensions: [{ dimension: 'orders.day', granularity: 'week' }],
      },
    ],
    ['orders.weekly', 'its segment', { measures: ['orders.count'], segments: ['orders.big'] }],
    [
      'orders.monthly',
      'a range that ends with a bucket',
      {
        measures: ['orders.count'],
        timeDimensions: [{ dimension: 'orders.at', dateRange: ['2024-01-01', '2024-02-29'] }],
      },
    ],
    [
      'orders.daily',
      'a range of days',
      {
        measures: ['orders.count'],
        timeDimensions: [{ dimension: 'orders.at', dateRange: ['2024-01-01', '2024-02-28'] }],
      },
    ],
    [
      undefined,
      'a range inside of a day',
      {
        measures: ['orders.count'],
        timeDimensions: [{ dimension: 'orders.at', dateRange: ['2024-01-01', '2024-02-28 11:00'] }],
      },
    ],
    [
      undefined,
      'a filter on another dimension',
      {
        measures: ['orders.count'],
        filters: [{ kind: 'member', member: 'orders.id', operator: 'gt', values: [4] }],
      },
    ],
    ['orders.sizes', 'a computed dimension', { measures: ['orders.mean'], dimensions: ['orders.size'] }],
    [
      undefined,
      'different values in other groups',
      { measures: ['orders.buyers'], dimensions: ['orders.status'] },
    ],
    [
      'orders.daily',
      'different values in its own groups',
      {
        measures: ['orders.buyers', 'orders.middle'],
        dimensions: ['customers.region', 'orders.status'],
        timeDimensions: [{ dimension: 'orders.at', granularity: 'day' }],
      },
    ],
    [
      'orders.weekly',
      'different values where a condition leaves one value of the other keys',
      {
        measures: ['orders.buyers'],
        segments: ['orders.big'],
        timeDimensions: [{ dimension: 'orders.day', granularity: 'week' }],
      },
    ],
    ['orders.monthly', 'a filter of the measure over its keys', { measures: ['orders.done'] }],
    ['orders.monthly', 'measures of measures', { measures: ['orders.aov'] }],
    [
      undefined,
      'windows',
      { measures: ['orders.recent'], timeDimensions: [{ dimension: 'orders.at', granularity: 'day' }] },
    ],
    [undefined, 'single rows', { measures: ['orders.revenue'], ungrouped: true }],
  ])('%s: %s', (name, _, query) => expect(chosen(query)).toBe(name));

  test('for a caller with policies only where they are over its keys; masks are looked through', async () => {
    const policed = (policy: object): SemanticIndex => {
      const semanticModels = [...index.models.values()].map(({ name, semantic }) =>
        name === 'orders'
          ? { ...semantic, policies: [{ group: located('eu'), filter: [], mask: [], ...policy }] }
          : semantic,
      );
      return semanticIndex({ semanticModels, metrics: [], models });
    };
    const filter = (member: string) => ({
      filter: [{ kind: 'member', member: located(member), operator: 'set', values: [] }],
    });
    const caller = { groups: ['eu'], isUnrestricted: false };
    const cases = [
      ['orders.monthly', {}, {}],
      ['orders.monthly', { mask: [located('status')] }, {}],
      ['orders.monthly', { mask: [located('status')] }, { dimensions: ['orders.status'] }],
      ['orders.monthly', filter('status'), {}],
      ['orders.daily', filter('customers.region'), { dimensions: ['orders.status'] }],
      [undefined, filter('id'), {}],
    ] as const;
    for (const [name, policy, more] of cases) {
      const query = ask({ measures: ['orders.count'], ...more });
      const asking = { caller, index: policed(policy) };
      const { rollup, sql } = compiled(query, { ...asking, rollups });
      expect(rollup, JSON.stringify(policy)).toBe(name);
      const { rows } = await duckdb.query(compiled(query, asking).sql);
      expect((await duckdb.query(sql)).rows).toEqual(rows);
    }
  });

  test('where a mask holds for some rows only, just of what it does not touch', async () => {
    const policy = (operator: 'set' | 'notSet', ...mask: readonly string[]) => ({
      group: located('eu'),
      filter: [{ kind: 'member' as const, member: located('status'), operator, values: [] }],
      mask: mask.map(located),
    });
    const semanticModels = [...index.models.values()].map(({ name, semantic }) =>
      name === 'orders'
        ? { ...semantic, policies: [policy('set', 'amount', 'status'), policy('notSet')] }
        : semantic,
    );
    const policed = semanticIndex({ semanticModels, metrics: [], models });
    const caller = { groups: ['eu'], isUnrestricted: false };
    const cases = [
      ['orders.monthly', { measures: ['orders.count'] }],
      [undefined, { measures: ['orders.revenue'] }],
      [undefined, { measures: ['orders.count'], dimensions: ['orders.status'] }],
      [undefined, { measures: ['orders.count', 'orders.aov'] }],
    ] as const;
    for (const [name, more] of cases) {
      const asking = { caller, index: policed };
      const { rollup, sql } = compiled(ask(more), { ...asking, rollups });
      expect(rollup, JSON.stringify(more)).toBe(name);
      const { rows } = await duckdb.query(compiled(ask(more), asking).sql);
      expect((await duckdb.query(sql)).rows).toEqual(rows);
    }
  });

  test('days of a DATE that is kept by the hour are DATEs', async () => {
    const query = ask({
      measures: ['orders.done'],
      dimensions: ['orders.id'],
      timeDimensions: [{ dimension: 'orders.day', granularity: 'day' }],
    });
    const { rollup, sql } = compiled(query, { rollups });
    expect(rollup).toBe('orders.hourly');
    expect((await duckdb.query(sql)).rows).toEqual((await duckdb.query(compiled(query).sql)).rows);
  });

  test('each fact by itself, what no rollup has from its rows', async () => {
    const query = ask({
      measures: ['orders.count', 'customers.count', 'orders.mean', 'orders.recent'],
      dimensions: ['customers.region'],
      timeDimensions: [{ dimension: 'orders.at', dateRange: ['2024-01-01', '2024-02-29'] }],
      unreachableFilters: 'ignore',
    });
    const { rollup, sql } = compiled(query, { rollups });
    expect(rollup).toBe('orders.daily');
    const { rows } = await duckdb.query(compiled(query).sql);
    expect((await duckdb.query(sql)).rows.map(rounded)).toEqual(rows.map(rounded));
    await duckdb.execute("UPDATE m.ledger SET version = '2:7'");
    expect((await duckdb.query(sql)).rows).toEqual([]);
    const whole = compiled({ ...query, dimensions: [] }, { rollups });
    expect(whole.rollup).toBe('orders.daily');
    expect((await duckdb.query(whole.sql)).rows).toEqual([]);
    await duckdb.execute("UPDATE m.ledger SET version = '1:1'");
    expect((await duckdb.query(whole.sql)).rows).toHaveLength(1);
  });
});

const located = (value: string) => ({ value, start: 0, end: 0 });

describe('never stale', () => {
  const query = ask({ measures: ['orders.count'], dimensions: ['orders.status'] });
  test('no row of another version is ever answered, nor one of another definition', async () => {
    const { sql } = compiled(query, { rollups });
    expect((await duckdb.query(sql)).rows).toHaveLength(3);
    await duckdb.execute("UPDATE m.ledger SET version = '2:7'");
    expect((await duckdb.query(sql)).rows).toEqual([]);
    const { sql: whole } = compiled(ask({ measures: ['orders.count'] }), { rollups });
    expect((await duckdb.query(whole)).rows).toEqual([]);
    await duckdb.execute("UPDATE m.ledger SET version = '1:1'");
    expect((await duckdb.query(whole)).rows).toEqual([['400']]);
    await duckdb.execute("UPDATE rollups.orders__monthly SET plinth__source = 'other 1:1'");
    expect((await duckdb.query(sql)).rows).toEqual([]);
    const shape = rollupShapes(index).get('orders.monthly') as RollupShape;
    await build(shape, '1:1');
    expect((await duckdb.query(sql)).rows).toHaveLength(3);
  });
  test('a table without rows answers nothing', async () => {
    const shape = rollupShapes(index).get('orders.monthly') as RollupShape;
    await duckdb.execute('DELETE FROM rollups.orders__monthly');
    const { sql } = compiled(ask({ measures: ['orders.count'], dimensions: [] }), { rollups });
    expect((await duckdb.query(sql)).rows).toHaveLength(0);
    await build(shape, '1:1');
  });
});

const ADDED = ['revenue', 'count', 'pieces', 'aov'];
const MEASURES = ['revenue', 'pieces', 'least', 'most', 'mean', 'buyers', 'middle', 'count', 'done', 'aov'];
const FILTERS: readonly QueryFilter[] = [
  { kind: 'member', member: 'orders.status', operator: 'equals', values: ['done', null] },
  { kind: 'member', member: 'orders.status', operator: 'notEquals', values: ['open'] },
  { kind: 'member', member: 'customers.region', operator: 'set', values: [] },
  { kind: 'member', member: 'orders.at', operator: 'afterDate', values: ['2024-01-31'] },
  { kind: 'member', member: 'orders.at', operator: 'notInDateRange', values: ['2024-01-01', '2024-02-29'] },
  { kind: 'member', member: 'orders.revenue', operator: 'gt', values: [500] },
  { kind: 'member', member: 'orders.size', operator: 'startsWith', values: ['B'] },
];
const questions = fc.record({
  measures: fc.uniqueArray(fc.constantFrom(...ADDED, ...ADDED, ...MEASURES), { maxLength: 3 }),
  dimensions: fc.uniqueArray(
    fc.constantFrom('orders.status', 'orders.status', 'customers.region', 'orders.size'),
    { maxLength: 2 },
  ),
  time: fc.option(
    fc.record({
      dimension: fc.constantFrom('orders.at', 'orders.at', 'orders.day'),
      granularity: fc.constantFrom('day', 'week', 'month', 'quarter', 'year'),
    }),
    { nil: undefined },
  ),
  filters: fc.uniqueArray(fc.constantFrom(...FILTERS), { maxLength: 2 }),
  segments: fc.constantFrom([], [], [], ['orders.big']),
  timezone: fc.constantFrom('UTC', 'UTC', 'UTC', 'Europe/Vienna'),
});

describe('a rollup answers what the rows answer', () => {
  test('for 200 random questions that one can answer', async () => {
    const names = new Map<string, number>();
    let used = 0;
    await fc.assert(
      fc.asyncProperty(questions, async ({ measures, time, ...rest }) => {
        fc.pre(measures.length > 0 || rest.dimensions.some((name) => name.startsWith('orders')));
        const query = ask({
          ...rest,
          measures: measures.map((name) => `orders.${name}`),
          ...(time === undefined ? {} : { timeDimensions: [time] }),
        });
        const { rollup, sql } = compiled(query, { rollups });
        fc.pre(rollup !== undefined);
        used++;
        names.set(rollup ?? '', (names.get(rollup ?? '') ?? 0) + 1);
        const [answer, expected] = [await duckdb.query(sql), await duckdb.query(compiled(query).sql)];
        // An answer without rows is asked for again; where there is nothing, both have none.
        expect(answer.columns).toEqual(expected.columns);
        expect(answer.rows.map(rounded)).toEqual(expected.rows.map(rounded));
      }),
      // By chance alone one rollup of the four would be missed in some runs.
      { numRuns: 200, maxSkipsPerRun: 200, seed: 5 },
    );
    expect(used).toBeGreaterThanOrEqual(200);
    expect([...names.keys()].filter((name) => name !== 'orders.hourly').sort()).toEqual([
      'orders.daily',
      'orders.monthly',
      'orders.sizes',
      'orders.weekly',
    ]);
  });
});

/** An average from sum and count may differ from the engine's own in the last of 16 digits. */
const rounded = (row: readonly unknown[]): readonly unknown[] =>
  row.map((value) => (typeof value === 'number' ? Number(value.toPrecision(13)) : value));
