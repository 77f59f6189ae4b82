/** What an expression is grown as: types of one sort can stand for each other in most places. */
export type Sort = 'number' | 'text' | 'time' | 'truth' | 'list';

/** A column of a table or subquery. */
export interface Named {
  readonly name: string;
  readonly sort: Sort;
}

const T: readonly Named[] = [
  ...['ti', 'si', 'i', 'bi', 'h', 'ui', 'ubi', 'f', 'd', 'dec', 'dec2', 'dec3'].map((name) => ({
    name,
    sort: 'number' as const,
  })),
  { name: 's', sort: 'text' },
  ...['dt', 'ts', 'tz'].map((name) => ({ name, sort: 'time' as const })),
  { name: 'b', sort: 'truth' },
  { name: 'li', sort: 'list' },
];

const ORDERS: readonly Named[] = [
  { name: 'id', sort: 'number' },
  { name: 'customer_id', sort: 'number' },
  { name: 'amount', sort: 'number' },
  { name: 'status', sort: 'text' },
  { name: 'created_at', sort: 'time' },
  { name: 'day', sort: 'time' },
];

const CUSTOMERS: readonly Named[] = [
  { name: 'id', sort: 'number' },
  { name: 'name', sort: 'text' },
  { name: 'country', sort: 'text' },
  { name: 'score', sort: 'number' },
];

const ITEMS: readonly Named[] = [
  { name: 'order_id', sort: 'number' },
  { name: 'sku', sort: 'text' },
  { name: 'qty', sort: 'number' },
  { name: 'price', sort: 'number' },
];

/** The tables of the test schema that random queries read. */
export const TABLES: readonly (readonly [string, readonly Named[]])[] = [
  ['t', T],
  ['orders', ORDERS],
  ['customers', CUSTOMERS],
  ['items', ITEMS],
];

/** Constants of each sort; none is NULL. */
export const LITERALS: Readonly<Record<Sort, readonly string[]>> = {
  number: ['0', '1', '2', '100', '300', '70000', '3000000000', '1.5', '0.001', '12.50', '-1', '-2.5', '1e3'],
  text: ["'a'", "'it''s'", "''", "'x y'"],
  time: [
    "DATE '2024-01-31'",
    "TIMESTAMP '2024-01-01 10:00:00'",
    'current_date',
    'now()',
    "TIMESTAMPTZ '2024-01-01 00:00:00+00'",
  ],
  truth: ['true'],
  list: ['[1, 2]', '[1, 2.5]', "['a']", '[70000]'],
};

/** Sort of the argument, name, sort of the result. */
export const AGGREGATES: readonly (readonly [Sort, string, Sort])[] = [
  ['number', 'sum', 'number'],
  ['number', 'avg', 'number'],
  ['number', 'min', 'number'],
  ['number', 'max', 'number'],
  ['number', 'median', 'number'],
  ['number', 'stddev', 'number'],
  ['number', 'product', 'number'],
  ['number', 'any_value', 'number'],
  ['number', 'first', 'number'],
  ['number', 'mode', 'number'],
  ['text', 'count', 'number'],
  ['text', 'min', 'text'],
  ['text', 'string_agg', 'text'],
  ['text', 'approx_count_distinct', 'number'],
  ['time', 'max', 'time'],
  ['time', 'count', 'number'],
  ['number', 'list', 'list'],
  ['text', 'array_agg', 'list'],
  ['truth', 'bool_and', 'truth'],
  ['truth', 'bool_or', 'truth'],
  ['truth', 'count_if', 'number'],
  ['truth', 'sum', 'number'],
];
