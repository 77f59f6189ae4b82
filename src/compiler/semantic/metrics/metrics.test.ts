import { beforeAll, describe, expect, it } from 'vitest';
import { semanticProject, type World } from '../../../../tests/support/semantic-project.ts';

const VISITS = `
kind: semantic
name: visits
model: m.visits
dimensions: [seen_at, source, user_id]
measures:
  - {name: signups, type: count, filters: ["{kind} = 'signup'"]}
  - {name: users, type: count_distinct, expression: "{user_id}"}
joins:
  - {name: users, type: many_to_one, on: "{user_id} = {users.id}"}
`;
const ORDERS = `
kind: semantic
name: orders
model: m.orders
dimensions: [ordered_at, shipped_at, status, user_id]
measures:
  - {name: revenue, type: sum, expression: "{amount}"}
  - {name: paid, type: count, filters: ["{status} = 'paid'"]}
  - {name: revenue_before, type: number, expression: "{revenue}", time_shift: {by: 1 month}}
segments: [{name: big, expression: "{amount} > 15"}]
joins:
  - {name: users, type: many_to_one, on: "{user_id} = {users.id}"}
`;
const USERS = `
kind: semantic
name: users
model: m.users
dimensions: [id, country]
`;
const METRICS = [
  `
kind: metric
name: revenue
measure: orders.revenue
ts: orders.ordered_at
granularity: month
dimensions: [users.country, {name: state, ref: orders.status}]
`,
  `
kind: metric
name: shipped_revenue
measure: orders.revenue
ts: orders.shipped_at
granularity: month
filters: ["{orders.status} = 'paid'"]
dimensions: [users.country]
`,
  `
kind: metric
name: big_revenue
measure: orders.revenue
ts: orders.ordered_at
segments: [orders.big]
filters: [{member: users.country, operator: equals, values: [DE]}]
dimensions: [users.country]
`,
  `
kind: metric
name: per_visit
type: ratio
numerator: orders.revenue
denominator: visits.count
ts: orders.ordered_at
`,
  `
kind: metric
name: per_payer_visit
type: ratio
numerator: orders.revenue
denominator: visits.count
ts: orders.ordered_at
filters: ["{orders.status} = 'paid'"]
`,
  `
kind: metric
name: net
type: derived
expression: "{all} - {big} / {visits}"
inputs: [{name: all, ref: revenue}, {name: big, ref: big_revenue}, {name: visits, ref: visits.count}]
`,
  `
kind: metric
name: running
type: cumulative
measure: orders.revenue
ts: orders.ordered_at
granularity: month
dimensions: [users.country]
`,
  `
kind: metric
name: last_40_days
type: cumulative
measure: orders.revenue
window: 40 days
ts: orders.ordered_at
granularity: month
`,
  `
kind: metric
name: year_to_date
type: cumulative
measure: orders.revenue
to_date: year
ts: orders.ordered_at
granularity: month
`,
  `
kind: metric
name: buys
type: conversion
base: visits.signups
conversion: orders.paid
entity: users.id
window: 30 days
ts: visits.seen_at
granularity: month
dimensions: [visits.source, users.country]
`,
  `
kind: metric
name: buys_ever
type: conversion
base: visits.count
conversion: orders.count
entity: users.id
ts: visits.seen_at
granularity: month
`,
  `
kind: metric
name: orders_paid
measure: orders.paid
ts: orders.ordered_at
`,
  `
kind: metric
name: orders_all
measure: orders.count
ts: orders.ordered_at
`,
  `
kind: metric
name: orders_sent
measure: orders.count
ts: orders.shipped_at
`,
];

let world: World;
beforeAll(async () => {
  world = await semanticProject(
    {
      'm.visits': `SELECT * FROM (VALUES
        (TIMESTAMP '2024-01-05 10:00:00', 'ad', 1, 'signup'), (TIMESTAMP '2024-01-06 10:00:00', 'ad', 2, 'signup'),
        (TIMESTAMP '2024-01-07 10:00:00', 'ad', 3, 'view'), (TIMESTAMP '2024-01-31 10:00:00', 'mail', 3, 'signup'),
        (TIMESTAMP '2024-02-10 10:00:00', 'mail', NULL, 'signup'), (TIMESTAMP '2024-02-11 10:00:00', 'mail', 4, 'signup')
        ) AS v(seen_at, source, user_id, kind)`,
      'm.orders': `SELECT * FROM (VALUES
        (TIMESTAMP '2024-01-05 10:00:00', TIMESTAMP '2024-02-01 00:00:00', 'paid', 1, 10),
        (TIMESTAMP '2024-01-20 00:00:00', TIMESTAMP '2024-01-21 00:00:00', 'open', 2, 20),
        (TIMESTAMP '2024-03-01 10:00:00', NULL, 'paid', 3, 40),
        (TIMESTAMP '2024-03-02 00:00:00', TIMESTAMP '2024-03-03 00:00:00', 'paid', NULL, 80),
        (TIMESTAMP '2024-02-11 09:59:59', TIMESTAMP '2024-03-03 00:00:00', 'paid', 4, 160)
        ) AS v(ordered_at, shipped_at, status, user_id, amount)`,
      'm.users': "SELECT * FROM (VALUES (1, 'DE'), (2, 'DE'), (3, 'FR'), (4, 'FR')) AS v(id, country)",
    },
    [VISITS, ORDERS, USERS, ...METRICS],
  );
});

async function table(query: Parameters<World['rows']>[0]): Promise<readonly string[]> {
  return (await world.rows(query)).map((row) =>
    row.map((cell) => String(cell).replace(/[T ]00:00:00(\.000)?Z?$/, '')).join(' '),
  );
}

describe('a simple metric', () => {
  it('is a table with ts in its own granularity, unless another is asked for', async () => {
    expect(await table({ measures: ['revenue.measure'], dimensions: ['revenue.ts'] })).toEqual([
      '2024-01-01 30',
      '2024-02-01 160',
      '2024-03-01 120',
    ]);
    expect(
      await table({ measures: ['revenue.revenue'], dimensions: ['revenue.ts.quarter', 'revenue.state'] }),
    ).toEqual(['2024-01-01 open 20', '2024-01-01 paid 290']);
    expect(
      await table({
        measures: ['revenue'],
        timeDimensions: [
          { dimension: 'revenue.ts', granularity: 'day', dateRange: ['2024-02-01', '2024-02-29'] },
        ],
      }),
    ).toEqual(['2024-02-11 160']);
  });

  it('keeps its filters and segments to itself', async () => {
    expect(await table({ measures: ['revenue', 'big_revenue'], dimensions: ['revenue.country'] })).toEqual([
      'FR 200 null',
      'null 80 null',
      'DE 30 20',
    ]);
  });

  it('beside another one shares columns of the same name, and each has its own time', async () => {
    expect(await table({ measures: ['revenue', 'shipped_revenue'], dimensions: ['revenue.ts'] })).toEqual([
      '2024-01-01 30 null',
      '2024-02-01 160 10',
      '2024-03-01 120 240',
      'null null 40',
    ]);
    expect(
      await table({
        measures: ['revenue', 'shipped_revenue'],
        dimensions: ['revenue.country'],
        timeDimensions: [
          { dimension: 'revenue.ts', granularity: 'month', dateRange: ['2024-02-01', '2024-03-31'] },
        ],
      }),
    ).toEqual([
      'DE 2024-02-01 null 10',
      'FR 2024-02-01 160 null',
      'FR 2024-03-01 40 160',
      'null 2024-03-01 80 80',
    ]);
  });
});

it('metrics of one measure are told apart by what a range or filter means in each', async () => {
  expect(
    await table({
      measures: ['orders_all', 'orders_sent'],
      timeDimensions: [{ dimension: 'orders_all.ts', dateRange: ['2024-01-01', '2024-01-31'] }],
    }),
  ).toEqual(['2 1']);
  expect(
    await table({
      measures: ['orders_all', 'orders_sent'],
      filters: [{ kind: 'member', member: 'orders_all.ts', operator: 'beforeDate', values: ['2024-02-01'] }],
    }),
  ).toEqual(['2 1']);
});

describe('metrics of several measures', () => {
  it('divide, and are NULL for a zero denominator', async () => {
    expect(await table({ measures: ['per_visit'] })).toEqual(['51.666666666666664']);
    expect(
      await table({
        measures: ['per_visit'],
        filters: [{ kind: 'member', member: 'users.country', operator: 'equals', values: ['ES'] }],
      }),
    ).toEqual(['null']);
  });

  it('are filtered in each of their facts by its own way to the filter', async () => {
    // 290 paid, four visits of 1, 3 and 4.
    expect(await table({ measures: ['per_payer_visit'] })).toEqual(['72.5']);
  });

  it('are computed from other metrics under their filters', async () => {
    // 310 − 20 / 6
    expect(await table({ measures: ['net'] })).toEqual(['306.6666666666667']);
  });
});

describe('a cumulative metric', () => {
  it('runs up over its own time', async () => {
    expect(
      await table({
        measures: ['running', 'last_40_days', 'year_to_date', 'revenue'],
        dimensions: ['running.ts'],
      }),
    ).toEqual([
      '2024-01-01 30 30 30 30',
      // 40 days before 1 March begin on 21 January.
      '2024-02-01 190 160 190 160',
      '2024-03-01 310 120 310 120',
    ]);
  });

  it('by dimension goes on where nothing happens', async () => {
    expect(
      await table({
        measures: ['running'],
        dimensions: ['running.country'],
        timeDimensions: [
          { dimension: 'running.ts', granularity: 'month', dateRange: ['2024-02-01', '2024-03-31'] },
        ],
      }),
    ).toEqual([
      'DE 2024-02-01 30',
      'FR 2024-02-01 160',
      'DE 2024-03-01 30',
      'FR 2024-03-01 200',
      'null 2024-03-01 80',
    ]);
  });

  it('needs its time in the query, not any other', () => {
    expect(world.codes({ measures: ['running'] })).toEqual(['semantic.needs-time']);
    expect(world.codes({ measures: ['running'], dimensions: ['orders.shipped_at.month'] })).toEqual([
      'semantic.needs-time',
    ]);
  });
});

describe('a conversion metric', () => {
  it('is the share of base rows that a conversion of the same entity follows within the window', async () => {
    // Signups of January: 1 pays at the same moment, 2 never, 3 when the window has just ended; of February: nobody, and 4 a second before.
    expect(await table({ measures: ['buys'], dimensions: ['buys.ts'] })).toEqual([
      '2024-01-01 0.3333333333333333',
      '2024-02-01 0',
    ]);
  });

  it('is grouped and filtered by what the base reaches', async () => {
    expect(await table({ measures: ['buys'], dimensions: ['buys.source', 'buys.country'] })).toEqual([
      'ad DE 0.5',
      'mail FR 0',
      'mail null 0',
      'ad FR null',
    ]);
    expect(
      await table({
        measures: ['buys'],
        filters: [{ kind: 'member', member: 'users.country', operator: 'equals', values: ['DE'] }],
      }),
    ).toEqual(['0.5']);
  });

  it('without window takes any later time, and stands beside other metrics', async () => {
    // Visits 1, 2 and both of 3 are followed by an order; 4 ordered a second before, and nobody is no entity.
    expect(await table({ measures: ['buys_ever', 'buys', 'revenue'] })).toEqual([
      '0.6666666666666666 0.2 310',
    ]);
  });
});
