/**
 * One project in which every key can be written. YAML files are data here, so that a key is set by its path and nothing else changes;
 * JSON is YAML. SQL files are parts that are put together.
 */
export type Data = string | number | boolean | null | readonly Data[] | { readonly [key: string]: Data };
type DataMap = { readonly [key: string]: Data };

export interface KeyProject {
  readonly config: DataMap;
  readonly external: readonly DataMap[];
  readonly semantic: DataMap;
  readonly customers: DataMap;
  readonly metric: DataMap;
  readonly usage: DataMap;
  readonly test: DataMap;
  readonly dq: DataMap;
  /** Of the model that keys of a MODEL block and of its kind are written into. */
  readonly kind: string;
  readonly options: readonly string[];
  readonly properties: readonly string[];
  readonly query: string;
  /** Of the audit that the model may use. */
  readonly audit: readonly string[];
  readonly auditQuery: string;
  /** Beside all these, by path. */
  readonly more: Readonly<Record<string, string>>;
}

export const PROJECT: KeyProject = {
  config: {
    name: 'keys',
    gateways: { local: { connection: { type: 'duckdb', database: 'w.duckdb' } } },
    model_defaults: { dialect: 'duckdb', start: '2024-01-01' },
  },
  external: [{ name: 'raw.events', columns: { id: 'int', day: 'date' } }],
  semantic: {
    kind: 'semantic',
    name: 'orders',
    depends_on: 'm.orders',
    primary_key: ['id'],
    dimensions: [{ name: 'region' }, { name: 'day' }, { name: 'customer_id' }, { name: 'id' }],
    measures: [{ name: 'revenue', type: 'sum', expression: '{amount}' }],
    segments: [{ name: 'large', expression: '{amount} > 10' }],
    joins: [{ name: 'customers', type: 'many_to_one', on: '{orders.customer_id} = {customers.customer_id}' }],
  },
  customers: {
    kind: 'semantic',
    name: 'customers',
    depends_on: 'm.customers',
    primary_key: ['customer_id'],
    dimensions: [{ name: 'customer_id' }, { name: 'city' }],
  },
  metric: {
    kind: 'metric',
    name: 'sales',
    measure: 'orders.revenue',
    ts: 'orders.day',
    granularity: 'day',
    dimensions: [{ ref: 'orders.region' }],
  },
  usage: {
    good_for: [{ text: 'reading' }],
    not_for: [{ text: 'writing' }],
    caveats: [{ text: 'careful' }],
    references: [{ title: 'a page', url: 'https://example.org' }],
  },
  test: {
    test_revenue: {
      semantic_query: { measures: ['orders.revenue'] },
      inputs: { 'm.orders': { rows: [{ id: 1, amount: 3 }] } },
      rows: [{ 'orders.revenue': 3 }],
    },
  },
  dq: { kind: 'dq', name: 'orders_dq', depends_on: 'm.orders', rules: ['row_count > 0'] },
  kind: 'FULL',
  options: [],
  properties: [],
  query: "SELECT 1 AS id, DATE '2024-01-02' AS day, 'EU' AS region, 5 AS amount",
  audit: [],
  auditQuery: 'SELECT * FROM @this_model WHERE id < @least',
  more: {
    'seeds/orders.csv': 'id,day,region,amount,customer_id\n1,2024-01-02,EU,5,1\n2,2024-01-03,US,20,2\n',
    'models/orders.sql': "MODEL (name m.orders, kind SEED (path '../seeds/orders.csv'), grain id);\n",
    'models/customers.sql':
      "MODEL (name m.customers, kind FULL, grain customer_id);\nSELECT 1 AS customer_id, 'Bonn' AS city\n",
    'models/plain.sql': 'MODEL (name m.plain);\nSELECT 1 AS one\n',
    'models/outside.sql': 'MODEL (name m.outside, kind FULL);\nSELECT * FROM raw.events\n',
    'models/reader.sql': 'MODEL (name m.reader, kind VIEW);\nSELECT id, day, region, amount FROM m.subject\n',
  },
};

/** The files of a project. */
export function filesOf(project: KeyProject): Readonly<Record<string, string>> {
  const json = (data: Data): string => `${JSON.stringify(data, null, 1)}\n`;
  const options = project.options.length === 0 ? '' : ` (${project.options.join(', ')})`;
  const head = ['name m.subject', `kind ${project.kind}${options}`, ...project.properties];
  const seedHead = project.kind === 'SEED' ? '' : `${project.query}\n`;
  return {
    'config.yaml': json(project.config),
    'external_models.yaml': json(project.external),
    'models/semantics/orders.yml': json(project.semantic),
    'models/semantics/customers.yml': json(project.customers),
    'models/metrics/sales.yml': json(project.metric),
    'usage.yaml': json(project.usage),
    'tests/test_orders.yaml': json(project.test),
    'dq/orders.yml': json(project.dq),
    'models/subject.sql': `MODEL (\n  ${head.join(',\n  ')}\n);\n${seedHead}`,
    'audits/least.sql': `AUDIT (\n  ${['name least', 'defaults (least = 1)', ...project.audit].join(',\n  ')}\n);\n${project.auditQuery}\n`,
    ...project.more,
  };
}

/** A copy with a value at a path: into the first item of a list, and into the first entry for `*`. */
export function withValue(data: Data, path: readonly string[], value: Data): Data {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (Array.isArray(data)) {
    const [first = {}, ...others] = data as readonly Data[];
    return [withValue(first, path, value), ...others];
  }
  const map = (typeof data === 'object' && data !== null ? data : {}) as DataMap;
  const key = step === '*' ? (Object.keys(map)[0] ?? 'any') : step;
  return { ...map, [key]: withValue(map[key] ?? {}, rest, value) };
}

/** The value at a path, as `withValue` finds it; undefined where there is none. */
export function valueAt(data: Data | undefined, path: readonly string[]): Data | undefined {
  const [step, ...rest] = path;
  if (step === undefined || data === undefined) return data;
  if (Array.isArray(data)) return valueAt((data as readonly Data[])[0], path);
  if (typeof data !== 'object' || data === null) return undefined;
  const map = data as DataMap;
  return valueAt(map[step === '*' ? (Object.keys(map)[0] ?? '') : step], rest);
}
