import { beforeAll, describe, expect, test } from 'vitest';
import { PACKINGS, type QualityWorld, qualityWorld } from './quality-world.ts';

let world: QualityWorld;

beforeAll(async () => {
  world = await qualityWorld();
  await world.execute(
    `CREATE TABLE marts.orders (order_id BIGINT, customer_id BIGINT, email VARCHAR, amount DECIMAL(10,2), score DOUBLE, region VARCHAR, is_paid BOOLEAN, updated_at TIMESTAMP, payload BLOB)`,
    `INSERT INTO marts.orders VALUES
      (1, 10, 'a@example.com', 10, 1.5, 'north', TRUE, '2026-03-02 10:00:00', NULL),
      (2, 10, 'not an address', 20, 2.5, 'north', FALSE, '2026-03-01 12:00:00', NULL),
      (2, NULL, NULL, NULL, NULL, 'südlich', NULL, NULL, NULL),
      (4, 12, 'b@example.com', 30, 3.5, '', TRUE, '2026-02-01 00:00:00', NULL)`,
    'CREATE TABLE marts.nothing AS SELECT * FROM marts.orders WHERE FALSE',
  );
});

describe.each(PACKINGS)('packed by %s', (packing) => {
  test.each([
    ['row_count = 4', 'pass', 4],
    ['missing_count(customer_id) = 0', 'fail', 1],
    ['missing_percent(customer_id) between 20 and 30', 'pass', 25],
    ["missing_count(region) = 1: {missing_values: ['']}", 'pass', 1],
    ['invalid_count(email) = 1: {valid_format: email}', 'pass', 1],
    ['valid_percent(email) = 50: {valid_format: email}', 'pass', 50],
    ['duplicate_count(order_id) = 0', 'fail', 1],
    ['duplicate_count(order_id, customer_id) = 0', 'pass', 0],
    ['distinct_count(customer_id) = 2', 'pass', 2],
    ['unique_count(customer_id) = 1', 'pass', 1],
    ['avg(amount) between 15 and 25', 'pass', 20],
    ['avg(is_paid) > 0.6', 'pass', 2 / 3],
    ['percentile(score, 0.5) = 2.5', 'pass', 2.5],
    ['max_length(region) = 7', 'pass', 7],
    ['freshness(updated_at) < 3h', 'pass', 7200],
    ['freshness(updated_at) < 1h', 'fail', 7200],
    ['sum(region) > 1', 'error', undefined],
    ['avg(absent) > 1', 'error', undefined],
    ['invalid_count(payload) = 0: {valid_regex: x}', 'error', undefined],
  ])('%s', async (rule, outcome, value) => {
    const [found] = await world.run(`- ${rule}`, { packing });
    expect(found).toMatchObject({ outcome, ...(value === undefined ? {} : { value }) });
  });

  test('a measurement that the engine refuses spoils no other', async () => {
    const found = await world.run(
      "- row_count = 4\n- invalid_count(email) = 0: {valid_regex: '(?=a)'}\n- missing_count(email) = 1",
      { packing },
    );
    expect(found.map(({ outcome }) => outcome)).toEqual(['pass', 'error', 'pass']);
  });
});
