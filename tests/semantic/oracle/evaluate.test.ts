import { describe, expect, test } from 'vitest';
import type { QueryFilter, SemanticQuery } from '../../../src/domain/semantic-query.ts';
import { evaluateQuery } from './evaluate.ts';
import { compare, int, reference } from './form.ts';
import { rational } from './rational.ts';
import { type Row, showValue, type Value } from './value.ts';
import type { World, WorldModel } from './world.ts';

/*
 * Everything here is computed by hand.
 *   lines >── orders >── customers          orders o1 (c1) o2 (c1) o3 (no customer) o4 (orphan)
 *                                           lines  l1 l2 (o1), l3 (o2), l4 (no order); customers c1 c2 (without orders)
 */
const day = (text: string): Value => ({ kind: 'date', ms: Date.parse(text) });
const at = (text: string): Value => ({ kind: 'timestamp', ms: Date.parse(`${text}Z`) });
const n = (value: number): Value => rational(value);

function model(name: string, given: Partial<WorldModel> & { rows: readonly Row[] }): WorldModel {
  const types = given.columns ?? [];
  return {
    name,
    key: ['id'],
    measures: [],
    segments: [],
    joins: [],
    dimensions: types.map((column) => ({ ...column })),
    ...given,
    columns: types,
  };
}

const WORLD: World = {
  metrics: [],
  models: [
    model('customers', {
      columns: [
        { name: 'id', type: 'int' },
        { name: 'region', type: 'text' },
      ],
      rows: [
        { id: n(1), region: 'EU' },
        { id: n(2), region: 'US' },
      ],
    }),
    model('orders', {
      columns: [
        { name: 'id', type: 'int' },
        { name: 'customer', type: 'int' },
        { name: 'amount', type: 'decimal' },
        { name: 'day', type: 'date' },
        { name: 'at', type: 'timestamp' },
      ],
      rows: [
        {
          id: n(1),
          customer: n(1),
          amount: rational(1050, 100),
          day: day('2024-01-31'),
          at: at('2024-01-31T23:30:00'),
        },
        {
          id: n(2),
          customer: n(1),
          amount: rational(2000, 100),
          day: day('2024-02-01'),
          at: at('2024-02-01T10:00:00'),
        },
        {
          id: n(3),
          customer: null,
          amount: rational(-500, 100),
          day: day('2024-02-29'),
          at: at('2024-03-31T01:00:00'),
        },
        { id: n(4), customer: n(99), amount: null, day: null, at: null },
      ],
      measures: [
        { name: 'revenue', type: 'sum', expression: reference('amount'), filters: [] },
        {
          name: 'last_30',
          type: 'sum',
          expression: reference('amount'),
          filters: [],
          rolling: { kind: 'trailing', trailing: { count: 30, unit: 'day' }, offset: 'end' },
        },
        {
          name: 'ytd',
          type: 'sum',
          expression: reference('amount'),
          filters: [],
          rolling: { kind: 'to-date', unit: 'year' },
        },
        {
          name: 'before',
          type: 'number',
          expression: reference('count'),
          filters: [],
          shift: { by: { count: 1, unit: 'month' }, direction: 'prior' },
        },
        {
          name: 'days_ago',
          type: 'number',
          expression: reference('revenue'),
          filters: [],
          shift: { by: { count: 5, unit: 'day' }, direction: 'prior' },
        },
        {
          name: 'share',
          type: 'number',
          expression: {
            kind: 'divide',
            left: reference('count'),
            right: { kind: 'over', type: 'sum', of: reference('count') },
          },
          filters: [],
        },
        {
          name: 'level',
          type: 'sum',
          expression: reference('amount'),
          filters: [],
          stock: { time: 'day', treatment: 'last', per: [] },
        },
        {
          name: 'mean_level',
          type: 'sum',
          expression: reference('amount'),
          filters: [],
          stock: { time: 'day', treatment: 'avg', per: [] },
        },
        { name: 'average', type: 'avg', expression: reference('amount'), filters: [] },
        { name: 'middle', type: 'median', expression: reference('amount'), filters: [] },
        { name: 'big', type: 'count', filters: [compare('>', reference('amount'), int(15))] },
        {
          name: 'per_line',
          type: 'number',
          expression: { kind: 'divide', left: reference('revenue'), right: reference('count', 'lines') },
          filters: [],
        },
      ],
      joins: [{ name: 'customers', model: 'customers', type: 'many_to_one', on: [['customer', 'id']] }],
      segments: [{ name: 'paid', condition: compare('>', reference('amount'), int(0)) }],
    }),
    model('lines', {
      columns: [
        { name: 'id', type: 'int' },
        { name: 'order_id', type: 'int' },
        { name: 'item', type: 'text' },
      ],
      rows: [
        { id: n(1), order_id: n(1), item: 'pen' },
        { id: n(2), order_id: n(1), item: 'ink' },
        { id: n(3), order_id: n(2), item: 'pen' },
        { id: n(4), order_id: null, item: 'pen' },
      ],
      joins: [{ name: 'orders', model: 'orders', type: 'many_to_one', on: [['order_id', 'id']] }],
    }),
    model('alone', { columns: [{ name: 'id', type: 'int' }], rows: [] }),
  ],
};

function ask(query: Partial<SemanticQuery>): readonly string[] {
  const answer = evaluateQuery(WORLD, { measures: [], dimensions: [], ...query }, Date.UTC(2024, 2, 15));
  return answer.rows.map((row) => row.slice(0, answer.columns.length).map(showValue).join(' '));
}

const is = (member: string, ...values: (string | number | null)[]) =>
  ({ kind: 'member', member, operator: 'equals', values }) as const;

describe('the oracle by hand', () => {
  test('orphans and rows without a key stand under NULL, as one group', () => {
    expect(ask({ measures: ['orders.revenue', 'orders.count'], dimensions: ['customers.region'] })).toEqual([
      '"EU" 30.5 2',
      'NULL -5 2',
    ]);
  });

  test('a fanned-out row counts once in each group it is in', () => {
    expect(ask({ measures: ['orders.revenue'], dimensions: ['lines.item'] })).toEqual([
      '"pen" 30.5',
      '"ink" 10.5',
      'NULL -5',
    ]);
    expect(ask({ measures: ['orders.revenue'], filters: [is('lines.item', 'pen', 'ink')] })).toEqual([
      '30.5',
    ]);
  });

  test('one combination must pass the whole filter', () => {
    const both = [is('lines.item', 'pen'), is('lines.id', 2)];
    expect(ask({ measures: ['orders.count', 'orders.revenue'], filters: both })).toEqual(['0 NULL']);
    expect(ask({ measures: ['orders.count'], filters: [{ kind: 'or', filters: both }] })).toEqual(['2']);
  });

  test('facts are aggregated apart and a missing fact is 0 for counts, NULL for sums', () => {
    expect(
      ask({
        measures: ['orders.revenue', 'lines.count', 'customers.count'],
        dimensions: ['customers.region'],
      }),
    ).toEqual(['"EU" 30.5 3 1', 'NULL -5 1 0', '"US" NULL 0 1']);
  });

  test('derived measures are recomputed at the asked grain', () => {
    expect(ask({ measures: ['orders.per_line'] })).toEqual(['6.375']);
    expect(ask({ measures: ['orders.per_line'], dimensions: ['customers.region'] })).toEqual([
      '"EU" 61/6',
      'NULL -5',
    ]);
    expect(ask({ measures: ['orders.per_line'], filters: [is('orders.id', 3)] })).toEqual(['NULL']);
  });

  test('averages, medians and filtered counts leave NULLs and other rows out', () => {
    expect(ask({ measures: ['orders.average', 'orders.middle', 'orders.big', 'orders.count'] })).toEqual([
      '8.5 10.5 1 4',
    ]);
    expect(ask({ measures: ['orders.big'], dimensions: ['orders.id'] })).toEqual([
      '2 1',
      '1 0',
      '3 0',
      '4 0',
    ]);
  });

  test('months are local to the zone, DATEs never shift', () => {
    expect(
      ask({ measures: ['orders.count'], dimensions: ['orders.at.month'], timezone: 'Europe/Berlin' }),
    ).toEqual(['2024-02-01 00:00:00.000 2', '2024-03-01 00:00:00.000 1', 'NULL 1']);
    expect(
      ask({ measures: ['orders.count'], dimensions: ['orders.day.month'], timezone: 'Europe/Berlin' }),
    ).toEqual(['2024-01-01 1', '2024-02-01 2', 'NULL 1']);
  });

  test('a range includes its last day, and last month is the whole one before', () => {
    const time = (dateRange: string | [string, string]) => ({
      measures: ['orders.count'],
      timeDimensions: [{ dimension: 'orders.day', dateRange }],
    });
    expect(ask(time(['2024-01-31', '2024-02-01']))).toEqual(['2']);
    expect(ask(time('last month'))).toEqual(['2']);
  });

  test('equals with null accepts NULL, notEquals keeps it', () => {
    const amount = (operator: 'equals' | 'notEquals', ...values: (string | null)[]) =>
      ask({
        measures: ['orders.count'],
        filters: [{ kind: 'member', member: 'orders.amount', operator, values }],
      });
    expect(amount('equals', '20.00', null)).toEqual(['2']);
    expect(amount('notEquals', '20')).toEqual(['3']);
    expect(amount('notEquals', '20', null)).toEqual(['2']);
  });

  test('segments and filters on measures, with the limit left to the reader', () => {
    expect(ask({ measures: ['orders.count'], dimensions: ['orders.id'], segments: ['orders.paid'] })).toEqual(
      ['1 1', '2 1'],
    );
    const many = { kind: 'member', member: 'orders.count', operator: 'gt', values: [1] } as const;
    expect(ask({ measures: ['orders.revenue'], dimensions: ['orders.day.month'], filters: [many] })).toEqual([
      '2024-02-01 15',
    ]);
  });

  test('dimensions without measures are different tuples of the base', () => {
    expect(ask({ dimensions: ['lines.item', 'customers.region'] })).toEqual([
      '"ink" "EU"',
      '"pen" "EU"',
      '"pen" NULL',
    ]);
    expect(ask({ dimensions: ['customers.region'] })).toEqual(['"EU"', '"US"']);
  });

  test('ungrouped questions have a line per row', () => {
    expect(
      ask({ measures: ['orders.revenue', 'orders.big'], dimensions: ['customers.region'], ungrouped: true }),
    ).toEqual(['"EU" 20 1', '"EU" 10.5 0', 'NULL -5 0', 'NULL NULL 0']);
  });

  test.each([
    ['semantic.no-path', { measures: ['orders.count'], dimensions: ['alone.id'] }],
    ['semantic.no-base', { dimensions: ['customers.region', 'alone.id'] }],
    [
      'semantic.fan-out-ungrouped',
      { measures: ['orders.count'], dimensions: ['lines.item'], ungrouped: true },
    ],
    [
      'semantic.mixed-filter',
      {
        measures: ['orders.count'],
        filters: [{ kind: 'or', filters: [is('orders.count', 1), is('orders.id', 1)] }],
      },
    ],
  ] as const)('%s', (code, query) => {
    expect(() => ask(query as Partial<SemanticQuery>)).toThrow(code);
  });

  test('an unreachable filter can be ignored for the facts that do not reach it', () => {
    const filters = [is('alone.id', 1)];
    expect(() => ask({ measures: ['orders.count'], filters })).toThrow('semantic.unreachable-member');
    expect(ask({ measures: ['orders.count', 'alone.count'], filters, unreachableFilters: 'ignore' })).toEqual(
      ['4 0'],
    );
  });

  test('windows reach back over buckets, and a date range chooses buckets only', () => {
    const months = (dateRange?: [string, string]) => [
      { dimension: 'orders.day', granularity: 'month', ...(dateRange === undefined ? {} : { dateRange }) },
    ];
    expect(ask({ measures: ['orders.last_30', 'orders.ytd'], timeDimensions: months() })).toEqual([
      '2024-01-01 10.5 10.5',
      '2024-02-01 25.5 25.5',
    ]);
    expect(ask({ measures: ['orders.ytd'], timeDimensions: months(['2024-02-01', '2024-03-31']) })).toEqual([
      '2024-02-01 25.5',
      '2024-03-01 25.5',
    ]);
    expect(ask({ measures: ['orders.before'], timeDimensions: months() })).toEqual(['2024-02-01 1']);
    expect(() => ask({ measures: ['orders.ytd'] })).toThrow('semantic.needs-time');
  });

  test('every column of the time of a window shows the period, also where granularities cut each other', () => {
    const by = (granularity: string, dateRange?: [string, string]) => [
      { dimension: 'orders.day', granularity, ...(dateRange === undefined ? {} : { dateRange }) },
    ];
    const measures = ['orders.ytd'];
    expect(ask({ measures, dimensions: ['orders.day.quarter'], timeDimensions: by('month') })).toEqual([
      '2024-01-01 2024-01-01 10.5',
      '2024-01-01 2024-02-01 25.5',
    ]);
    const week = by('week', ['2024-01-29', '2024-02-04']);
    expect(ask({ measures, dimensions: ['orders.day.month'], timeDimensions: week })).toEqual([
      '2024-01-01 2024-01-29 10.5',
      '2024-02-01 2024-01-29 30.5',
    ]);
    expect(() => ask({ measures, dimensions: ['orders.day'], timeDimensions: week })).toThrow(
      'semantic.unclear-period',
    );
  });

  test('conditions on the time of a window choose periods, in whatever shape', () => {
    const on = (operator: string, value: string): QueryFilter =>
      ({ kind: 'member', member: 'orders.day', operator, values: [value] }) as QueryFilter;
    const months = (...filters: QueryFilter[]) =>
      ask({
        measures: ['orders.ytd'],
        timeDimensions: [{ dimension: 'orders.day', granularity: 'month' }],
        filters,
      });
    expect(
      months({ kind: 'or', filters: [on('onTheDate', '2024-02-05'), on('beforeDate', '2023-12-15')] }),
    ).toEqual(['2024-02-01 25.5']);
    expect(months(on('gt', '2024-01-31'))).toEqual(['2024-02-01 25.5']);
    expect(months(on('afterDate', '2024-02-20'), on('beforeDate', '2024-02-10'))).toEqual([]);
    // What stands beside a date is asked of rows: the only customer has two orders.
    const customer: QueryFilter = { kind: 'member', member: 'customers.id', operator: 'equals', values: [1] };
    expect(months({ kind: 'or', filters: [on('beforeDate', '2024-01-01'), customer] })).toEqual([
      '2024-01-01 10.5',
      '2024-02-01 30.5',
    ]);
  });

  test('a shift takes whole buckets, or moves the rows', () => {
    const by = (granularity: string) => [
      { dimension: 'orders.day', granularity, dateRange: ['2024-02-26', '2024-03-31'] as const },
    ];
    expect(ask({ measures: ['orders.before'], timeDimensions: by('week') })).toEqual([
      // 31 January and 1 February count on 29 February and 1 March.
      '2024-02-26 2',
      '2024-03-25 1',
    ]);
    expect(ask({ measures: ['orders.before'], timeDimensions: by('day') })).toEqual([
      '2024-03-01 1',
      '2024-03-29 1',
      '2024-03-30 1',
      '2024-03-31 1',
    ]);
    expect(ask({ measures: ['orders.days_ago'], timeDimensions: by('month') })).toEqual([
      '2024-02-01 30.5',
      '2024-03-01 -5',
    ]);
  });

  test('a window over groups sees all of them, whatever a filter leaves', () => {
    const filters: QueryFilter[] = [
      { kind: 'member', member: 'orders.count', operator: 'equals', values: [1] },
    ];
    expect(ask({ measures: ['orders.share'], dimensions: ['orders.id'], filters })).toEqual([
      '1 0.25',
      '2 0.25',
      '3 0.25',
      '4 0.25',
    ]);
    expect(
      ask({
        measures: ['orders.share'],
        dimensions: ['customers.region'],
        filters: [{ kind: 'member', member: 'orders.share', operator: 'lt', values: ['0.6'] }],
      }),
    ).toEqual(['"EU" 0.5', 'NULL 0.5']);
  });

  test('a stock takes the last day of the group, or the mean of its days', () => {
    expect(ask({ measures: ['orders.level', 'orders.mean_level'] })).toEqual(['-5 8.5']);
    expect(ask({ measures: ['orders.level'], dimensions: ['customers.region'] })).toEqual([
      '"EU" 20',
      'NULL -5',
    ]);
  });
});
