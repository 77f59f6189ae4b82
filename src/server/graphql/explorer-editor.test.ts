import { runInNewContext } from 'node:vm';
import { buildSchema, getIntrospectionQuery, graphqlSync } from 'graphql';
import { expect, test } from 'vitest';
import { explorerEditor } from './explorer-editor.ts';

interface Item {
  readonly name: string;
}

/** What the page's script defines, as the browser would run it. */
const page = runInNewContext(`${explorerEditor}; ({ placeAt, suggestionsFor, painted, tableOf })`) as {
  readonly placeAt: (
    text: string,
    at: number,
    types: ReadonlyMap<string, unknown>,
    root: string,
  ) => { readonly word: string; readonly items: readonly Item[] } | undefined;
  readonly suggestionsFor: (place: { word: string; items: readonly Item[] }) => readonly Item[];
  readonly painted: (text: string, isJson: boolean) => readonly (readonly [string, string])[];
  readonly tableOf: (data: unknown) => { columns: readonly string[]; rows: readonly unknown[][] } | undefined;
};

const schema = buildSchema(`
  type Query { orders(where: OrdersWhere, limit: Int, segments: [Segment!], ungrouped: Boolean): [Orders!], sales: [Sales!] }
  type Orders { status: String, revenue: String, order_date: Buckets, customers: Customers }
  type Buckets { value: String, month: String }
  type Customers { region: String, tier: String }
  type Sales { measure: String }
  input OrdersWhere { status: TextFilter, customers: CustomersWhere, AND: [OrdersWhere!] }
  input CustomersWhere { region: TextFilter }
  input TextFilter { equals: [String], contains: [String!] }
  enum Segment { weekend, with_promotion }
`);
const { data } = graphqlSync({ schema, source: getIntrospectionQuery() });
const types = new Map(
  (data as unknown as { __schema: { types: readonly Item[] } }).__schema.types.map((type) => [
    type.name,
    type,
  ]),
);

/** What is offered where the bar stands. */
function offered(text: string): readonly string[] | undefined {
  const at = text.indexOf('|');
  const place = page.placeAt(text.replace('|', ''), at, types, 'Query');
  return place === undefined ? undefined : [...page.suggestionsFor(place)].map(({ name }) => name);
}

test.each([
  ['{ | }', ['orders', 'sales']],
  ['{ or|', ['orders']],
  ['query Q { sa|', ['sales']],
  ['{ orders { | } }', ['status', 'revenue', 'order_date', 'customers']],
  ['{ orders { status order_date { mo| } } }', ['month']],
  ['{ orders { customers { | } status } }', ['region', 'tier']],
  ['{ orders { customers { region } | } }', ['status', 'revenue', 'order_date', 'customers']],
  ['{ mine: orders { rev|', ['revenue']],
  ['{ orders(|', ['where', 'limit', 'segments', 'ungrouped']],
  ['{ orders(limit: 3, wh|', ['where']],
  ['{ orders(where: {|', ['status', 'customers', 'AND']],
  ['{ orders(where: {customers: {re|', ['region']],
  ['{ orders(where: {customers: {region: {|', ['equals', 'contains']],
  ['{ orders(where: {customers: {region: {equals: "a"}}, |', ['status', 'customers', 'AND']],
  ['{ orders(where: {AND: [{status: {con|', ['contains']],
  ['{ orders(segments: [|', ['weekend', 'with_promotion']],
  ['{ orders(ungrouped: |', ['true', 'false']],
  ['{ orders(limit: 1) { | } }', ['status', 'revenue', 'order_date', 'customers']],
  ['{ orders { ... on Orders { stat|', ['status']],
  ['fragment F on Customers { | }', ['region', 'tier']],
  ['{ orders { status } } # co|', undefined],
  ['{ orders(where: {status: {equals: "or|"}})', undefined],
  ['{ orders { status| } }', []],
] as const)('%s', (text, names) => {
  expect(offered(text)).toEqual(names);
});

test('colours leave the text as it is', () => {
  const text = '{ orders(limit: -3, where: {a: "}\\"{"}) { a # } \n b @skip(if: $x) } }\n';
  expect(
    page
      .painted(text, false)
      .map(([, piece]) => piece)
      .join(''),
  ).toBe(text);
  expect(page.painted(text, false)).toContainEqual(['s', '"}\\"{"']);
  expect(page.painted('{"a": "b", "n": 1.5}', true).filter(([name]) => name !== '')).toEqual([
    ['k', '"a"'],
    ['s', '"b"'],
    ['k', '"n"'],
    ['n', '1.5'],
  ]);
});

test('a table has a column for each cell, however deep it lies', () => {
  const rows = [
    { a: 1, t: { month: '2025-01-01' } },
    { a: null, t: { month: null }, b: [1] },
  ];
  expect(page.tableOf({ _meta: {}, orders: rows })).toEqual({
    columns: ['a', 't.month', 'b'],
    rows: [
      [1, '2025-01-01', undefined],
      [null, null, [1]],
    ],
  });
  expect(page.tableOf({ _meta: {} })).toBeUndefined();
  expect(page.tableOf(null)).toBeUndefined();
});
