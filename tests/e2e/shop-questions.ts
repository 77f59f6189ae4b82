/*
 * Questions to the shop, each written once and spelled for every door.
 *
 *   'status'                     a member of the root
 *   'order_date:month'           a bucket of one
 *   'customers.segment'          behind a join; 'orders/customers.region' behind two
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FilterOperator } from '../../src/domain/semantic-model.ts';
import { runPlinth, temporaryProject } from './run-plinth.ts';

export interface ShopQuestion {
  readonly root: string;
  readonly dimensions: readonly string[];
  readonly measures: readonly string[];
  /** All must hold; `sql` is the same in SQL, absent where SQL says it otherwise. */
  readonly filters?: readonly ShopFilter[];
  /** At least one must hold. */
  readonly either?: readonly ShopFilter[];
  readonly segments?: readonly string[];
  readonly timezone?: string;
  readonly order?: readonly (readonly [string, 'asc' | 'desc'])[];
  readonly limit?: number;
  readonly offset?: number;
  readonly ungrouped?: boolean;
}

export interface ShopFilter {
  readonly member: string;
  readonly operator: FilterOperator;
  readonly values: readonly unknown[];
  readonly sql?: string;
}

/** What can be asked of one root. */
export interface Words {
  readonly root: string;
  readonly dimensions: readonly string[];
  readonly measures: readonly string[];
  readonly segments: readonly string[];
  readonly filters: readonly ShopFilter[];
}

interface Member {
  readonly joins: readonly string[];
  readonly name: string;
  readonly bucket?: string | undefined;
}

function memberOf(written: string): Member {
  const [path = '', bucket] = written.split(':');
  const dot = path.lastIndexOf('.');
  return {
    joins: dot === -1 ? [] : path.slice(0, dot).split('/'),
    name: path.slice(dot + 1),
    bucket,
  };
}

function wordOf(root: string, written: string): string {
  const { joins, name, bucket } = memberOf(written);
  return [joins.at(-1) ?? root, name, ...(bucket === undefined ? [] : [bucket])].join('.');
}

/** As the JSON of REST. */
export function restOf(question: ShopQuestion): Readonly<Record<string, unknown>> {
  const { root, dimensions, measures, filters = [], either = [], segments, order, ...rest } = question;
  const word = (written: string): string => wordOf(root, written);
  const json = ({ member, operator, values }: ShopFilter) => ({ member: word(member), operator, values });
  return {
    ...rest,
    dimensions: dimensions.map(word),
    measures: measures.map(word),
    filters: [...filters.map(json), ...(either.length === 0 ? [] : [{ or: either.map(json) }])],
    ...(segments === undefined ? {} : { segments: segments.map(word) }),
    ...(order === undefined ? {} : { order: order.map(([member, way]) => [word(member), way]) }),
  };
}

/** Times that SQL can be told to see in a zone: instants, and local times of UTC. */
const LOCAL: Readonly<Record<string, (column: string, zone: string) => string>> = {
  sent_at: (column, zone) => `${column} AT TIME ZONE '${zone}'`,
  logged_at: (column, zone) => `${column} AT TIME ZONE 'UTC' AT TIME ZONE '${zone}'`,
};

/** As semantic SQL; undefined where SQL cannot say it, or says it in other words. */
export function sqlOf(question: ShopQuestion): string | undefined {
  const {
    root,
    dimensions,
    measures,
    filters = [],
    either = [],
    segments = [],
    order,
    limit,
    offset,
  } = question;
  const column = (written: string): string => {
    const { joins, name, bucket } = memberOf(written);
    const plain = `${joins.at(-1) ?? root}.${name}`;
    const local = question.timezone === undefined ? plain : LOCAL[name]?.(plain, question.timezone);
    return bucket === undefined ? plain : `date_trunc('${bucket}', ${local ?? plain})`;
  };
  // Days are the same everywhere; what times are, SQL must be told.
  const isSaid = (written: string): boolean => {
    const { name, bucket } = memberOf(written);
    return bucket === undefined || /_(?:on|date)$/.test(name) || LOCAL[name] !== undefined;
  };
  if (question.ungrouped === true || (question.timezone !== undefined && !dimensions.every(isSaid)))
    return undefined;
  if ([...filters, ...either].some(({ sql }) => sql === undefined)) return undefined;
  const written = [
    ...dimensions,
    ...measures,
    ...segments,
    ...[...filters, ...either].map(({ member }) => member),
  ];
  const tables = [...new Set([root, ...written.flatMap((each) => memberOf(each).joins)])];
  const where = [
    ...filters.map(({ sql }) => sql),
    ...(either.length === 0 ? [] : [`(${either.map(({ sql }) => sql).join(' OR ')})`]),
    ...segments.map(column),
  ];
  const names = [...dimensions, ...measures];
  const sorted = order?.map(([member, way]) => `${names.indexOf(member) + 1} ${way} NULLS LAST`);
  return [
    `SELECT ${[...dimensions.map(column), ...measures.map((each) => `MEASURE(${column(each)})`)].join(', ')}`,
    `FROM ${tables.join(' CROSS JOIN ')}`,
    ...(where.length === 0 ? [] : [`WHERE ${where.join(' AND ')}`]),
    ...(sorted === undefined ? [] : [`ORDER BY ${sorted.join(', ')}`]),
    ...(limit === undefined ? [] : [`LIMIT ${limit}`]),
    ...(offset === undefined ? [] : [`OFFSET ${offset}`]),
  ].join('\n');
}

const isTimeName = (name: string): boolean => /_(?:on|at|date)$/.test(name);

/** Where the cells of a column are in a row of GraphQL. */
export function graphqlPaths({ dimensions, measures }: ShopQuestion): readonly (readonly string[])[] {
  const isTime = (written: string): boolean => dimensions.includes(written) && isTimeName(written);
  return [...dimensions, ...measures].map((written) => {
    const { joins, name, bucket } = memberOf(written);
    return [...joins, name, ...(bucket === undefined ? (isTime(written) ? ['value'] : []) : [bucket])];
  });
}

/** As a GraphQL document. */
export function graphqlOf(question: ShopQuestion): string {
  const { root, filters = [], either = [], segments, order, limit, offset, timezone, ungrouped } = question;
  const args: string[] = [];
  const condition = ({ member, operator, values }: ShopFilter): string => {
    const { joins, name } = memberOf(member);
    const value = JSON.stringify(
      operator === 'set' || operator === 'notSet' ? true : single(operator, values),
    );
    return `{${[...joins, name].join(': {')}: {${operator}: ${value}}${'}'.repeat(joins.length)}}`;
  };
  const all = [
    ...filters.map(condition),
    ...(either.length === 0 ? [] : [`{OR: [${either.map(condition).join(', ')}]}`]),
  ];
  if (all.length > 0) args.push(`where: {AND: [${all.join(', ')}]}`);
  if (segments !== undefined) args.push(`segments: [${segments.map(segmentName).join(', ')}]`);
  if (order !== undefined)
    args.push(`orderBy: [${order.map(([member, way]) => nested(member, way)).join(', ')}]`);
  if (limit !== undefined) args.push(`limit: ${limit}`);
  if (offset !== undefined) args.push(`offset: ${offset}`);
  if (timezone !== undefined) args.push(`timezone: "${timezone}"`);
  if (ungrouped !== undefined) args.push(`ungrouped: ${ungrouped}`);
  // Each column by itself: fields of the same name are merged.
  const selections = graphqlPaths(question).map(
    (path) => `${path.join(' { ')}${' }'.repeat(path.length - 1)}`,
  );
  return `{ ${root}${args.length === 0 ? '' : `(${args.join(', ')})`} { ${selections.join(' ')} } }`;
}

const single = (operator: string, values: readonly unknown[]): unknown =>
  /^(?:gte?|lte?|onTheDate|before|after)/.test(operator) ? values[0] : values;

const segmentName = (written: string): string => {
  const { joins, name } = memberOf(written);
  return joins.length === 0 ? name : `${joins.at(-1)}__${name}`;
};

function nested(written: string, way: string): string {
  const { joins, name, bucket } = memberOf(written);
  const path = [...joins, name, ...(bucket === undefined ? (isTimeName(name) ? ['value'] : []) : [bucket])];
  return `{${path.join(': {')}: ${way}${'}'.repeat(path.length)}`;
}

const is = (
  member: string,
  operator: FilterOperator,
  values: readonly unknown[],
  sql?: string,
): ShopFilter => ({
  member,
  operator,
  values,
  ...(sql === undefined ? {} : { sql }),
});

/** Questions that are there for something. */
export const CHOSEN: readonly ShopQuestion[] = [
  { root: 'orders', dimensions: [], measures: ['revenue', 'count'] },
  { root: 'orders', dimensions: ['status'], measures: [] },
  // Fan-out: an order with several products counts once in each category.
  { root: 'orders', dimensions: ['ordered_products.category'], measures: ['revenue', 'count'] },
  {
    root: 'orders',
    dimensions: ['ordered_products.category', 'status'],
    measures: ['average_order_value', 'buyers'],
  },
  { root: 'orders', dimensions: ['region'], measures: ['count', 'order_items.pieces'] },
  { root: 'customers', dimensions: ['segment'], measures: ['signups', 'orders.revenue', 'orders.count'] },
  { root: 'customers', dimensions: ['orders.status'], measures: ['count'] },
  { root: 'products', dimensions: ['category'], measures: ['average_price', 'order_items.net_amount'] },
  {
    root: 'order_items',
    dimensions: ['products.category', 'orders.channel'],
    measures: ['margin_share', 'pieces'],
  },
  { root: 'order_items', dimensions: ['orders/customers.segment'], measures: ['net_amount'] },
  // Roles of one model.
  { root: 'orders', dimensions: ['used_promotion.promotion_name'], measures: ['revenue'] },
  { root: 'orders', dimensions: ['running_promotion.promotion_name'], measures: ['revenue'] },
  {
    root: 'orders',
    dimensions: ['used_promotion.promotion_name', 'running_promotion.promotion_name'],
    measures: ['count'],
  },
  // Times: of days, of instants in zones, own buckets, as they are.
  { root: 'orders', dimensions: ['order_date:month'], measures: ['revenue', 'revenue_last_year'] },
  { root: 'orders', dimensions: ['order_date:fiscal_year'], measures: ['revenue'] },
  { root: 'orders', dimensions: ['order_date:fortnight', 'region'], measures: ['count'], limit: 50 },
  { root: 'orders', dimensions: ['order_date'], measures: ['count'], limit: 20 },
  { root: 'orders', dimensions: ['order_date:year', 'order_date:quarter'], measures: ['count'] },
  { root: 'orders', dimensions: ['customers.signed_up_on:quarter'], measures: ['revenue'] },
  {
    root: 'payments',
    dimensions: ['paid_at:day'],
    measures: ['balance'],
    timezone: 'America/New_York',
    limit: 40,
  },
  {
    root: 'payments',
    dimensions: ['paid_at:hour'],
    measures: ['count'],
    timezone: 'Asia/Kolkata',
    limit: 40,
  },
  { root: 'payments', dimensions: ['paid_at:month', 'method'], measures: ['charged', 'refunded'] },
  { root: 'payments', dimensions: ['paid_at'], measures: ['count'], limit: 15 },
  {
    root: 'payments',
    dimensions: ['method'],
    measures: ['balance'],
    timezone: 'Europe/Berlin',
    filters: [is('paid_at', 'inDateRange', ['2024-03-30', '2024-03-31'])],
  },
  // Windows, shifts, stocks.
  {
    root: 'orders',
    dimensions: ['order_date:day'],
    measures: ['revenue_7d', 'revenue_month_to_date'],
    filters: [
      is(
        'order_date',
        'inDateRange',
        ['2025-02-25', '2025-03-05'],
        "orders.order_date >= DATE '2025-02-25' AND orders.order_date < DATE '2025-03-06'",
      ),
    ],
  },
  { root: 'orders', dimensions: ['order_date:year'], measures: ['revenue_growth'] },
  { root: 'price_lists', dimensions: ['listed_on:quarter'], measures: ['basket', 'highest_price'] },
  // Filters of every sort.
  {
    root: 'orders',
    dimensions: ['status'],
    measures: ['count'],
    filters: [is('channel', 'in', ['online', 'store'], "orders.channel IN ('online', 'store')")],
  },
  {
    root: 'orders',
    dimensions: ['device'],
    measures: ['count'],
    filters: [is('device', 'notEquals', ['mobile'])],
  },
  {
    root: 'orders',
    dimensions: ['device'],
    measures: ['count'],
    filters: [is('device', 'equals', [null, 'mobile'])],
  },
  {
    root: 'orders',
    dimensions: ['promotion_code'],
    measures: ['count'],
    filters: [is('promotion_code', 'set', [], 'orders.promotion_code IS NOT NULL')],
  },
  {
    root: 'orders',
    dimensions: ['region'],
    measures: ['count'],
    filters: [is('promotion_code', 'notSet', [], 'orders.promotion_code IS NULL')],
  },
  {
    root: 'products',
    dimensions: ['product_name'],
    measures: [],
    filters: [is('product_name', 'contains', ['tea'])],
  },
  {
    root: 'products',
    dimensions: ['product_name'],
    measures: [],
    filters: [is('product_name', 'notStartsWith', ['C'])],
  },
  { root: 'products', dimensions: ['sku'], measures: [], filters: [is('sku', 'endsWith', ['1', '2'])] },
  {
    root: 'order_items',
    dimensions: ['quantity'],
    measures: ['count'],
    filters: [
      is('quantity', 'gte', [2], 'order_items.quantity >= 2'),
      is('quantity', 'lt', ['4'], 'order_items.quantity < 4'),
    ],
  },
  {
    root: 'orders',
    dimensions: ['order_date:month'],
    measures: ['revenue'],
    filters: [is('revenue', 'gt', [30000], 'orders.revenue > 30000')],
  },
  {
    root: 'orders',
    dimensions: ['region'],
    measures: ['count'],
    filters: [is('order_date', 'afterOrOnDate', ['2025-01-01'], "orders.order_date >= DATE '2025-01-01'")],
    either: [
      is('status', 'equals', ['returned'], "orders.status = 'returned'"),
      is('customers.segment', 'equals', ['vip'], "customers.segment = 'vip'"),
    ],
  },
  {
    root: 'orders',
    dimensions: ['status'],
    measures: ['count'],
    filters: [is('order_date', 'beforeDate', ['2023-02-01'])],
  },
  {
    root: 'orders',
    dimensions: ['status'],
    measures: ['count'],
    filters: [is('order_date', 'onTheDate', ['2024-05-01'])],
  },
  {
    root: 'orders',
    dimensions: ['status'],
    measures: ['count'],
    filters: [is('order_date', 'notInDateRange', ['2023-01-01', '2025-01-31'])],
  },
  {
    root: 'customers',
    dimensions: ['country'],
    measures: ['count'],
    filters: [is('marketing_consent', 'equals', [true], 'customers.marketing_consent')],
  },
  // Segments, order, limits, rows.
  { root: 'orders', dimensions: ['channel'], measures: ['revenue'], segments: ['weekend', 'with_promotion'] },
  { root: 'orders', dimensions: ['channel'], measures: ['revenue'], segments: ['customers.reachable'] },
  {
    root: 'orders',
    dimensions: ['channel', 'customers.country'],
    measures: ['revenue'],
    order: [
      ['revenue', 'asc'],
      ['customers.country', 'desc'],
      ['channel', 'asc'],
    ],
    limit: 7,
    offset: 3,
  },
  {
    root: 'orders',
    dimensions: ['order_date:month', 'region'],
    measures: ['count'],
    order: [
      ['order_date:month', 'desc'],
      ['region', 'asc'],
    ],
    limit: 9,
  },
  { root: 'orders', dimensions: ['order_id', 'status'], measures: ['revenue'], ungrouped: true, limit: 25 },
  { root: 'customers', dimensions: ['customer_id', 'email'], measures: [], limit: 30 },
];

const DIMENSIONS = [
  'status',
  'channel',
  'region',
  'size_class',
  'order_date:month',
  'order_date:week',
  'order_date:fiscal_year',
  'customers.segment',
  'customers.country',
  'stores.city',
  'stores.opened_on:year',
  'used_promotion.promotion_name',
  'ordered_products.category',
];
const MEASURES = [
  'revenue',
  'count',
  'buyers',
  'gross_amount',
  'average_order_value',
  'median_order_value',
  'discount_share',
  'completed_orders',
  'order_items.margin',
];
const FILTERS: readonly ShopFilter[] = [
  is('status', 'equals', ['completed'], "orders.status = 'completed'"),
  is('customers.region', 'equals', ['EU'], "customers.region = 'EU'"),
  is('stores.is_new', 'equals', [true], 'stores.is_new'),
  is(
    'order_date',
    'inDateRange',
    ['2024-01-01', '2024-12-31'],
    "orders.order_date BETWEEN DATE '2024-01-01' AND DATE '2024-12-31'",
  ),
  is('size_class', 'in', ['big'], "orders.size_class = 'big'"),
  is('count', 'gte', [5], 'orders.count >= 5'),
];

/** What random questions about the shop are made of. */
export const SHOP_WORDS: readonly Words[] = [
  { root: 'orders', dimensions: DIMENSIONS, measures: MEASURES, segments: ['weekend'], filters: FILTERS },
];

/** The files of the project that `plinth init` makes. */
export async function shopFiles(): Promise<Readonly<Record<string, string>>> {
  const made = temporaryProject({});
  const folder = join(made.folder, 'shop');
  const { code, stdout, stderr } = await runPlinth(['init', folder]);
  if (code !== 0) throw new Error(`${stdout}${stderr}`);
  const files = Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path.slice(folder.length + 1), readFileSync(path, 'utf8')]),
  );
  made.remove();
  return files;
}

/** More of them, chosen by a seed: the same ones every time. */
export function drawn(count: number, seed = 7): readonly ShopQuestion[] {
  let state = seed;
  const next = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
  const some = <Item>(items: readonly Item[], most: number): readonly Item[] => [
    ...new Set(Array.from({ length: next(most + 1) }, () => items[next(items.length)] as Item)),
  ];
  return Array.from({ length: count }, () => {
    const measures = some(MEASURES, 3);
    return {
      root: 'orders',
      dimensions: some(DIMENSIONS, 3),
      measures: measures.length === 0 ? ['count'] : measures,
      filters: some(FILTERS, 2),
      ...(next(4) === 0 ? { segments: ['weekend'] } : {}),
    };
  });
}
