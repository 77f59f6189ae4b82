// The example project over its generated data, on a real DuckDB. The macros are expanded by the few lines below and
// the kinds are imitated, so this test knows nothing of the compiler; the compiler's own tests load the same folder.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { generateSample } from './generate-sample.ts';

const SHOP = fileURLToPath(new URL('../../../examples/shop/', import.meta.url));
const BUILD_ORDER = [
  'raw.stores',
  'raw.products',
  'raw.promotions',
  'raw.customers',
  'raw.orders',
  'raw.order_items',
  'raw.payments',
  'raw.product_prices',
  'staging.orders',
  'staging.order_items',
  'staging.order_payments',
  'staging.customers',
  'staging.product_prices',
  'marts.orders',
  'marts.order_items',
  'marts.customers',
  'marts.products',
  'marts.stores',
  'marts.daily_sales',
  'marts.eu_sales',
  'marts.us_sales',
];

interface Times {
  readonly startDate: string;
  readonly endDate: string;
  readonly endBefore: string;
  readonly executionTime: string;
}
const ALL_TIME: Times = {
  startDate: '2022-01-01',
  endDate: '2025-12-31',
  endBefore: '2026-01-01',
  executionTime: '2026-01-02 06:00:00',
};

let folder: string;
let connection: DuckDBConnection;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'plinth-shop-'));
  const pieces = new Map<string, string[]>();
  await generateSample({
    scale: 1,
    write: (path, chunk) => {
      pieces.set(path, [...(pieces.get(path) ?? []), chunk]);
    },
  });
  for (const [path, chunks] of pieces) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), chunks.join(''));
  }
  connection = await openDatabase();
  for (const name of BUILD_ORDER) await build(name);
});

afterAll(() => {
  connection.closeSync();
  rmSync(folder, { recursive: true, force: true });
});

describe('the shop project', () => {
  test('has no model beside those that are built here', () => {
    const files = ['raw', 'staging', 'marts'].flatMap((schema) =>
      readdirSync(join(SHOP, 'models', schema)).map((file) => `${schema}.${file.replace('.sql', '')}`),
    );
    const built = new Set(BUILD_ORDER.map((name) => name.replace(/(eu|us)_sales/, 'regional_sales')));
    expect(new Set(files)).toEqual(built);
  });

  test('gives every model a kind, a grain, tags and a description', () => {
    for (const name of BUILD_ORDER) {
      for (const property of ['name', 'kind', 'grain', 'tags', 'description']) {
        expect(header(name), name).toMatch(new RegExp(`^ {2}${property} `, 'm'));
      }
    }
  });

  test.each(BUILD_ORDER)('builds rows for %s', async (name) => {
    expect(await count(`SELECT * FROM ${name}`)).toBeGreaterThan(0);
  });

  test.each(BUILD_ORDER)(
    'passes every audit of %s, blocking or not, once bad channels are in quarantine',
    async (name) => {
      for (const audit of auditsOf(name)) {
        expect(await count(auditQuery(audit, name)), `${name}: ${audit}`).toBe(0);
      }
    },
  );

  test('holds back exactly three orders with a bad channel', async () => {
    expect(await rows('SELECT channel FROM quarantine.orders ORDER BY order_id')).toEqual([
      ['onlien'],
      ['ONLINE'],
      ['pos'],
    ]);
    expect(await count('SELECT * FROM raw.orders')).toBe((await count('SELECT * FROM staging.orders')) + 3);
  });

  test('keeps the history of prices: eleven articles changed theirs once', async () => {
    expect(await count('SELECT * FROM staging.product_prices')).toBe(40 + 11);
    expect(await count('SELECT * FROM marts.products WHERE price_changes = 1')).toBe(11);
  });

  test('keeps one row of each customer although the feed has several', async () => {
    expect(await count('SELECT * FROM staging.customers')).toBe(2400);
    expect(await count('SELECT * FROM raw.customers')).toBeGreaterThan(2400);
    expect((await rows('SELECT DISTINCT segment FROM marts.customers ORDER BY 1')).flat()).toEqual([
      'active',
      'lapsed',
      'prospect',
      'vip',
    ]);
  });

  test('says the same revenue in the orders, in the daily sales and in the payments', async () => {
    const [[revenue]] = (await rows('SELECT SUM(revenue) FROM marts.orders')) as [[string]];
    expect(await rows('SELECT SUM(revenue) FROM marts.daily_sales')).toEqual([[revenue]]);
    expect(
      await rows(
        'SELECT SUM(amount) FROM raw.payments WHERE order_id NOT IN (SELECT order_id FROM quarantine.orders)',
      ),
    ).toEqual([[revenue]]);
  });

  test('splits the lines of all orders between the two regions', async () => {
    const [[total]] = (await rows('SELECT SUM(net_amount) FROM marts.order_items')) as [[string]];
    expect(
      await rows(
        'SELECT SUM(net_amount) FROM (SELECT net_amount FROM marts.eu_sales UNION ALL SELECT net_amount FROM marts.us_sales)',
      ),
    ).toEqual([[total]]);
  });

  test('fails its dq rule on devices because of the week without them, and no other share of missing values', async () => {
    const missing = async (column: string, table: string): Promise<number> =>
      (100 * (await count(`SELECT * FROM ${table} WHERE ${column} IS NULL`))) /
      (await count(`SELECT * FROM ${table}`));
    expect(await missing('device', 'marts.orders')).toBeGreaterThan(0.3);
    expect(await missing('email', 'marts.customers')).toBeLessThan(5);
    const [[average]] = (await rows('SELECT AVG(net_amount) FROM marts.orders')) as [[string]];
    expect(Number(average)).toBeGreaterThan(20);
    expect(Number(average)).toBeLessThan(120);
  });

  test('names only columns that exist in its semantic models', async () => {
    for (const file of readdirSync(join(SHOP, 'models/semantics'))) {
      const semantic = parse(readFileSync(join(SHOP, 'models/semantics', file), 'utf8')) as Semantic;
      const known = new Set(await columnsOf(`SELECT * FROM ${semantic.depends_on}`));
      const measures = new Set(['count', ...(semantic.measures ?? []).map((measure) => measure.name)]);
      const used = [
        ...(semantic.dimensions ?? []).map((dimension) =>
          typeof dimension === 'string'
            ? [dimension]
            : placeholders(dimension.expression ?? `{${dimension.name}}`),
        ),
        ...(semantic.measures ?? []).map((measure) =>
          measure.type === 'number'
            ? []
            : placeholders([measure.expression, ...(measure.filters ?? [])].join(' ')),
        ),
        ...(semantic.segments ?? []).map((segment) => placeholders(segment.expression)),
        semantic.primary_key,
      ].flat();
      for (const column of used) expect(known, `${file}: ${column}`).toContain(column);
      for (const measure of semantic.measures ?? []) {
        if (measure.type !== 'number') continue;
        for (const name of placeholders(measure.expression ?? ''))
          expect(measures, `${file}: ${name}`).toContain(name);
      }
    }
  });
});

describe('the model tests of the shop project', () => {
  const cases = readdirSync(join(SHOP, 'tests')).flatMap((file) =>
    Object.entries(parse(readFileSync(join(SHOP, 'tests', file), 'utf8')) as Record<string, ModelTest>),
  );
  test.each(cases.filter(([, each]) => each.model !== undefined))('%s', async (_name, each) => {
    const database = await openDatabase();
    for (const [table, input] of Object.entries(each.inputs)) {
      const columns = Object.entries(input.columns);
      await database.run(
        `CREATE TABLE ${table} (${columns.map(([name, type]) => `${name} ${type}`).join(', ')})`,
      );
      for (const row of input.rows) {
        const values = columns.map(([name]) => (row[name] === undefined ? 'NULL' : `'${row[name]}'`));
        await database.run(`INSERT INTO ${table} VALUES (${values.join(', ')})`);
      }
    }
    const names = Object.keys(each.outputs.query.rows[0] as object);
    const sql = query(each.model as string, timesOf(each.vars));
    const reader = await database.runAndReadAll(`SELECT ${names.join(', ')} FROM (${sql}) ORDER BY 1`);
    const expected = each.outputs.query.rows.map((row) => names.map((name) => comparable(row[name])));
    expect(reader.getRowsJson().map((row) => row.map(comparable))).toEqual(expected);
    database.closeSync();
  });
});

interface Semantic {
  readonly depends_on: string;
  readonly primary_key: readonly string[];
  readonly dimensions?: readonly (string | { readonly name: string; readonly expression?: string })[];
  readonly measures?: readonly {
    readonly name: string;
    readonly type: string;
    readonly expression?: string;
    readonly filters?: readonly string[];
  }[];
  readonly segments?: readonly { readonly expression: string }[];
}

type Cells = Readonly<Record<string, string | number | boolean>>;

interface ModelTest {
  readonly model?: string;
  readonly vars?: { readonly start: string; readonly end: string; readonly execution_time?: string };
  readonly inputs: Readonly<
    Record<string, { readonly columns: Readonly<Record<string, string>>; readonly rows: readonly Cells[] }>
  >;
  readonly outputs: { readonly query: { readonly rows: readonly Cells[] } };
}

function placeholders(expression: string): string[] {
  return [...expression.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);
}

/** Numbers by value and everything else as text, since DuckDB's JSON gives decimals as text. */
function comparable(cell: unknown): unknown {
  return typeof cell === 'boolean' || cell === null || Number.isNaN(Number(cell)) ? cell : Number(cell);
}

function timesOf(vars: ModelTest['vars']): Times {
  if (vars === undefined) return ALL_TIME;
  const endBefore = new Date(Date.parse(vars.end) + 86_400_000).toISOString().slice(0, 10);
  return {
    startDate: vars.start,
    endDate: vars.end,
    endBefore,
    executionTime: vars.execution_time ?? ALL_TIME.executionTime,
  };
}

async function openDatabase(): Promise<DuckDBConnection> {
  const database = await (await DuckDBInstance.create(':memory:')).connect();
  await database.run(`SET file_search_path = '${folder}'`);
  for (const schema of ['raw', 'staging', 'marts', 'quarantine'])
    await database.run(`CREATE SCHEMA ${schema}`);
  return database;
}

function modelText(name: string): string {
  const path = name.replace('.', '/').replace(/(eu|us)_sales/, 'regional_sales');
  return readFileSync(join(SHOP, 'models', `${path}.sql`), 'utf8');
}

function header(name: string): string {
  const text = modelText(name);
  return text.slice(0, text.indexOf('\n);') + 3);
}

/** The query of a model with its macros expanded by hand. */
function query(name: string, times: Times): string {
  const text = modelText(name)
    .slice(header(name).length)
    .replace(/@DEF\(.*\);/, '')
    .replaceAll('@start_ds', `'${times.startDate}'`)
    .replaceAll('@end_ds', `'${times.endDate}'`)
    .replaceAll('@start_at', `'${times.startDate} 00:00:00'`)
    .replaceAll('@end_before', `'${times.endBefore} 00:00:00'`)
    .replaceAll('@execution_ts', `'${times.executionTime}'`)
    .replaceAll('@active_days', '180')
    .replaceAll('@region_code', name.includes('.eu_') ? "'EU'" : "'US'")
    .replace(/@VAR\('\w+', (\d+)\)/, '$1')
    .replace(/@IF\(@include_cancelled, TRUE, ([^)]*)\)/, '$1')
    .replace(/@EACH\(\s*\[(.*)\],\s*c -> (.*)\n\s*\)/, (_match, list: string, body: string) =>
      list
        .split(', ')
        .map((value) => body.replaceAll('@{c}', value.replaceAll("'", '')).replaceAll('@c', value))
        .join(', '),
    )
    .replace(/;\s*$/, '');
  if (text.includes('@')) throw new Error(`a macro of ${name} is not expanded: ${text}`);
  return text;
}

async function build(name: string): Promise<void> {
  const kind = /^ {2}kind (\w+)/m.exec(header(name))?.[1] as string;
  const object = kind === 'VIEW' || kind === 'EMBEDDED' ? 'VIEW' : 'TABLE';
  if (kind === 'SEED') {
    const path = (/path '\.\.\/\.\.\/(.*)'/.exec(header(name)) as RegExpExecArray)[1];
    const columns = (/\n {2}columns \(\n([\s\S]*?)\n {2}\)/.exec(header(name)) as RegExpExecArray)[1];
    await connection.run(`CREATE TABLE ${name} (${columns})`);
    await connection.run(`COPY ${name} FROM '${join(folder, path as string)}' (HEADER)`);
    return;
  }
  await connection.run(
    `CREATE ${object} ${name} AS ${kind === 'SCD_TYPE_2_BY_COLUMN' ? history(name) : query(name, ALL_TIME)}`,
  );
  if (name !== 'staging.orders') return;
  const failing = auditQuery('valid_channel', name);
  await connection.run(`CREATE TABLE quarantine.orders AS ${failing}`);
  await connection.run(
    'DELETE FROM staging.orders WHERE order_id IN (SELECT order_id FROM quarantine.orders)',
  );
}

/** What SCD 2 by column makes of the monthly lists: the first list of each price, valid until the next one. */
function history(name: string): string {
  return `
    SELECT product_id, price, listed_on, CAST(listed_on AS TIMESTAMP) AS valid_from,
           CAST(LEAD(listed_on) OVER (PARTITION BY product_id ORDER BY listed_on) AS TIMESTAMP) AS valid_to
    FROM (SELECT *, LAG(price) OVER (PARTITION BY product_id ORDER BY listed_on) AS before FROM (${query(name, ALL_TIME)}))
    WHERE before IS DISTINCT FROM price`;
}

function auditsOf(name: string): string[] {
  const block = /\n {2}audits \(\n([\s\S]*?)\n {2}\)/.exec(header(name))?.[1] ?? '';
  return block
    .split('\n')
    .map((line) => line.trim().replace(/,$/, ''))
    .filter((line) => line !== '');
}

/** The rows that break an audit written as `name` or `name(key := value, …)`. */
function auditQuery(audit: string, model: string): string {
  const name = (/^\w+/.exec(audit) as RegExpExecArray)[0];
  const value = (key: string): string => {
    const found = new RegExp(`\\b${key} := (\\([^)]*\\)|[^,)]+)`).exec(audit)?.[1];
    if (found === undefined) throw new Error(`${model}: ${audit} has no ${key}`);
    return found;
  };
  const list = (key: string): string[] => value(key).replace(/[()]/g, '').split(', ');
  const where = (condition: string): string => `SELECT * FROM ${model} WHERE ${condition}`;
  switch (name) {
    case 'not_null':
      return where(
        list('columns')
          .map((column) => `${column} IS NULL`)
          .join(' OR '),
      );
    case 'unique_values':
      return list('columns')
        .map((column) => `SELECT ${column}::VARCHAR FROM ${model} GROUP BY ${column} HAVING COUNT(*) > 1`)
        .join(' UNION ALL ');
    case 'unique_combination_of_columns':
      return `SELECT ${list('columns')} FROM ${model} GROUP BY ${list('columns')} HAVING COUNT(*) > 1`;
    case 'accepted_values':
      return where(`${value('column')} NOT IN ${value('is_in')}`);
    case 'accepted_range':
      return where(
        `${value('column')} < ${value('min_v')}${audit.includes('max_v') ? ` OR ${value('column')} > ${value('max_v')}` : ''}`,
      );
    case 'number_of_rows':
      return `SELECT COUNT(*) FROM ${model} HAVING COUNT(*) <= ${value('threshold')}`;
    default: {
      const text = readFileSync(join(SHOP, 'audits', `${name}.sql`), 'utf8');
      return text
        .slice(text.indexOf('\n);') + 3)
        .replace('@this_model', model)
        .replace('@tolerance', '0')
        .replace(/@amount/, () => value('amount'))
        .replace(/;\s*$/, '');
    }
  }
}

async function rows(sql: string): Promise<readonly (readonly unknown[])[]> {
  return (await connection.runAndReadAll(sql)).getRowsJson();
}

async function count(sql: string): Promise<number> {
  return Number((await rows(`SELECT COUNT(*) FROM (${sql})`))[0]?.[0]);
}

async function columnsOf(sql: string): Promise<readonly string[]> {
  return (await connection.runAndReadAll(`${sql} LIMIT 0`)).columnNames();
}
