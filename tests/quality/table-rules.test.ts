import { beforeAll, describe, expect, test } from 'vitest';
import { NOW, PACKINGS, type QualityWorld, qualityWorld } from './quality-world.ts';

const DAY = 86_400_000;
let world: QualityWorld;

beforeAll(async () => {
  world = await qualityWorld();
  await world.execute(
    'CREATE TABLE marts.orders (order_id BIGINT, customer_id BIGINT, country VARCHAR, amount DOUBLE, region VARCHAR, place STRUCT(geo STRUCT(lat DOUBLE)))',
    `INSERT INTO marts.orders VALUES (1, 10, 'de', 10, 'north', {geo: {lat: 5}}), (2, 10, 'de', -5, 'north', NULL), (3, NULL, 'fr', 7, 'south', NULL),
      (4, 99, 'fr', NULL, 'south', NULL), (4, 11, NULL, 3, NULL, NULL)`,
    'CREATE TABLE marts.customers (customer_id BIGINT, country VARCHAR, code VARCHAR)',
    `INSERT INTO marts.customers VALUES (10, 'de', 'x'), (11, 'fr', 'y')`,
    'CREATE TABLE raw.orders AS SELECT order_id FROM marts.orders WHERE order_id < 4',
    'CREATE TABLE marts.nothing AS SELECT * FROM marts.orders WHERE FALSE',
  );
});

const past = (...values: readonly (number | null)[]) =>
  values.map((value, index) => ({
    at: NOW - (values.length - index) * DAY,
    value,
    outcome: 'pass' as const,
    dataVersion: String(index),
  }));

describe.each(PACKINGS)('packed by %s', (packing) => {
  test.each([
    ['values in (customer_id) must exist in marts.customers (customer_id)', 'fail', 1],
    ['values in (customer_id, country) must exist in marts.customers (customer_id, country)', 'fail', 1],
    ['values in (order_id) must not exist in marts.customers (customer_id)', 'pass', 0],
    ['values in (customer_id) must not exist in marts.customers (customer_id)', 'fail', 3],
    ['values in (customer_id) must exist in marts.customers (code)', 'error', undefined],
    ['values in (customer_id) must exist in marts.absent (customer_id)', 'not_evaluated', undefined],
    ['row_count same as raw.orders', 'fail', 5],
    ['row_count same as raw.orders: {filter: order_id < 4}', 'pass', 3],
    ['failed rows: {fail_condition: amount < 0}', 'fail', 1],
    ['failed rows: {fail_condition: amount < 0, severity: warning}', 'warn', 1],
    ['failed rows: {fail_query: SELECT * FROM marts.orders WHERE amount > 100}', 'pass', 0],
    ['failed rows: {fail_query: SELECT orders.* FROM marts.orders WHERE orders.amount > 5 -- ok}', 'fail', 2],
    ["row_count = 2: {filter: marts.orders.region = 'north' AND orders.order_id > 0}", 'pass', 2],
    ['row_count = 1: {filter: place.geo.lat > 1}', 'pass', 1],
    ['row_count = 1: {filter: amount > 9 -- large}', 'pass', 1],
    ['schema: {required_columns: [absent], warn: when > 0, fail: when > 1}', 'warn', 1],
    ['for each column (amount): {"percentile(0.5) < 6": {warn: when > 4}}', 'warn', 5],
    ['group by region: {row_count > 1}', 'fail', 1],
    ['group by region: {duplicate_count(order_id) = 0}', 'pass', 0],
    ['group by region: {row_count > 10, warn: when > 0}', 'fail', 3],
    ['group by region, country: {missing_count(amount) = 0}', 'fail', 1],
    ['group by region: {avg(amount) > 2}', 'pass', 0],
    ['schema: {required_columns: [order_id, absent], types: {amount: double}}', 'fail', 1],
    ['for each column (*_id): missing_count = 0', 'pass', 0],
  ])('%s', async (rule, outcome, value) => {
    const [found] = await world.run(`- ${rule}`, { packing });
    expect(found).toMatchObject({ outcome, ...(value === undefined ? {} : { value }) });
  });

  // The checks of these tests run on 2026-03-02 at noon, whatever the clock of the engine says.
  test.each([
    ["row_count = 5: {filter: CURRENT_DATE = DATE '2026-03-02'}", 'pass', 5],
    ["row_count = 0: {filter: now() > TIMESTAMPTZ '2026-03-02 12:00:00+00'}", 'pass', 0],
    ["failed rows: {fail_condition: today() <> '2026-03-02'}", 'pass', 0],
    [
      "failed rows: {fail_query: SELECT * FROM marts.orders WHERE CURRENT_TIMESTAMP <> '2026-03-02 12:00:00+00'}",
      'pass',
      0,
    ],
    ["row_count same as raw.orders: {filter: CURRENT_DATE > DATE '2026-03-02'}", 'pass', 0],
  ])('%s, at the moment of the check', async (rule, outcome, value) => {
    expect(await world.run(`- ${rule}`, { packing })).toMatchObject([{ outcome, value }]);
  });

  test.each([
    ['change for row_count > -30%', past(8), 'fail', 5, 8],
    ['change for row_count > -30%', past(7), 'pass', 5, 7],
    ['change for row_count between -1 and 1', past(1, 5), 'pass', 5, 5],
    ['change for row_count > 0 against last day', past(9, 4), 'pass', 5, 4],
    ['change for row_count > 0 against last week', past(1, 1, 1, 1, 1, 1, 1), 'pass', 5, 1],
    ['change for row_count > 0 against last week', past(1, 1), 'not_evaluated', 5, undefined],
    ['change for row_count = 1 against average last 2', past(100, 3, 5), 'pass', 5, 4],
    ['change for row_count = 1 against average last 4', past(100, 3, 5), 'not_evaluated', 5, undefined],
    ['change for row_count > 0%', past(0), 'not_evaluated', 5, 0],
    ['change for row_count > 0', past(), 'not_evaluated', 5, undefined],
    ['change for row_count > 0', past(3, null), 'pass', 5, 3],
  ])('%s after %o', async (rule, before, outcome, value, baseline) => {
    const history = new Map([[`pack/${rule}`, before]]);
    const [found] = await world.run(`- ${rule}`, { packing, history });
    expect(found).toMatchObject({ outcome, value });
    expect(found?.baseline).toBe(baseline);
  });
});

describe('what was measured of the present data, and several times of other data', () => {
  const at = (hoursAgo: number, value: number, dataVersion: string) => ({
    at: NOW - hoursAgo * (DAY / 24),
    value,
    outcome: 'pass' as const,
    dataVersion,
  });
  /** Each hour: first a, then b, then the present c, which has not changed for 30 hours. */
  const hourly = [
    ...[54, 53, 52].map((hours) => at(hours, 4, 'a')),
    ...[51, 50, 49, 48].map((hours) => at(hours, 2, 'b')),
    ...Array.from({ length: 30 }, (_, index) => at(30 - index, 5, 'c')),
  ];
  test.each([
    // Not with itself, however often it was measured.
    ['change for row_count >= 0', 'pass', 2],
    // A day ago it was the same: nothing has come since.
    ['change for row_count > 0 against last day', 'fail', 5],
    // Each state of the data counts once.
    ['change for row_count > 1 against average last 2', 'pass', 3],
    ['change for row_count > 1 against average last 3', 'not_evaluated', undefined],
  ])('%s', async (rule, outcome, baseline) => {
    const [found] = await world.run(`- ${rule}`, {
      history: new Map([[`pack/${rule}`, hourly]]),
      dataVersion: 'c',
    });
    expect(found).toMatchObject({ outcome, value: 5 });
    expect(found?.baseline).toBe(baseline);
  });

  test('an anomaly is decided about for the time when the rows were new', async () => {
    const rule = 'anomaly for row_count: {season: weekly, training: 7}';
    // The same weekday as now has 50 rows, the day before it 5.
    const days = Array.from({ length: 40 }, (_, index) => 41 - index).map((ago) =>
      at(24 * ago, (ago % 7 === 0 ? 50 : 5) + (ago % 3) / 10, `day ${ago}`),
    );
    const judged = async (present: readonly ReturnType<typeof at>[]) =>
      (
        await world.run(`- ${rule}`, {
          history: new Map([[`pack/anomaly for row_count`, [...days, ...present]]]),
          dataVersion: 'present',
        })
      )[0]?.outcome;
    expect(await judged([])).toBe('fail');
    expect(await judged([at(24, 5, 'present'), at(1, 5, 'present')])).toBe('pass');
  });
});

describe('conditions of an anomaly are about its score', () => {
  // The band is from 97.75 to 102.25: five values of 5 rows are 95 too few.
  test.each([
    ['', 'fail'],
    ['warn: when > 2', 'fail'],
    ['warn: when > 2, fail: when > 50', 'fail'],
    ['warn: when > 2, fail: when > 10000', 'warn'],
    ['fail: when > 10000', 'fail'],
    ['severity: warning', 'warn'],
    ['sensitivity: 1000', 'pass'],
    ['sensitivity: 1000, warn: when > 500', 'pass'],
    ['sensitivity: 1000, warn: when > 50', 'warn'],
  ])('{%s}', async (options, outcome) => {
    const history = past(...Array.from({ length: 20 }, (_, index) => 99 + (index % 3)));
    const [found] = await world.run(`- anomaly for row_count: {${options}}`, {
      history: new Map([['pack/anomaly for row_count', history]]),
    });
    expect(found).toMatchObject({ outcome, value: 5 });
  });

  test('a band without a width has none of them', async () => {
    const [found] = await world.run('- anomaly for row_count: {warn: when > 2, fail: when > 99}', {
      history: new Map([['pack/anomaly for row_count', past(...Array.from({ length: 20 }, () => 0))]]),
    });
    expect(found).toMatchObject({ outcome: 'fail', value: 5, learned: { low: 0, high: 0 } });
  });
});
