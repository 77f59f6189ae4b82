import { beforeAll, describe, expect, test } from 'vitest';
import { semanticProject, type World } from '../../../tests/support/semantic-project.ts';

/* Four orders, one of them of no customer; order 1 has two items, order 2 one, the others none. */
const TABLES = {
  'm.orders': `SELECT * FROM (VALUES
    (1, 10, 'done', 100.00::DECIMAL(10, 2), DATE '2024-01-05', 1, 2),
    (2, 10, 'open', 50.00, DATE '2024-01-20', 2, 2),
    (3, 11, 'done', 25.50, DATE '2024-02-01', 1, NULL),
    (4, NULL, NULL, NULL, DATE '2024-02-03', 3, 1)) AS t(id, customer_id, status, amount, order_date, ship_id, bill_id)`,
  'm.customers': `SELECT * FROM (VALUES (10, 'EU', 1), (11, 'US', 2), (12, 'EU', 9)) AS t(id, region, tier_id)`,
  'm.tiers': `SELECT * FROM (VALUES (1, 'gold'), (2, 'tin')) AS t(id, label)`,
  'm.items': `SELECT * FROM (VALUES (1, 'a', 2), (1, 'b', 1), (2, 'a', 5)) AS t(order_id, sku, quantity)`,
  'm.returns': `SELECT * FROM (VALUES (1, 10, 7), (2, 12, 3)) AS t(id, customer_id, value)`,
  'm.addresses': `SELECT * FROM (VALUES (1, 'Graz'), (2, 'Wien')) AS t(id, city)`,
};
const ORDERS = `
kind: semantic
name: orders
depends_on: m.orders
primary_key: [id]
dimensions:
  - id
  - status
  - order_date
  - {name: size, expression: "CASE WHEN {amount} > 60 THEN 'big' ELSE 'small' END"}
  - {name: place, expression: "{customers.region} || '/' || {tiers.label}"}
measures:
  - {name: revenue, type: sum, expression: "{amount}", format: currency}
  - {name: done, type: count, filters: ["{status} = 'done'"]}
  - {name: known, type: count, expression: "{status}"}
  - {name: aov, type: number, expression: "{revenue} / {count}"}
  - {name: spread, type: number, expression: "MAX({amount}) - MIN({amount})"}
  - {name: median_amount, type: median, expression: "{amount}"}
  - {name: per_return, type: number, expression: "{revenue} / {returns.count}"}
  - {name: wrong, type: sum, expression: "{items.quantity}"}
segments:
  - {name: early, expression: "{order_date} < DATE '2024-02-01'"}
joins:
  - {name: customers, type: many_to_one, on: "{orders.customer_id} = {customers.id}"}
  - {name: ship_to, model: addresses, type: many_to_one, on: "{ship_id} = {ship_to.id}"}
  - {name: bill_to, model: addresses, type: many_to_one, on: "{bill_id} = {bill_to.id}"}
`;
const OTHERS = [
  'kind: semantic\nname: customers\ndepends_on: m.customers\njoins: [{name: tiers, type: many_to_one, on: "{tier_id} = {tiers.id}"}]\n',
  'kind: semantic\nname: tiers\ndepends_on: m.tiers\n',
  'kind: semantic\nname: items\ndepends_on: m.items\nmeasures: [{name: quantity_sum, type: sum, expression: "{quantity}"}]\njoins: [{name: orders, type: many_to_one, on: "{order_id} = {orders.id}"}]\n',
  'kind: semantic\nname: returns\ndepends_on: m.returns\nmeasures: [{name: value_sum, type: sum, expression: "{value}"}]\njoins: [{name: customers, type: many_to_one, on: "{customer_id} = {customers.id}"}]\n',
  'kind: semantic\nname: addresses\ndepends_on: m.addresses\n',
];

let world: World;
beforeAll(async () => {
  world = await semanticProject(TABLES, [ORDERS, ...OTHERS]);
});

describe('one fact', () => {
  test('measures without dimensions are one row', async () => {
    expect(
      await world.rows({ measures: ['orders.revenue', 'orders.count', 'orders.done', 'orders.known'] }),
    ).toEqual([['175.50', '4', '2', '3']]);
  });
  test('groups by a dimension, NULL among them, and orders by the first measure with NULLs last', async () => {
    expect(await world.rows({ measures: ['orders.revenue'], dimensions: ['orders.status'] })).toEqual([
      ['done', '125.50'],
      ['open', '50.00'],
      [null, null],
    ]);
  });
  test('is one SELECT in readable SQL', () => {
    const { sql } = world.sql({
      measures: ['orders.revenue'],
      dimensions: ['customers.region'],
      filters: [{ kind: 'member', member: 'orders.status', operator: 'equals', values: ["o'dd"] }],
    });
    expect(sql).toBe(`SELECT
  customers.region AS "customers.region",
  SUM(orders.amount) AS "orders.revenue"
FROM m.orders AS orders
LEFT JOIN m.customers AS customers ON orders.customer_id = customers.id
WHERE orders.status = 'o''dd'
GROUP BY 1
ORDER BY "orders.revenue" DESC NULLS LAST, "customers.region" ASC NULLS LAST
LIMIT 10000`);
  });
});

describe('fan-out', () => {
  test('a fact row counts once for each group it is in', async () => {
    expect(
      await world.rows({ measures: ['orders.revenue', 'orders.count'], dimensions: ['items.sku'] }),
    ).toEqual([
      ['a', '150.00', '2'],
      ['b', '100.00', '1'],
      [null, '25.50', '2'],
    ]);
  });
  test('a filter on the many side passes a row once', async () => {
    const filters = [{ kind: 'member', member: 'items.quantity', operator: 'gte', values: [1] }] as const;
    expect(await world.rows({ measures: ['orders.revenue', 'orders.count'], filters })).toEqual([
      ['150.00', '2'],
    ]);
  });
  test('a measure over the many side is refused', () => {
    expect(world.codes({ measures: ['orders.wrong'] })).toEqual(['semantic.fan-out-in-measure']);
  });
});

describe('several facts', () => {
  test('are aggregated apart and stitched by their shared dimensions', async () => {
    expect(
      await world.rows({
        measures: ['orders.count', 'returns.count', 'returns.value_sum'],
        dimensions: ['customers.region'],
        order: [{ member: 'customers.region', direction: 'asc' }],
      }),
    ).toEqual([
      ['EU', '2', '2', '10'],
      ['US', '1', '0', null],
      [null, '1', '0', null],
    ]);
  });
  test('without dimensions are one row', async () => {
    expect(await world.rows({ measures: ['orders.per_return', 'items.quantity_sum'] })).toEqual([
      [87.75, '8'],
    ]);
  });
});

describe('derived measures', () => {
  test('are computed from components, NULL on a zero denominator', async () => {
    expect(await world.rows({ measures: ['orders.aov', 'orders.spread', 'orders.median_amount'] })).toEqual([
      [43.875, '74.50', 50],
    ]);
    expect(
      await world.rows({
        measures: ['orders.per_return'],
        dimensions: ['customers.region'],
        order: [{ member: 'customers.region', direction: 'desc' }],
      }),
    ).toEqual([
      ['US', null],
      ['EU', 75],
      [null, null],
    ]);
  });
});

describe('members', () => {
  test('may be computed, over several joins', async () => {
    expect(
      await world.rows({ measures: ['orders.count'], dimensions: ['orders.place', 'orders.size'] }),
    ).toEqual(
      [
        [null, 'small', '1'],
        ['EU/gold', 'big', '1'],
        ['EU/gold', 'small', '1'],
        ['US/tin', 'small', '1'],
      ].sort((a, b) => (a[0] === null ? 1 : b[0] === null ? -1 : 0)),
    );
  });
  test('a model in two roles is named by the role', async () => {
    expect(
      await world.rows({ measures: ['orders.count'], dimensions: ['ship_to.city', 'bill_to.city'] }),
    ).toEqual([
      ['Graz', 'Wien', '1'],
      ['Graz', null, '1'],
      ['Wien', 'Wien', '1'],
      [null, 'Graz', '1'],
    ]);
    expect(world.codes({ measures: ['orders.count'], dimensions: ['addresses.city'] })).toEqual([
      'semantic.ambiguous-path',
    ]);
  });
  test('dimensions alone are different tuples of the model that reaches the others', async () => {
    expect(await world.rows({ dimensions: ['customers.region', 'tiers.label'] })).toEqual([
      ['EU', 'gold'],
      ['EU', null],
      ['US', 'tin'],
    ]);
  });
  test('segments and filters on measures', async () => {
    expect(
      await world.rows({
        measures: ['orders.revenue'],
        dimensions: ['orders.status'],
        segments: ['orders.early'],
        filters: [{ kind: 'member', member: 'orders.revenue', operator: 'gt', values: ['60'] }],
      }),
    ).toEqual([['done', '100.00']]);
  });
});
