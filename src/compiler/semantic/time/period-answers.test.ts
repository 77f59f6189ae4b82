/* The answers that a trial from outside found wrong, each by hand. */
import { beforeAll, describe, expect, it } from 'vitest';
import { semanticProject, type World } from '../../../../tests/support/semantic-project.ts';
import type { QueryFilter } from '../../../domain/semantic-query.ts';

const SALES = `
kind: semantic
name: sales
model: m.sales
dimensions:
  - {name: day, granularities: [{name: fiscal, interval: 1 year, offset: 1 month}, {name: fortnight, interval: 2 weeks, origin: 2024-01-01}]}
  - sold_at
  - shop
measures:
  - {name: revenue, type: sum, expression: "{amount}"}
  - {name: ytd, type: sum, expression: "{amount}", rolling_window: {to_date: year}}
  - {name: last_7, type: sum, expression: "{amount}", rolling_window: {trailing: 7 days}}
  - {name: all_time, type: sum, expression: "{amount}", rolling_window: {trailing: unbounded}}
  - {name: last_year, type: number, expression: "{revenue}", time_shift: {by: 1 year}}
  - {name: last_month, type: number, expression: "{revenue}", time_shift: {by: 1 month}}
  - {name: five_days_ago, type: number, expression: "{revenue}", time_shift: {by: 5 days}}
  - {name: ytd_five_days_ago, type: number, expression: "{ytd}", time_shift: {by: 5 days}}
  - {name: month_and_days_ago, type: number, expression: "{five_days_ago}", time_shift: {by: 1 month}}
  - {name: hours_ago, type: number, expression: "{revenue}", time_shift: {by: 3 hours}}
  - {name: closing, type: sum, expression: "{amount}", behavior: {type: stock, time_dimension: day, period_treatment: last}}
  - {name: closing_five_days_ago, type: number, expression: "{closing}", time_shift: {by: 5 days}}
  - {name: share, type: number, expression: "{revenue} / sum({revenue}) OVER ()"}
  - {name: place, type: number, expression: "rank() OVER (ORDER BY {revenue} DESC)"}
  - {name: of_best, type: number, expression: "{share} / max({share}) OVER ()"}
`;

let world: World;
beforeAll(async () => {
  world = await semanticProject(
    {
      'm.sales': `SELECT * FROM (VALUES
        (DATE '2023-02-10', TIMESTAMP '2023-02-10 12:00:00', 'a', 5),
        (DATE '2024-01-29', TIMESTAMP '2024-03-30 23:30:00', 'a', 20),
        (DATE '2024-02-10', TIMESTAMP '2024-03-31 00:30:00', 'b', 50),
        (DATE '2024-04-02', TIMESTAMP '2024-03-31 21:30:00', 'b', 80),
        (NULL, NULL, 'a', 100)) AS v(day, sold_at, shop, amount)`,
    },
    [SALES],
  );
});

type Asked = Parameters<World['rows']>[0];

/** Cells as text: a date without its time. */
async function table(query: Asked): Promise<readonly string[]> {
  return (await world.rows(query)).map((row) =>
    row.map((cell) => String(cell).replace(/[T ]00:00:00(\.000)?Z?$/, '')).join(' '),
  );
}

const by = (granularity: string, dateRange?: readonly [string, string], dimension = 'sales.day') => [
  { dimension, granularity, ...(dateRange === undefined ? {} : { dateRange }) },
];
const is = (member: string, operator: string, ...values: (string | number)[]): QueryFilter =>
  ({ kind: 'member', member, operator, values }) as QueryFilter;
const or = (...filters: readonly QueryFilter[]): QueryFilter => ({ kind: 'or', filters });
const and = (...filters: readonly QueryFilter[]): QueryFilter => ({ kind: 'and', filters });

describe('two granularities of one time', () => {
  const half = ['2024-01-01', '2024-04-30'] as const;

  it('show the period of the row, not that of the rows a window gathers', async () => {
    const asked = {
      measures: ['sales.ytd'],
      dimensions: ['sales.day.quarter'],
      timeDimensions: by('month', half),
    };
    const months = [
      '2024-01-01 2024-01-01 20',
      '2024-01-01 2024-02-01 70',
      '2024-01-01 2024-03-01 70',
      '2024-04-01 2024-04-01 150',
    ];
    expect(await table(asked)).toEqual(months);
    expect(
      await table({ ...asked, dimensions: ['sales.day.month'], timeDimensions: by('quarter', half) }),
    ).toEqual(months.map((line) => line.replace(/^(\S+) (\S+)/, '$2 $1')));
  });

  it('show last year under this one', async () => {
    expect(
      await table({
        measures: ['sales.revenue', 'sales.last_year'],
        dimensions: ['sales.day.quarter'],
        timeDimensions: by('month', ['2024-01-01', '2024-03-31']),
      }),
    ).toEqual(['2024-01-01 2024-01-01 20 null', '2024-01-01 2024-02-01 50 5']);
  });

  it('that cut each other make periods of what they have in common', async () => {
    const weeks = by('week', ['2024-01-29', '2024-02-11']);
    expect(
      await table({
        measures: ['sales.ytd', 'sales.last_7'],
        dimensions: ['sales.day.month'],
        timeDimensions: weeks,
      }),
    ).toEqual([
      '2024-01-01 2024-01-29 20 20',
      // From 1 to 4 February, in the week that begins on 29 January.
      '2024-02-01 2024-01-29 20 20',
      '2024-02-01 2024-02-05 70 50',
    ]);
    expect(
      await table({
        measures: ['sales.ytd'],
        dimensions: ['sales.day.fiscal', 'sales.day.fortnight'],
        timeDimensions: by('month', ['2024-01-29', '2024-02-11']),
      }),
    ).toEqual(['2023-02-01 2024-01-29 2024-01-01 20', '2024-02-01 2024-01-29 2024-02-01 70']);
  });

  it('are refused beside the time itself, which says no period', () => {
    const timeDimensions = by('month', half);
    expect(world.codes({ measures: ['sales.ytd'], dimensions: ['sales.day'], timeDimensions })).toEqual([
      'semantic.unclear-period',
    ]);
    expect(world.codes({ measures: ['sales.revenue'], dimensions: ['sales.day'], timeDimensions })).toEqual(
      [],
    );
    expect(
      world.codes({
        measures: ['sales.ytd'],
        timeDimensions,
        filters: [is('sales.day', 'contains', '2024')],
      }),
    ).toEqual(['semantic.unclear-period']);
  });
});

describe('conditions on the time of a window', () => {
  const months = { measures: ['sales.ytd'], timeDimensions: by('month') };

  it('choose what is shown, in whatever shape, and leave the window its rows', async () => {
    const late = ['2024-02-01 70', '2024-04-01 150'];
    const inMonths = (from: string, to: string): QueryFilter => is('sales.day', 'inDateRange', from, to);
    for (const filter of [
      or(inMonths('2024-02-01', '2024-02-29'), inMonths('2024-04-01', '2024-04-30')),
      or(is('sales.day', 'onTheDate', '2024-02-05'), is('sales.day', 'afterDate', '2024-03-31')),
      and(
        is('sales.day', 'gte', '2024-02-01'),
        is('sales.day', 'notInDateRange', '2024-03-01', '2024-03-31'),
      ),
      is('sales.day.month', 'in', '2024-02-01', '2024-04-01'),
      or(
        is('sales.day.month', 'equals', '2024-02-01'),
        and(is('sales.day', 'gt', '2024-04-01'), is('sales.day', 'set')),
      ),
    ])
      expect(await table({ ...months, filters: [filter] }), JSON.stringify(filter)).toEqual(late);
    expect(await table({ ...months, filters: [is('sales.day', 'equals', '2024-02-29')] })).toEqual([late[0]]);
  });

  it('are asked of the period where other members stand beside them', async () => {
    const filters = [or(is('sales.day', 'onTheDate', '2024-04-02'), is('sales.shop', 'equals', 'a'))];
    expect(
      await table({ ...months, timeDimensions: by('month', ['2024-01-01', '2024-04-30']), filters }),
    ).toEqual([
      '2024-01-01 20',
      '2024-02-01 20',
      '2024-03-01 20',
      // The period that is asked for sees all rows of its window.
      '2024-04-01 150',
    ]);
  });

  it('that exclude each other leave nothing, also inside one bucket', async () => {
    const none = [is('sales.day', 'afterDate', '2024-02-20'), is('sales.day', 'beforeDate', '2024-02-10')];
    expect(await table({ ...months, filters: none })).toEqual([]);
    expect(await table({ measures: ['sales.ytd', 'sales.last_month'], filters: none })).toEqual([
      'null null',
    ]);
  });

  it('on a bucket leave NULL out when it is among the values that are excluded', async () => {
    const filters = [
      { kind: 'member', member: 'sales.day.month', operator: 'notEquals', values: ['2024-02-05', null] },
    ] as const;
    expect(await table({ measures: ['sales.revenue'], timeDimensions: by('year'), filters })).toEqual([
      '2023-01-01 5',
      '2024-01-01 150',
    ]);
  });

  it('need one stretch where no granularity cuts the time', async () => {
    const two = or(is('sales.day', 'onTheDate', '2024-02-10'), is('sales.day', 'onTheDate', '2024-02-12'));
    expect(world.codes({ measures: ['sales.last_7'], filters: [two] })).toEqual(['semantic.unclear-period']);
    const touching = or(
      is('sales.day', 'onTheDate', '2024-02-10'),
      is('sales.day', 'onTheDate', '2024-02-11'),
    );
    expect(await table({ measures: ['sales.last_7'], filters: [touching] })).toEqual(['50']);
  });

  it('that cannot be read are told beside a window, too', () => {
    expect(world.codes({ ...months, filters: [is('sales.day', 'inDateRange', 'soon')] })).toEqual([
      'semantic.bad-date-range',
    ]);
    expect(
      world.codes({
        measures: ['sales.ytd'],
        timeDimensions: [{ dimension: 'sales.day', granularity: 'month', dateRange: 'soon' }],
      }),
    ).toEqual(['semantic.bad-date-range']);
  });
});

describe('a shift of part of a bucket', () => {
  const first = ['2024-01-01', '2024-04-30'] as const;

  it('moves the rows', async () => {
    expect(await table({ measures: ['sales.five_days_ago'], timeDimensions: by('month', first) })).toEqual([
      // 29 January counts on 3 February.
      '2024-02-01 70',
      '2024-04-01 80',
    ]);
    expect(await table({ measures: ['sales.last_month'], timeDimensions: by('week', first) })).toEqual([
      '2024-02-26 20',
      '2024-03-04 50',
      // 2 April counts on 2 May.
      '2024-04-29 80',
    ]);
    expect(await table({ measures: ['sales.last_month'], timeDimensions: by('fortnight', first) })).toEqual([
      '2024-02-26 70',
      '2024-04-22 80',
    ]);
    expect(await table({ measures: ['sales.last_month'], timeDimensions: by('quarter', first) })).toEqual([
      '2024-01-01 70',
      '2024-04-01 80',
    ]);
  });

  it('moves them over the ends of months and years, one shift after the other', async () => {
    expect(
      await table({
        measures: ['sales.month_and_days_ago'],
        timeDimensions: by('month', ['2024-01-01', '2024-05-31']),
      }),
    ).toEqual(['2024-03-01 70', '2024-05-01 80']);
    expect(
      await table({
        measures: ['sales.ytd_five_days_ago'],
        timeDimensions: by('month', ['2024-01-01', '2024-03-31']),
      }),
    ).toEqual(['2024-02-01 70', '2024-03-01 70']);
    expect(
      await table({ measures: ['sales.closing_five_days_ago'], timeDimensions: by('month', first) }),
    ).toEqual(['2024-02-01 50', '2024-04-01 80']);
  });

  it('keeps whole buckets whole: a day shows the same day of the month before', async () => {
    expect(
      await table({
        measures: ['sales.last_month'],
        timeDimensions: by('day', ['2024-02-28', '2024-03-01']),
      }),
    ).toEqual(['2024-02-29 20']);
  });

  it('moves on the wall clock of the zone, also over a change of it', async () => {
    // In Berlin the rows are at 00:30, 01:30 and 23:30 of 31 March, the day without the hour from 2 to 3.
    const asked = { measures: ['sales.hours_ago'], timezone: 'Europe/Berlin' };
    expect(
      await table({ ...asked, timeDimensions: by('day', ['2024-03-30', '2024-04-01'], 'sales.sold_at') }),
    ).toEqual(['2024-03-31 70', '2024-04-01 80']);
    expect(
      await table({ ...asked, timeDimensions: by('hour', ['2024-03-31', '2024-03-31'], 'sales.sold_at') }),
    ).toEqual(['2024-03-31 03:00:00 20', '2024-03-31 04:00:00 50']);
  });
});

describe('windows over groups', () => {
  const shops = { measures: ['sales.share', 'sales.place'], dimensions: ['sales.shop'] };

  it('see all groups, whatever filters on measures, order, limit and offset leave', async () => {
    const all = ['b 0.5098039215686274 1', 'a 0.49019607843137253 2'];
    expect(await table(shops)).toEqual(all);
    for (const filter of [
      is('sales.revenue', 'lt', 130),
      is('sales.share', 'lt', 0.5),
      is('sales.place', 'equals', 2),
    ])
      expect(await table({ ...shops, filters: [filter] })).toEqual([all[1]]);
    expect(await table({ ...shops, filters: [is('sales.revenue', 'gt', 0)], limit: 1 })).toEqual([all[0]]);
    expect(await table({ ...shops, filters: [is('sales.revenue', 'gt', 0)], offset: 1 })).toEqual([all[1]]);
    expect(
      await table({
        ...shops,
        filters: [is('sales.revenue', 'gt', 0)],
        order: [{ member: 'sales.place', direction: 'desc' }],
        limit: 1,
      }),
    ).toEqual([all[1]]);
  });

  it('over other windows are computed after them', async () => {
    const best = { measures: ['sales.of_best'], dimensions: ['sales.shop'] };
    expect(await table(best)).toEqual(['b 1', 'a 0.9615384615384616']);
    expect(await table({ ...best, filters: [is('sales.of_best', 'lt', 1)] })).toEqual([
      'a 0.9615384615384616',
    ]);
  });

  it('are counted by the total after filters', async () => {
    const { totalSql } = world.sql({ ...shops, filters: [is('sales.share', 'lt', 0.5)], total: true });
    expect(totalSql).toContain('windowed');
  });
});
