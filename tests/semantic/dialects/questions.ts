import type { Caller, QueryFilter, SemanticQuery } from '../../../src/domain/semantic-query.ts';
import type { Dialect } from '../../../src/foundation/sql/dialect.ts';

/** A question with the name of what it shows. */
export interface Question {
  readonly name: string;
  readonly query: Partial<SemanticQuery>;
  readonly caller?: Caller;
  /** Dialects that have no exact way to say it. */
  readonly refusedBy?: readonly Dialect[];
}

const is = (
  member: string,
  operator: Extract<QueryFilter, { kind: 'member' }>['operator'],
  ...values: (string | number | boolean | null)[]
): QueryFilter => ({ kind: 'member', member, operator, values });
const count = (...filters: readonly QueryFilter[]): Partial<SemanticQuery> => ({
  measures: ['orders.count'],
  filters,
});
const by = (dimension: string, granularity: string, dateRange?: readonly [string, string]) => [
  { dimension, granularity, ...(dateRange === undefined ? {} : { dateRange }) },
];
const EU: Caller = { groups: ['eu'], isUnrestricted: false };

export const QUESTIONS: readonly Question[] = [
  { name: 'measures alone', query: { measures: ['orders.revenue', 'orders.count', 'orders.buyers'] } },
  {
    name: 'a dimension over a join',
    query: {
      measures: ['orders.revenue', 'orders.average', 'orders.biggest'],
      dimensions: ['customers.region'],
    },
  },
  {
    name: 'a computed dimension and a filtered measure',
    query: { measures: ['orders.done'], dimensions: ['orders.size_class'] },
  },
  {
    name: 'fan-out: a dimension on the many side',
    query: { measures: ['orders.revenue', 'orders.done', 'orders.count'], dimensions: ['products.category'] },
  },
  {
    name: 'fan-out: a filter on the many side',
    query: {
      measures: ['orders.revenue'],
      filters: [is('items.quantity', 'gte', 1), is('products.category', 'equals', 'tea')],
    },
  },
  {
    name: 'two facts',
    query: {
      measures: ['orders.revenue', 'orders.count', 'returns.value', 'returns.count'],
      dimensions: ['customers.region'],
    },
  },
  {
    name: 'two facts without dimensions',
    query: { measures: ['orders.revenue', 'returns.value', 'items.pieces'] },
  },
  {
    name: 'a derived measure',
    query: { measures: ['orders.done_share'], dimensions: ['orders.is_gift'] },
  },
  {
    name: 'a median',
    query: { measures: ['orders.median_amount'], dimensions: ['orders.is_gift'] },
    refusedBy: ['mysql', 'trino', 'bigquery'],
  },
  {
    name: 'months of dates',
    query: {
      measures: ['orders.revenue'],
      timeDimensions: by('orders.day', 'month', ['2024-01-01', '2024-03-31']),
    },
  },
  {
    name: 'days of times in a zone',
    query: {
      measures: ['orders.count'],
      timeDimensions: by('orders.paid_at', 'day', ['2024-01-31', '2024-03-31']),
      timezone: 'Europe/Berlin',
    },
  },
  {
    name: 'weeks and quarters',
    query: { measures: ['orders.count'], dimensions: ['orders.day.week', 'orders.paid_at.quarter'] },
  },
  {
    name: 'granularities of their own',
    query: { measures: ['orders.count'], dimensions: ['orders.day.fiscal_year', 'orders.day.fortnight'] },
  },
  {
    name: 'filters on text',
    query: {
      measures: ['orders.count'],
      filters: [
        is('customers.name', 'notContains', '100%', 'x_y'),
        is('customers.name', 'notStartsWith', 'Z'),
        is('customers.name', 'notEndsWith', 'q'),
        {
          kind: 'or',
          filters: [
            is('customers.name', 'contains', 'D'),
            is('customers.name', 'startsWith', 'b', "o'"),
            is('customers.name', 'endsWith', 'A', '\\'),
            is('customers.name', 'notSet'),
          ],
        },
      ],
    },
  },
  {
    name: 'filters on values',
    query: count(
      is('orders.status', 'notEquals', 'lost'),
      is('customers.region', 'in', 'EU', 'US', null),
      is('orders.status', 'notIn', 'a', null),
      is('orders.is_gift', 'notEquals', true),
      is('orders.order_id', 'set'),
    ),
  },
  {
    name: 'filters on numbers',
    query: count(
      is('orders.amount', 'gt', '7.75'),
      is('orders.amount', 'gte', 12),
      is('orders.amount', 'lt', 100),
      is('orders.amount', 'lte', '80.00'),
    ),
  },
  {
    name: 'filters on dates',
    query: {
      ...count(
        is('orders.day', 'inDateRange', '2024-01-01', '2024-12-31'),
        is('orders.day', 'notInDateRange', '2024-02-01', '2024-02-02'),
        is('orders.paid_at', 'afterDate', '2024-01-01'),
        is('orders.paid_at', 'beforeOrOnDate', '2024-04-01'),
        is('orders.day', 'afterOrOnDate', '2024-01-30'),
        is('orders.day', 'beforeDate', '2024-05-01'),
        {
          kind: 'or',
          filters: [is('orders.paid_at', 'onTheDate', '2024-03-31'), is('orders.status', 'equals', 'open')],
        },
      ),
      timezone: 'America/New_York',
    },
  },
  {
    name: "a measure's filters",
    query: { measures: ['orders.revenue'], filters: [is('orders.done', 'measureFilter')] },
  },
  {
    name: 'a segment',
    query: { measures: ['orders.count'], dimensions: ['orders.status'], segments: ['orders.weekend'] },
  },
  {
    name: 'a filter on a measure, order, limit, offset',
    query: {
      measures: ['orders.revenue'],
      dimensions: ['orders.status', 'customers.name'],
      filters: [is('orders.count', 'gte', 1)],
      order: [
        { member: 'orders.buyers', direction: 'desc' },
        { member: 'customers.name', direction: 'desc' },
      ],
      limit: 3,
      offset: 1,
    },
  },
  {
    name: 'rolling',
    query: {
      measures: ['orders.revenue_3d', 'orders.revenue'],
      timeDimensions: by('orders.day', 'day', ['2024-01-30', '2024-02-04']),
    },
  },
  {
    name: 'to date, by a dimension',
    query: {
      measures: ['orders.revenue_mtd'],
      dimensions: ['orders.status'],
      timeDimensions: by('orders.day', 'day', ['2024-01-30', '2024-02-02']),
    },
  },
  {
    name: 'a shift',
    query: {
      measures: ['orders.revenue', 'orders.revenue_prev'],
      timeDimensions: by('orders.day', 'month'),
    },
  },
  {
    name: 'two granularities of one time',
    query: {
      measures: ['orders.revenue', 'orders.revenue_mtd', 'orders.revenue_prev'],
      dimensions: ['orders.day.quarter'],
      timeDimensions: by('orders.day', 'month'),
    },
  },
  {
    name: 'granularities that cut each other',
    query: {
      measures: ['orders.revenue_3d', 'orders.revenue_prev'],
      dimensions: ['orders.day.month'],
      timeDimensions: by('orders.day', 'week', ['2024-01-25', '2024-03-10']),
    },
  },
  {
    name: 'dates joined by or beside a window',
    query: {
      measures: ['orders.revenue_mtd'],
      timeDimensions: by('orders.day', 'month'),
      filters: [
        {
          kind: 'or',
          filters: [
            is('orders.day', 'beforeDate', '2024-02-01'),
            is('orders.day', 'afterDate', '2024-03-15'),
          ],
        },
        {
          kind: 'or',
          filters: [is('orders.day', 'onTheDate', '2024-03-31'), is('orders.status', 'equals', 'done')],
        },
      ],
    },
  },
  {
    name: 'a shift of part of a month, in a zone',
    query: {
      measures: ['orders.revenue', 'orders.revenue_5d_ago'],
      timeDimensions: by('orders.paid_at', 'month', ['2024-01-01', '2024-04-30']),
      timezone: 'Europe/Berlin',
    },
  },
  {
    name: 'windows over groups and filters on them',
    query: {
      measures: ['orders.share', 'orders.share_of_best'],
      dimensions: ['orders.status'],
      filters: [is('orders.share', 'gt', '0.2'), is('orders.revenue', 'set')],
    },
  },
  {
    name: 'stocks',
    query: { measures: ['balances.closing', 'balances.mean'], timeDimensions: by('balances.day', 'month') },
  },
  {
    name: 'a metric with a filter and a dimension',
    query: { measures: ['done_revenue.measure'], dimensions: ['done_revenue.ts', 'done_revenue.region'] },
  },
  {
    name: 'a ratio over two facts',
    query: { measures: ['revenue_per_return.measure'] },
  },
  {
    name: 'a cumulative metric',
    query: { measures: ['running_revenue.measure'], dimensions: ['running_revenue.ts'] },
  },
  {
    name: 'a conversion',
    query: { measures: ['visits_that_buy.measure'], dimensions: ['visits_that_buy.ts'] },
  },
  {
    name: 'a policy: rows and a mask',
    query: { measures: ['orders.revenue'], dimensions: ['customers.name', 'customers.email'] },
    caller: EU,
  },
  {
    name: 'dimensions alone',
    query: { dimensions: ['customers.region', 'orders.status'], total: true },
  },
  {
    name: 'ungrouped',
    query: {
      measures: ['orders.revenue', 'orders.done'],
      dimensions: ['orders.order_id', 'customers.name'],
      ungrouped: true,
    },
  },
  {
    name: 'two ranges compared',
    query: {
      measures: ['orders.revenue'],
      timeDimensions: [
        {
          dimension: 'orders.day',
          granularity: 'month',
          compareDateRange: [
            ['2024-01-01', '2024-01-31'],
            ['2024-02-01', '2024-02-29'],
          ],
        },
      ],
    },
  },
];
