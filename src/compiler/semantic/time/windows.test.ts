import { beforeAll, describe, expect, it } from 'vitest';
import { semanticProject, type World } from '../../../../tests/support/semantic-project.ts';

const ORDERS = `
kind: semantic
name: orders
model: m.orders
dimensions: [day, status, {name: paid_at}, customer_id]
measures:
  - {name: revenue, type: sum, expression: "{amount}"}
  - {name: done, type: count, filters: ["{status} = 'done'"]}
  - {name: revenue_3d, type: sum, expression: "{amount}", rolling_window: {trailing: 3 days}}
  - {name: buyers_3d, type: count_distinct, expression: "{customer_id}", rolling_window: {trailing: 3 days}}
  - {name: done_3d, type: count, filters: ["{status} = 'done'"], rolling_window: {trailing: 3 days}}
  - {name: revenue_next, type: sum, expression: "{amount}", rolling_window: {leading: 2 days, offset: end}}
  - {name: revenue_before, type: sum, expression: "{amount}", rolling_window: {trailing: 1 month, offset: start}}
  - {name: revenue_all, type: sum, expression: "{amount}", rolling_window: {trailing: unbounded}}
  - {name: revenue_mtd, type: sum, expression: "{amount}", rolling_window: {to_date: month}}
  - {name: revenue_prev, type: number, expression: "{revenue}", time_shift: {by: 1 month}}
  - {name: revenue_year_on, type: number, expression: "{revenue}", time_shift: {by: 1 year, direction: next}}
  - {name: revenue_3d_prev, type: number, expression: "{revenue_3d}", time_shift: {by: 1 day}}
  - {name: growth, type: number, expression: "{revenue} / {revenue_prev}"}
joins:
  - {name: customers, type: many_to_one, on: "{customer_id} = {customers.id}"}
  - {name: lines, type: one_to_many, on: "{id} = {lines.order_id}"}
`;
const CUSTOMERS = `
kind: semantic
name: customers
model: m.customers
dimensions: [id, region]
`;
const LINES = `
kind: semantic
name: lines
model: m.lines
dimensions: [order_id, product]
measures: [{name: quantity, type: sum, expression: "{quantity}"}]
`;

let world: World;
beforeAll(async () => {
  world = await semanticProject(
    {
      'm.orders': `SELECT * FROM (VALUES
        (1, DATE '2024-01-30', 'done', 1, 10, TIMESTAMP '2024-01-30 23:30:00'),
        (2, DATE '2024-01-31', 'open', 1, 20, TIMESTAMP '2024-01-31 12:00:00'),
        (3, DATE '2024-02-02', 'done', 2, 40, TIMESTAMP '2024-02-02 00:30:00'),
        (4, DATE '2024-02-02', 'done', 2, 80, TIMESTAMP '2024-03-31 00:30:00'),
        (5, DATE '2024-02-29', 'open', 3, 160, TIMESTAMP '2024-03-31 01:30:00'),
        (6, DATE '2024-03-31', 'done', 1, 320, TIMESTAMP '2024-03-31 22:30:00'),
        (7, NULL, 'done', 1, 640, NULL)) AS v(id, day, status, customer_id, amount, paid_at)`,
      'm.customers': "SELECT * FROM (VALUES (1, 'EU'), (2, 'US')) AS v(id, region)",
      'm.lines':
        "SELECT * FROM (VALUES (1, 'a', 1), (1, 'b', 1), (2, 'a', 5), (3, 'a', 1), (3, 'a', 1)) AS v(order_id, product, quantity)",
    },
    [ORDERS, CUSTOMERS, LINES],
  );
});

const time = (
  granularity: string | undefined,
  dateRange?: readonly [string, string],
  dimension = 'orders.day',
) => [
  {
    dimension,
    ...(granularity === undefined ? {} : { granularity }),
    ...(dateRange === undefined ? {} : { dateRange }),
  },
];
/** Cells as text: a date without its time. */
async function table(query: Parameters<World['rows']>[0]): Promise<readonly string[]> {
  return (await world.rows(query)).map((row) =>
    row.map((cell) => String(cell).replace(/[T ]00:00:00(\.000)?Z?$/, '')).join(' '),
  );
}

describe('a rolling window', () => {
  it('covers days without rows, from the first row to the last', async () => {
    expect(
      (await table({ measures: ['orders.revenue_3d'], timeDimensions: time('day') })).slice(0, 8),
    ).toEqual([
      '2024-01-30 10',
      '2024-01-31 30',
      '2024-02-01 30',
      '2024-02-02 140',
      '2024-02-03 120',
      '2024-02-04 120',
      '2024-02-29 160',
      '2024-03-01 160',
    ]);
  });

  it('is limited in its output by a date range, not in its input', async () => {
    expect(
      await table({
        measures: ['orders.revenue_3d'],
        timeDimensions: time('day', ['2024-02-01', '2024-02-05']),
      }),
    ).toEqual(['2024-02-01 30', '2024-02-02 140', '2024-02-03 120', '2024-02-04 120']);
    expect(
      await table({
        measures: ['orders.revenue_3d'],
        timeDimensions: time('day'),
        filters: [
          { kind: 'member', member: 'orders.day', operator: 'afterOrOnDate', values: ['2024-02-29'] },
        ],
      }),
    ).toEqual(['2024-02-29 160', '2024-03-01 160', '2024-03-02 160', '2024-03-31 320']);
  });

  it('counts distinct values and filtered rows anew in each window', async () => {
    expect(
      await table({
        measures: ['orders.buyers_3d', 'orders.done_3d', 'orders.revenue'],
        timeDimensions: time('day', ['2024-01-31', '2024-02-02']),
      }),
    ).toEqual(['2024-01-31 1 1 20', '2024-02-01 1 1 null', '2024-02-02 2 2 120']);
  });

  it('looks ahead, and back from the start of a bucket', async () => {
    expect(
      await table({
        measures: ['orders.revenue_next', 'orders.revenue_before'],
        timeDimensions: time('month', ['2024-01-01', '2024-03-31']),
      }),
    ).toEqual([
      // Two days from the end of January: 1 and 2 February.
      '2024-01-01 120 null',
      '2024-02-01 null 30',
      '2024-03-01 null 280',
    ]);
  });

  it('without bounds runs up from the first row, and to date from the beginning of the period', async () => {
    expect(
      await table({
        measures: ['orders.revenue_all', 'orders.revenue_mtd'],
        timeDimensions: time('day', ['2024-01-31', '2024-02-02']),
      }),
    ).toEqual(['2024-01-31 30 30', '2024-02-01 30 null', '2024-02-02 150 120']);
  });

  it('is computed for each tuple of the other dimensions', async () => {
    expect(
      await table({
        measures: ['orders.revenue_3d'],
        dimensions: ['customers.region'],
        timeDimensions: time('day', ['2024-02-01', '2024-02-02']),
      }),
    ).toEqual(['EU 2024-02-01 30', 'EU 2024-02-02 20', 'US 2024-02-02 120']);
  });

  it('counts each row once per group when a dimension fans out', async () => {
    expect(
      await table({
        measures: ['orders.revenue_3d', 'lines.quantity'],
        dimensions: ['lines.product'],
        timeDimensions: time('day', ['2024-01-30', '2024-02-02']),
      }).catch((error: Error) => [error.message.split(':')[0]]),
    ).toEqual([
      'a 2024-01-30 10 1',
      'b 2024-01-30 10 1',
      'a 2024-01-31 30 5',
      'b 2024-01-31 10 null',
      'a 2024-02-01 30 null',
      'b 2024-02-01 10 null',
      'a 2024-02-02 60 2',
      'null 2024-02-02 80 null',
    ]);
  });

  it('takes the range as its bucket when the query has none, and is refused without both', async () => {
    expect(
      await table({
        measures: ['orders.revenue_3d', 'orders.revenue'],
        timeDimensions: time(undefined, ['2024-02-01', '2024-02-03']),
      }),
    ).toEqual(['120 120']);
    expect(
      await table({
        measures: ['orders.revenue_mtd'],
        timeDimensions: time(undefined, ['2024-02-10', '2024-02-29']),
      }),
    ).toEqual(['280']);
    expect(world.codes({ measures: ['orders.revenue_3d'] })).toEqual(['semantic.needs-time']);
    // Of a range that never ends no last three days are known, nor the month in which one begins that never began.
    const dated = (operator: 'beforeDate' | 'afterDate') => ({
      filters: [{ kind: 'member', member: 'orders.day', operator, values: ['2024-02-01'] }] as const,
    });
    expect(world.codes({ measures: ['orders.revenue_3d'], ...dated('afterDate') })).toEqual([
      'semantic.needs-time',
    ]);
    expect(world.codes({ measures: ['orders.revenue_mtd'], ...dated('beforeDate') })).toEqual([
      'semantic.needs-time',
    ]);
    expect(world.codes({ measures: ['orders.revenue_3d'], ...dated('beforeDate') })).toEqual([]);
  });

  it('is empty where no row is in the window', async () => {
    expect(
      await table({
        measures: ['orders.revenue_3d'],
        timeDimensions: time('day', ['2024-02-10', '2024-02-12']),
      }),
    ).toEqual([]);
    expect(
      await table({
        measures: ['orders.revenue_3d'],
        timeDimensions: time(undefined, ['2025-02-10', '2025-02-12']),
      }),
    ).toEqual(['null']);
  });

  it('moves on the wall clock of the zone', async () => {
    // In Berlin order 1 was paid on 31 January, and 31 March has the three orders of that night and none of the late evening.
    expect(
      await table({
        measures: ['orders.revenue_3d'],
        timeDimensions: time('day', ['2024-03-31', '2024-04-04'], 'orders.paid_at'),
        timezone: 'Europe/Berlin',
      }),
    ).toEqual(['2024-03-31 240', '2024-04-01 560', '2024-04-02 560', '2024-04-03 320']);
  });
});

describe('a window over sums', () => {
  it('is summed up per day first, and gives what the rows themselves give', async () => {
    const window = { measures: ['orders.revenue_3d'], dimensions: ['orders.status'] };
    expect(world.sql({ ...window, timeDimensions: time('month') }).sql).toContain('day_of_row');
    let lines = 0;
    for (const granularity of ['day', 'week', 'month', 'year'])
      for (const dimension of ['orders.day', 'orders.paid_at']) {
        const times = { timeDimensions: time(granularity, undefined, dimension), timezone: 'Europe/Berlin' };
        const sums = await table({ ...window, ...times });
        // Distinct values are no sums, so beside them all is computed from rows.
        const beside = { ...window, measures: ['orders.revenue_3d', 'orders.buyers_3d'], ...times };
        expect(world.sql(beside).sql).not.toContain('day_of_row');
        const rows = (await table(beside)).map((line) => line.replace(/ \d+$/, ''));
        expect(rows).toEqual(sums);
        lines += sums.length;
      }
    expect(lines).toBeGreaterThan(20);
  });
});

describe('odd ranges of windows', () => {
  const after = (day: string) => ({
    filters: [
      { kind: 'member' as const, member: 'orders.day', operator: 'afterOrOnDate' as const, values: [day] },
    ],
  });

  it('that exclude each other, or begin after the last row, have no buckets', async () => {
    for (const granularity of ['day', 'month', 'year']) {
      const range = time(granularity, ['2023-01-01', '2023-02-28']);
      expect(
        await table({ measures: ['orders.revenue_all'], timeDimensions: range, ...after('2024-03-01') }),
      ).toEqual([]);
      expect(
        await table({
          measures: ['orders.revenue_all', 'orders.revenue_prev'],
          timeDimensions: time(granularity),
          ...after('2025-01-01'),
        }),
      ).toEqual([]);
    }
  });

  it('may be as long as the calendar, but not have millions of buckets', async () => {
    const all = ['0001-01-01', '9999-12-31'] as const;
    expect(
      (await table({ measures: ['orders.revenue_all'], timeDimensions: time('year', all) })).length,
    ).toBe(9999 - 2024 + 1);
    expect(
      await table({ measures: ['orders.revenue_before'], timeDimensions: time(undefined, all) }),
    ).toEqual(['null']);
    expect(world.codes({ measures: ['orders.revenue_3d'], timeDimensions: time('day', all) })).toEqual([
      'semantic.too-many-buckets',
    ]);
  });
});

describe('a time shift', () => {
  it('takes the value of the bucket that the shifted beginning is in', async () => {
    expect(
      await table({
        measures: ['orders.revenue', 'orders.revenue_prev', 'orders.growth'],
        timeDimensions: time('month'),
      }),
    ).toEqual([
      '2024-01-01 30 null null',
      '2024-02-01 280 30 9.333333333333334',
      '2024-03-01 320 280 1.1428571428571428',
      'null 640 null null',
    ]);
  });

  it('shows a date range what lies before it', async () => {
    expect(
      await table({
        measures: ['orders.revenue_prev'],
        timeDimensions: time('month', ['2024-03-01', '2024-04-30']),
      }),
    ).toEqual(['2024-03-01 280', '2024-04-01 320']);
    expect(
      await table({
        measures: ['orders.revenue_prev'],
        timeDimensions: time(undefined, ['2024-03-01', '2024-03-31']),
      }),
    ).toEqual(['280']);
  });

  it('of days meets the end of shorter months more than once', async () => {
    expect(
      await table({
        measures: ['orders.revenue_prev'],
        timeDimensions: time('day', ['2024-03-28', '2024-04-30']),
      }),
    ).toEqual(['2024-03-29 160', '2024-03-30 160', '2024-03-31 160']);
  });

  it('over a leap day', async () => {
    expect(
      await table({
        measures: ['orders.revenue_year_on'],
        timeDimensions: time('day', ['2023-02-28', '2023-03-01']),
      }),
    ).toEqual([]);
    expect(
      await table({
        measures: ['orders.revenue_year_on'],
        timeDimensions: time('month', ['2023-02-01', '2023-02-28']),
      }),
    ).toEqual(['2023-02-01 280']);
  });

  it('of a rolling window moves the window', async () => {
    expect(
      await table({
        measures: ['orders.revenue_3d_prev'],
        timeDimensions: time('day', ['2024-02-01', '2024-02-03']),
      }),
    ).toEqual(['2024-02-01 30', '2024-02-02 30', '2024-02-03 140']);
  });
});
