/**
 * Walks the tables of both APIs: every parameter and every field of a body has an effect. The same request is sent with and
 * without it, and the answers must differ in more than what differs from request to request.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SCOPES } from '../../src/domain/principal.ts';
import { SERVER_LIMITS } from '../../src/domain/server-limits.ts';
import { openPlatform } from '../../src/operations/serve/open-platform.ts';
import type { RunningServer } from '../../src/operations/serve/running-server.ts';
import { platformApi } from '../../src/server/http/platform-api.ts';
import { productApi } from '../../src/server/http/product-api.ts';
import type { Route } from '../../src/server/http/route.ts';
import type { GraphqlDoor } from '../../src/server/http/routes/graphql-routes.ts';
import { startServer } from '../../src/server/start-server.ts';
import { planProduct } from '../support/served-product.ts';
import { type TemporaryProject, temporaryProject } from '../support/temporary-project.ts';
import { HTTP_EVIDENCE, type HttpEvidence } from './evidence-http.ts';

const routes: readonly Pick<
  Route,
  'method' | 'path' | 'operationId' | 'query' | 'body' | 'notYet' | 'access'
>[] = [
  ...platformApi(
    { service: 'plinth', version: '0', limits: SERVER_LIMITS, startedAt: 0, jwks: { keys: [] } },
    [],
  ).routes,
  ...productApi('plinth', { sdl: async () => '' } as unknown as GraphqlDoor, {
    limits: SERVER_LIMITS,
    version: '0',
  }).routes,
].filter(({ notYet }) => notYet === undefined);

type Schema = {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
};
const propertiesOf = (schema: Schema | undefined): readonly string[] => [
  ...new Set([
    ...Object.keys(schema?.properties ?? {}),
    ...[...(schema?.anyOf ?? []), ...(schema?.oneOf ?? []), ...(schema?.allOf ?? [])].flatMap(propertiesOf),
  ]),
];
const fieldsOf = ({ query, body }: (typeof routes)[number]): readonly string[] => [
  ...Object.keys(query ?? {}),
  ...propertiesOf(body as Schema | undefined),
];
const fields = routes.flatMap((route) =>
  fieldsOf(route).map((field) => ({ route, field, name: `${route.operationId} ${field}` })),
);

test('every parameter and field has evidence, and nothing else has', () => {
  expect(fields.length).toBeGreaterThan(150);
  const known = new Set(fields.map(({ name }) => name));
  expect([...known].filter((name) => HTTP_EVIDENCE[name] === undefined)).toEqual([]);
  expect(Object.keys(HTTP_EVIDENCE).filter((name) => !known.has(name))).toEqual([]);
});

test('every scope that a token can have is asked for somewhere', async () => {
  const { readdirSync, readFileSync } = await import('node:fs');
  const { join } = await import('node:path');
  const root = join(import.meta.dirname, '../../src');
  const texts = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/domain\/(?:principal|permissions)\.ts$/.test(file))
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .join('\n');
  expect(SCOPES.filter((scope) => !texts.includes(`'${scope}'`))).toEqual([]);
});

let project: TemporaryProject;
let server: RunningServer;
beforeAll(async () => {
  project = temporaryProject({
    'config.yaml':
      'name: keys\nowner: mara\ntags: [gold]\ngateways: {local: {connection: {type: duckdb, database: w.duckdb}}}\nmodel_defaults: {start: 2024-01-01}\nserver: {limits: {requests_per_second: 100000}}\n',
    'models/a.sql':
      "MODEL (name m.a, kind INCREMENTAL_BY_TIME_RANGE (time_column day, batch_size 1), tags (gold), grain id);\nSELECT 1 AS id, 'EU' AS region, 5 AS amount, @start_date AS day, @start_dtntz AS moment\n",
    'models/b.sql': 'MODEL (name m.b, kind FULL);\nSELECT id, amount, day FROM m.a\n',
    'models/c.sql': 'MODEL (name m.c, kind VIEW);\nSELECT id FROM m.b\n',
    'models/semantics/a.yml':
      'kind: semantic\nname: a\ndepends_on: m.a\nprimary_key: [id, day]\ndimensions: [id, region, day, moment]\nmeasures: [{name: total, type: sum, expression: "{amount}"}]\nsegments: [{name: none, expression: "{id} > 5"}]\n',
    'models/metrics/sales.yml':
      'kind: metric\nname: sales\nmeasure: a.total\nts: a.day\ngranularity: month\ndimensions: [{ref: a.region}]\n',
  });
  const options = { folders: [project.folder], variables: {}, executionTime: Date.UTC(2024, 0, 11) };
  const platform = await openPlatform(options);
  for (const product of platform.products) {
    await planProduct(product);
    project.write({ 'models/d.sql': 'MODEL (name m.d, kind VIEW);\nSELECT 1 AS one\n' });
    await planProduct(product);
    await planProduct(product, 'dev');
  }
  await platform.close();
  server = await startServer({
    ...options,
    host: '127.0.0.1',
    port: 0,
    auth: 'disabled',
    hasScheduler: false,
    isForced: false,
    log: () => undefined,
  });
  for (const [method, path, body] of [
    ['POST', '/tenants', { name: 'second' }],
    ['POST', '/tenants/default/users', { name: 'ann' }],
    ['POST', '/tenants/default/users', { name: 'bob' }],
    ['POST', '/tenants/default/service-accounts', { name: 'one' }],
    ['POST', '/tenants/default/service-accounts', { name: 'two' }],
    ['POST', '/tenants/default/groups', { name: 'first' }],
    ['POST', '/tenants/default/groups', { name: 'other' }],
    ['POST', '/tenants/default/tokens', { principal: 'ann', name: 'x' }],
    ['POST', '/tenants/default/tokens', { principal: 'bob', name: 'y' }],
    ['PUT', '/tenants/default/resources/apps/keys/grants/ann', { role: 'editor' }],
    ['PUT', '/tenants/default/resources/apps/keys/grants/bob', { role: 'consumer' }],
  ] as const)
    expect((await ask(method, `/platform-api/v1${path}`, { body })).status, path).toBeLessThan(300);
  for (const n of [1, 2])
    await ask('POST', `${BASE}/query/statement`, {
      body: { sql: `SELECT ${n} AS n`, wait: 20, tags: [`t${n}`] },
    });
});
afterAll(async () => {
  await server.close();
  project.delete();
});

const BASE = '/plinth/tenants/default/data-products/default-keys/api/v1';

interface Sent {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly path?: Readonly<Record<string, string>>;
}

async function ask(
  method: string,
  path: string,
  { query = {}, body }: Sent,
): Promise<{ status: number; text: string }> {
  const search = new URLSearchParams(query).toString();
  const answer = await fetch(`${server.url}${path}${search === '' ? '' : `?${search}`}`, {
    method,
    headers: { accept: '*/*', ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, text: await answer.text() };
}

let count = 0;
/** Names that are used once: a second user of one name would be refused. */
const fresh = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value).replaceAll('«new»', `k${++count}`));

/** Without what is another in every answer. */
const plain = (text: string): string =>
  text
    .replaceAll(
      /"(?:correlation_id|id|plan_id|run_id|promotion_id|fingerprint|token|token_hint|etag)":"[^"]*"/g,
      '',
    )
    .replaceAll(/"version":\d+/g, '')
    .replaceAll(/"\w+_(?:at|ms)":(?:"[^"]*"|[\d.]+)/g, '')
    .replaceAll(/"\w*(?:time|since)":"[^"]*"/g, '')
    .replaceAll(/"(?:as_of|newest|at)":"[^"]*"|"age_seconds":\d+/g, '')
    .replaceAll(/\b[a-z]_?[0-9a-z]{14,}\b/g, '')
    .replaceAll(/\bk\d+\b/g, 'k')
    .replaceAll(/[a-z2-7]{26}/g, '');

async function answerOf({ route }: (typeof fields)[number], sent: Sent): Promise<string> {
  const isPlatform = platformPaths.has(route.path);
  const path = pathOf(route.path, sent.path ?? {});
  const { status, text } = await ask(route.method, `${isPlatform ? '/platform-api/v1' : BASE}${path}`, {
    ...sent,
    ...(sent.body === undefined ? {} : { body: fresh(sent.body) }),
  });
  return `${status} ${plain(text)}`;
}

const platformPaths = new Set(
  platformApi(
    { service: 'plinth', version: '0', limits: SERVER_LIMITS, startedAt: 0, jwks: { keys: [] } },
    [],
  ).routes.map(({ path }) => path),
);

const settled = new Map<string, Promise<string>>();

/** The answer to a request that is sent more than once: alike each time, but for the first, which others are answered from. */
function settledAnswer(each: (typeof fields)[number], sent: Sent): Promise<string> {
  const name = JSON.stringify([each.route.operationId, sent]);
  const found =
    settled.get(name) ??
    (async () => {
      await answerOf(each, sent);
      const answer = await answerOf(each, sent);
      expect(await answerOf(each, sent), 'the request without it is answered alike each time').toBe(answer);
      return answer;
    })();
  settled.set(name, found);
  return found;
}

describe('the answer differs with', () => {
  const asked = fields.flatMap((each) => {
    const evidence = HTTP_EVIDENCE[each.name];
    return evidence === undefined || 'file' in evidence || 'documented' in evidence || 'sameAs' in evidence
      ? []
      : [{ ...each, evidence }];
  });
  test.each(asked)('$name', async (each) => {
    const { with: written, without } =
      'isCursor' in each.evidence ? await nextPage(each) : requests(each.evidence);
    const before = await settledAnswer(each, without);
    expect(await answerOf(each, written)).not.toBe(before);
  });
});

async function nextPage({ route }: (typeof fields)[number]): Promise<{ with: Sent; without: Sent }> {
  const path = `${platformPaths.has(route.path) ? '/platform-api/v1' : BASE}${pathOf(route.path, {})}`;
  const first = JSON.parse((await ask('GET', path, { query: { limit: '1' } })).text) as {
    readonly next_cursor: string | null;
  };
  expect(first.next_cursor).toEqual(expect.any(String));
  return {
    without: { query: { limit: '1' } },
    with: { query: { limit: '1', cursor: first.next_cursor ?? '' } },
  };
}

function pathOf(path: string, values: Readonly<Record<string, string>>): string {
  const known: Readonly<Record<string, string>> = {
    tenant: 'default',
    name: path.includes('/apps/') ? 'keys' : 'm.a',
    principal: 'ann',
    ...values,
  };
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => known[name] ?? 'none');
}

function requests(evidence: HttpEvidence): { with: Sent; without: Sent } {
  const { base = {}, query, body } = evidence as Extract<HttpEvidence, { readonly base?: unknown }>;
  return {
    without: base,
    with: {
      ...base,
      ...(query === undefined ? {} : { query: { ...base.query, ...query } }),
      ...(body === undefined ? {} : { body: { ...(base.body as object), ...body } }),
    },
  };
}

test('what is ignored is documented so', () => {
  for (const { route, field, name } of fields) {
    const evidence = HTTP_EVIDENCE[name];
    if (evidence === undefined || !('documented' in evidence)) continue;
    expect(JSON.stringify((route.body as Schema).properties?.[field])).toContain(evidence.documented);
  }
});

describe('the test that is named is there:', () => {
  const named = fields.flatMap((each) => {
    const evidence = HTTP_EVIDENCE[each.name];
    return evidence !== undefined && 'file' in evidence ? [{ ...each, evidence }] : [];
  });
  test.each(named)('$name', async ({ evidence, field }) => {
    const { readFileSync } = await import('node:fs');
    const { join } = await import('node:path');
    const text = readFileSync(join(import.meta.dirname, '../..', evidence.file), 'utf8');
    expect(text).toContain(evidence.test);
    const camel = field.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    expect(text.includes(field) || text.includes(camel), field).toBe(true);
  });
});
