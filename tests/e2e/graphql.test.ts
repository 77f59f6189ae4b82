/** The same question through REST, semantic SQL, GraphQL and the metric endpoint has the same answer, cell by cell, whoever asks. */
import { createHash } from 'node:crypto';
import { getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newToken, type ServedProject, servedProject } from './served-project.ts';
import {
  CHOSEN,
  drawn,
  graphqlOf,
  graphqlPaths,
  restOf,
  type ShopQuestion,
  shopFiles,
  sqlOf,
} from './shop-questions.ts';

type Json = Readonly<Record<string, unknown>>;
type Rows = readonly (readonly unknown[])[];
type Who = 'mara' | 'emil' | 'una';

const GROUPS: Readonly<Record<Who, string>> = { mara: 'admin', emil: 'eu_analyst', una: 'us_analyst' };
const PEOPLE = Object.keys(GROUPS) as readonly Who[];

let served: ServedProject;
let base: string;
const tokens = new Map<Who, string>();

beforeAll(async () => {
  const shop = await shopFiles();
  const files = {
    ...shop,
    'config.yaml': `${shop['config.yaml']}\nserver: {limits: {requests_per_second: 100000}}\n`,
  };
  served = await servedProject(files, async (project) => {
    for (const who of PEOPLE) {
      await project.json('user', 'create', who, '--group', GROUPS[who], '--role', 'viewer');
      tokens.set(who, await newToken(project, '--user', who));
    }
  });
  base = served.products[0]?.base_url ?? '';
});

afterAll(async () => {
  await served?.stop();
});

async function post(
  who: Who,
  path: string,
  body: unknown,
): Promise<{ readonly status: number; readonly body: Json }> {
  const answer = await fetch(path.startsWith('http') ? path : `${base}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokens.get(who)}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as Json };
}

async function graphql(who: Who, query: string, variables: Json = {}): Promise<Json> {
  return (await post(who, '/query/semantic/graphql', { query, variables })).body;
}

async function rows(who: Who, path: string, body: unknown): Promise<{ readonly rows: Rows }> {
  const { status, body: statement } = await post(who, path, body);
  expect(status, JSON.stringify({ body, statement })).toBe(200);
  expect(statement['status'], JSON.stringify({ body, error: statement['error'] })).toBe('SUCCESS');
  return statement['result'] as { readonly rows: Rows };
}

/** Cells of a GraphQL answer in the order of the columns. */
function flat(answer: Json, root: string, paths: readonly (readonly string[])[]): Rows {
  expect(answer['errors'], JSON.stringify(answer['errors'])).toBeUndefined();
  const data = answer['data'] as Readonly<Record<string, readonly Json[]>>;
  return (data[root] ?? []).map((row) =>
    paths.map((path) => path.reduce<unknown>((at, step) => (at as Json)[step], row)),
  );
}

const sorted = (cells: Rows): readonly string[] => cells.map((row) => JSON.stringify(row)).toSorted();

/** The number of rows that all doors agree on; undefined when all refuse the question for the same reason. */
async function compare(who: Who, question: ShopQuestion): Promise<number | undefined> {
  const body = { query: restOf(question) };
  const asked = graphqlOf(question);
  const answer = await graphql(who, asked);
  const { status, body: refusal } = await post(who, '/query/semantic/rest', body);
  if (status === 422) {
    const [error] = answer['errors'] as readonly { readonly extensions: Json }[];
    expect(error?.extensions['code'], asked).toBe(refusal['code']);
    return undefined;
  }
  const rest = await rows(who, '/query/semantic/rest', body);
  const found = flat(answer, question.root, graphqlPaths(question));
  expect(found, asked).toEqual(rest.rows);
  const sql = sqlOf(question);
  if (sql !== undefined && (question.limit === undefined || question.order !== undefined)) {
    const answered = await rows(who, '/query/semantic/sql', { sql });
    expect(sorted(answered.rows), sql).toEqual(sorted(rest.rows));
  }
  return rest.rows.length;
}

const title = ({ root, dimensions, measures, filters = [], ...rest }: ShopQuestion): string =>
  [root, dimensions, measures, filters.map(({ operator }) => operator), Object.keys(rest)]
    .map(String)
    .join(' | ');

describe('parity', () => {
  test.each(CHOSEN.map((question, i) => [i, title(question), question] as const))(
    'question %i: %s',
    async (_, __, question) => {
      expect(await compare('mara', question)).toBeGreaterThan(0);
    },
  );

  test('of forty questions that were drawn, for all three', async () => {
    const found: (number | undefined)[] = [];
    for (const [i, question] of drawn(40).entries())
      found.push(await compare(PEOPLE[i % 3] as Who, question));
    expect(found.filter((count) => (count ?? 0) > 0).length).toBeGreaterThan(30);
  });

  test.each(['emil', 'una'] as const)('%s sees the same rows and masks through every door', async (who) => {
    const region = who === 'emil' ? 'EU' : 'US';
    const seen = CHOSEN.filter((question) => !JSON.stringify(question).includes('payments'));
    for (const question of seen) await compare(who, question);
    const { rows: found } = await rows(who, '/query/semantic/rest', {
      query: { dimensions: ['customers.region', 'customers.email'], measures: ['orders.count'] },
    });
    expect(found.length).toBe(1);
    expect(found[0]?.slice(0, 2)).toEqual([region, '***']);
    const own = await graphql(who, '{ orders { count customers { region email } } }');
    expect(flat(own, 'orders', [['customers', 'region'], ['customers', 'email'], ['count']])).toEqual(found);
  });

  const METRICS: readonly {
    readonly name: string;
    readonly request: Json;
    readonly args: string;
    readonly fields: readonly string[];
  }[] = [
    { name: 'revenue_by_month', request: {}, args: '', fields: [] },
    {
      name: 'revenue_by_month',
      request: {
        granularity: 'quarter',
        dimensions: ['region', 'store'],
        dateRange: ['2024-01-01', '2024-12-31'],
      },
      args: '(granularity: quarter, dateRange: ["2024-01-01", "2024-12-31"])',
      fields: ['region', 'store'],
    },
    {
      name: 'orders_placed',
      request: {
        dimensions: ['status'],
        filters: [{ member: 'channel', operator: 'equals', values: ['online'] }],
        limit: 30,
      },
      args: '(where: {channel: {equals: "online"}}, limit: 30)',
      fields: ['status'],
    },
    { name: 'active_customers', request: { dimensions: ['channel'] }, args: '', fields: ['channel'] },
    {
      name: 'return_rate',
      request: { granularity: 'year', dimensions: ['region'] },
      args: '(granularity: year)',
      fields: ['region'],
    },
    { name: 'margin_share', request: { dimensions: ['category'] }, args: '', fields: ['category'] },
    { name: 'basket_price', request: { dimensions: ['category'] }, args: '', fields: ['category'] },
    { name: 'first_order_conversion', request: {}, args: '', fields: [] },
    { name: 'revenue_year_to_date', request: { dimensions: ['region'] }, args: '', fields: ['region'] },
    {
      name: 'revenue_four_weeks',
      request: { dateRange: ['2025-01-01', '2025-01-20'] },
      args: '(dateRange: ["2025-01-01", "2025-01-20"])',
      fields: [],
    },
    {
      name: 'revenue_per_active_customer',
      request: { dimensions: ['channel'] },
      args: '',
      fields: ['channel'],
    },
    { name: 'promotion_revenue', request: { dimensions: ['promotion'] }, args: '', fields: ['promotion'] },
    {
      name: 'weekend_revenue',
      request: { segments: ['orders.with_promotion'] },
      args: '(segments: [orders__with_promotion])',
      fields: [],
    },
    {
      name: 'refund_share',
      request: { granularity: 'day', timezone: 'Asia/Tokyo', limit: 20, dimensions: ['method'] },
      args: '(granularity: day, timezone: "Asia/Tokyo", limit: 20)',
      fields: ['method'],
    },
    {
      name: 'orders_placed',
      request: {
        granularity: 'month',
        order: [
          ['measure', 'desc'],
          ['ts.month', 'asc'],
        ],
        limit: 5,
      },
      args: '(granularity: month, orderBy: [{measure: desc}, {ts: asc}], limit: 5)',
      fields: [],
    },
  ];

  test.each(METRICS.map((each, i) => [i, each.name, each] as const))(
    'metric %i: %s',
    async (_, name, each) => {
      const people = name === 'refund_share' ? (['mara'] as const) : PEOPLE;
      for (const who of people) {
        const order =
          each.request['order'] === undefined
            ? {}
            : {
                order: [
                  [`${name}.measure`, 'desc'],
                  [`${name}.ts.month`, 'asc'],
                ],
              };
        const endpoint = await rows(who, `/query/metric/${name}`, { ...each.request, ...order });
        const paths = [['ts'], ...each.fields.map((field) => [field]), ['measure']];
        const asked = `{ ${name}${each.args} { ${paths.join(' ')} } }`;
        const found = flat(await graphql(who, asked), name, paths);
        expect(found.length).toBeGreaterThan(0);
        expect(found, asked).toEqual(endpoint.rows);
        const {
          granularity,
          dimensions = [],
          filters = [],
          limit,
          segments,
          timezone,
          dateRange,
        } = each.request as {
          readonly granularity?: string;
          readonly dimensions?: readonly string[];
          readonly filters?: readonly Json[];
          readonly [key: string]: unknown;
        };
        if ([limit, segments, timezone, dateRange].some((given) => given !== undefined) || filters.length > 0)
          continue;
        const ts = granularity === undefined ? 'ts' : `date_trunc('${granularity}', ts)`;
        const sql = await rows(who, '/query/semantic/sql', {
          sql: `SELECT ${[ts, ...dimensions, 'measure'].join(', ')} FROM ${name}`,
        });
        expect(sorted(sql.rows)).toEqual(sorted(endpoint.rows));
      }
    },
  );
});

describe('the schema', () => {
  const fieldNames = async (who: Who): Promise<readonly string[]> => {
    const { data } = await graphql(who, '{ __schema { queryType { fields { name } } } }');
    return (
      data as { __schema: { queryType: { fields: { name: string }[] } } }
    ).__schema.queryType.fields.map(({ name }) => name);
  };

  test('has what the caller may see: denied semantic models and what needs them are absent, masked members are there', async () => {
    const [all, own] = [await fieldNames('mara'), await fieldNames('emil')];
    expect(all).toContain('payments');
    expect(all).toContain('refund_share');
    expect(all.filter((name) => !own.includes(name))).toEqual(['payments', 'refund_share']);
    const asked = await graphql('emil', '{ payments { balance } orders { count customers { email } } }');
    expect(JSON.stringify(asked)).toMatch(/Cannot query field \\"payments\\" on type \\"Query\\"/);
    const { data } = await graphql('emil', '{ __type(name: "Orders") { fields { name } } }');
    expect(JSON.stringify(data)).not.toContain('payments');
    const masked = await graphql('emil', '{ __type(name: "Orders_customers") { fields { name } } }');
    expect(JSON.stringify(masked)).toContain('email');
  });

  test('is read by the introspection of the library, which fits into the limits', async () => {
    const answer = await graphql('mara', getIntrospectionQuery());
    expect(answer['errors']).toBeUndefined();
  });

  test('says what it is made of', async () => {
    const { data } = await graphql('mara', '{ _meta { product tenant environment promotion_id } }');
    expect(data).toEqual({
      _meta: {
        product: 'shop',
        tenant: 'default',
        environment: 'prod',
        promotion_id: expect.stringMatching(/^v_/),
      },
    });
  });
});

describe('documents', () => {
  test('have fragments, aliases, variables and directives', async () => {
    const answer = await graphql(
      'mara',
      `query ($region: [String], $wide: Boolean!) {
        eu: orders(where: {region: {equals: $region}}) { ...columns }
        all: orders { ...columns again: revenue ... on Orders { status @skip(if: $wide) } }
      }
      fragment columns on Orders { revenue buyers @include(if: $wide) }`,
      { region: ['EU'], wide: true },
    );
    const { eu, all } = answer['data'] as { readonly eu: readonly Json[]; readonly all: readonly Json[] };
    expect(Object.keys(eu[0] ?? {})).toEqual(['revenue', 'buyers']);
    expect(all.length).toBe(1);
    expect(all[0]?.['again']).toBe(all[0]?.['revenue']);
    expect(Number(all[0]?.['revenue'])).toBeGreaterThan(Number(eu[0]?.['revenue']));
    const { statements } = answer['extensions'] as {
      readonly statements: readonly { readonly field: string }[];
    };
    expect(statements.map(({ field }) => field).toSorted()).toEqual(['all', 'eu']);
  });

  test('say each thing under the name it was asked for, as often as it was', async () => {
    const { data, errors } = await graphql(
      'mara',
      `{ one: orders(limit: 1, orderBy: {order_id: asc}) {
        __typename id: order_id order_id constructor: order_id
        c: customers { __typename } customers { ...in } c: customers { region }
        order_date { d: month month value }
      } }
      fragment in on Orders_customers { r: region region }`,
    );
    expect(errors).toBeUndefined();
    const [row] = (data as Json)['one'] as readonly Json[];
    const { customers, order_date: time } = row as { readonly customers: Json; readonly order_date: Json };
    const { region } = customers;
    expect(row).toEqual({
      __typename: 'Orders',
      id: row?.['order_id'],
      order_id: expect.anything(),
      constructor: row?.['order_id'],
      c: { __typename: 'Orders_customers', region },
      customers: { r: region, region: expect.any(String) },
      order_date: { d: time['month'], month: expect.any(String), value: expect.any(String) },
    });
    expect(Object.keys(row ?? {})).toEqual([
      '__typename',
      'id',
      'order_id',
      'constructor',
      'c',
      'customers',
      'order_date',
    ]);
  });

  test('that fail in one question answer the others', async () => {
    const { data, errors } = (await graphql(
      'mara',
      '{ good: orders { count } bad: orders(timezone: "Moon/Base") { count } }',
    )) as { readonly data: Json; readonly errors: readonly Json[] };
    expect(data['good']).toHaveLength(1);
    expect(data['bad']).toBeNull();
    expect(errors).toEqual([
      expect.objectContaining({
        path: ['bad'],
        extensions: expect.objectContaining({ code: 'semantic.unknown-zone' }),
      }),
    ]);
  });

  const codeOf = async (query: string, variables: Json = {}): Promise<unknown> => {
    const answer = await graphql('mara', query, variables);
    const [first] = answer['errors'] as readonly { readonly extensions: Json }[];
    return first?.extensions['code'];
  };
  const deep = (levels: number): string =>
    `{ __schema { types { ${'ofType { '.repeat(levels)}name${' }'.repeat(levels)} } } }`;

  test.each([
    ['that are no GraphQL', '{ orders { ', 'graphql.syntax'],
    ['with unknown fields', '{ orders { nothing } }', 'graphql.invalid'],
    ['with more than 15 levels', deep(14), 'graphql.too-large'],
    [
      'with more than 10 root fields',
      `{ ${Array.from({ length: 11 }, (_, i) => `a${i}: orders { count }`).join(' ')} }`,
      'graphql.too-large',
    ],
    ['with more than 1,000 fields', `{ orders { ${'count '.repeat(1001)} } }`, 'graphql.too-large'],
    [
      'with aliases that make more of the schema than there is',
      `{ __schema { types { fields { type { fields { ${Array.from({ length: 900 }, (_, i) => `a${i}: name`).join(' ')} } } } } } }`,
      'graphql.too-large',
    ],
    [
      'with aliases that make more of the rows than there is',
      `{ orders(ungrouped: true, limit: 50000) { order_id ${Array.from({ length: 900 }, (_, i) => `a${i}: status`).join(' ')} } }`,
      'graphql.too-large',
    ],
    [
      'with fragments that double',
      `{ orders { ...f0 } } ${Array.from({ length: 20 }, (_, i) => `fragment f${i} on Orders { ...f${i + 1} ...f${i + 1} }`).join(' ')} fragment f20 on Orders { count }`,
      'graphql.too-large',
    ],
    [
      'with fragments in a circle',
      '{ orders { ...a } } fragment a on Orders { count ...b } fragment b on Orders { ...a }',
      'graphql.invalid',
    ],
    ['of more than 100 kB', `{ orders { count } } # ${'x'.repeat(100_000)}`, 'graphql.too-large'],
    ['with brackets without end', `{ orders(where: ${'{AND: ['.repeat(5_000)}`, 'graphql.too-large'],
    ['without what they need', 'query ($x: Int!) { orders(limit: $x) { count } }', 'graphql.invalid'],
    ['that change something', 'mutation { orders { count } }', 'graphql.invalid'],
    [
      'with several columns in one order',
      '{ orders(orderBy: {count: asc, revenue: desc}) { count } }',
      'graphql.bad-order',
    ],
    ['with more rows than an answer may have', '{ orders(limit: 50001) { count } }', 'statement.bad-option'],
    ['with a bad cursor', '{ statements(after: "x") { edges { cursor } } }', 'http.bad-cursor'],
  ] as const)('%s are refused', async (_, query, code) => {
    expect(await codeOf(query)).toBe(code);
  });

  test('with variables that are nested too deep are refused, in bodies and in addresses', async () => {
    let where: Json = { status: { equals: 'x' } };
    for (let i = 0; i < 160; i++) where = { AND: [where] };
    const query = 'query ($w: OrdersWhere) { orders(where: $w) { count } }';
    const posted = await post('mara', '/query/semantic/graphql', { query, variables: { w: where } });
    expect([posted.status, posted.body['code']]).toEqual([400, 'http.too-deep']);
    const address = new URLSearchParams({ query, variables: JSON.stringify({ w: where }) });
    const asked = await fetch(`${base.replace('/api/v1', '/graphql')}?${address}`, {
      headers: { authorization: `Bearer ${tokens.get('mara')}` },
    });
    const { errors } = (await asked.json()) as { readonly errors: readonly { readonly extensions: Json }[] };
    expect(errors[0]?.extensions['code']).toBe('graphql.too-large');
  });

  test('never have values of the caller in their errors', async () => {
    const secret = 'hunter2-not-to-be-told';
    const answers = [
      await graphql('mara', 'query ($l: Int) { orders(limit: $l) { count } }', { l: secret }),
      await graphql('mara', 'query ($w: OrdersWhere) { orders(where: $w) { count } }', {
        w: { status: { equals: [{ a: secret }] } },
      }),
      await graphql('mara', `{ orders(limit: "${secret}") { count } }`),
      await graphql('mara', `{ orders(where: {count: {gt: {a: "${secret}"}}}) { count } }`),
      await graphql('mara', 'query ($s: [OrdersSegment!]) { orders(segments: $s) { count } }', {
        s: [secret],
      }),
      await graphql('mara', `{ orders(segments: ["${secret}"]) { count } }`),
    ];
    for (const answer of answers) {
      expect(answer['errors']).toBeDefined();
      expect(JSON.stringify(answer)).not.toContain('hunter2');
    }
  });
});

describe('the door', () => {
  const door = (): string => base.replace('/api/v1', '/graphql');

  test('answers the usual way beside the API, by GET too', async () => {
    const posted = await post('mara', door(), { query: '{ orders { count } }' });
    const asked = await fetch(`${door()}?query=${encodeURIComponent('{ orders { count } }')}`, {
      headers: { authorization: `Bearer ${tokens.get('mara')}` },
    });
    expect(posted.status).toBe(200);
    expect(((await asked.json()) as Json)['data']).toEqual(posted.body['data']);
  });

  test('says 400 of what was not executed to those who know the media type', async () => {
    const ask = (query: string): Promise<Response> =>
      fetch(door(), {
        method: 'POST',
        headers: {
          authorization: `Bearer ${tokens.get('mara')}`,
          'content-type': 'application/json',
          accept: 'application/graphql-response+json',
        },
        body: JSON.stringify({ query }),
      });
    expect((await ask('{ nothing }')).status).toBe(400);
    expect((await ask('{ orders { count } }')).status).toBe(200);
  });

  test('wants a token for everything but its page, which loads nothing from elsewhere', async () => {
    const none = await fetch(door(), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"query": "{ orders { count } }"}',
    });
    expect(none.status).toBe(401);
    const sly = await fetch(`${door()}?query=%7Borders%7Bcount%7D%7D`, { headers: { accept: 'text/html' } });
    expect(sly.status).toBe(401);
    const page = await fetch(door(), { headers: { accept: 'text/html' } });
    const html = await page.text();
    expect(page.status).toBe(200);
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
    for (const tag of ['script', 'style']) {
      const [, text = ''] = new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`).exec(html) ?? [];
      expect(policy).toContain(`${tag}-src 'sha256-${createHash('sha256').update(text).digest('base64')}'`);
    }
    expect(html).toContain('<textarea');
    expect(html).not.toMatch(/\son\w+=|\sstyle=/);
    expect(html).not.toMatch(/https?:\/\/|\bsrc=|@import|<link/);
  });

  test('lists own statements a page at a time', async () => {
    const seen: string[] = [];
    let after: string | null = null;
    for (let page = 0; page < 3; page++) {
      const { data } = await graphql(
        'una',
        'query ($after: String) { statements(first: 2, after: $after) { edges { node { id status row_count } cursor } pageInfo { hasNextPage endCursor } } }',
        { after },
      );
      const { edges, pageInfo } = (data as Json)['statements'] as {
        readonly edges: readonly { readonly node: { readonly id: string; readonly status: string } }[];
        readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
      };
      expect(pageInfo.hasNextPage).toBe(true);
      seen.push(...edges.map(({ node }) => node.id));
      after = pageInfo.endCursor;
    }
    expect(new Set(seen).size).toBe(6);
    expect(seen).toEqual(seen.toSorted().reverse());
    const mine = await fetch(`${base}/query/statement?limit=6`, {
      headers: { authorization: `Bearer ${tokens.get('una')}` },
    });
    const { items } = (await mine.json()) as { readonly items: readonly { readonly id: string }[] };
    expect(items.map(({ id }) => id)).toEqual(seen);
  });
});
