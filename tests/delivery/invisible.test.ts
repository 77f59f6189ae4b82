/**
 * One caller has an inbox, deliveries, a channel, a rule and a private perspective in product one. In product two another one has an inbox
 * alone, since how many follow a model is for all to see. Every operation of the OpenAPI document is asked by others of both, with the ids and words of what is hidden wherever the operation
 * takes a text, and the answers are the same.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServedPlatform, servedPlatform } from '../support/served-platform.ts';
import { type Receiver, startReceiver, until } from './delivery-bench.ts';

const base = (product: string): string => `/plinth/tenants/acme/data-products/acme-${product}/api/v1`;
// biome-ignore lint/suspicious/noExplicitAny: documents are looked into as they come
type Any = any;

const SECRET = 'hush-hush';
let served: ServedPlatform;
let receiver: Receiver;
const tokens: Record<string, string> = {};
/** Ids and names that only their owner may see. */
let hidden: readonly string[] = [];

interface Said {
  readonly status: number;
  readonly text: string;
}

async function ask(name: string, method: string, path: string, body?: unknown): Promise<Said> {
  const token = tokens[name] ?? '';
  const answer = await fetch(`${served.url}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      ...(path.startsWith('/plinth/') ? { authorization: `Bearer ${token}` } : { apikey: token }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, text: await answer.text() };
}

async function made(answer: Promise<Said>): Promise<Any> {
  const { status, text } = await answer;
  if (status >= 300) throw new Error(text);
  return JSON.parse(text);
}

beforeAll(async () => {
  receiver = await startReceiver();
  const config = (name: string): string =>
    `name: ${name}\ntenant: acme\nserver: {webhooks: {allow_private: true}, limits: {requests_per_second: 100000}}`;
  // The log of the first folder has the people of the tenant, too.
  served = await servedPlatform([config('home'), config('one'), config('two')], {
    'models/n.sql': 'MODEL (name s.n, kind FULL);\nSELECT a FROM s.m',
  });
  for (const name of ['bob', 'eve', 'carol'])
    tokens[name] = await served.person('acme', name, { role: 'viewer' });
  tokens['ada'] = await served.person('acme', 'ada', { role: 'admin' });
  const own = (method: string, path: string, body?: unknown): Promise<Any> =>
    made(ask('bob', method, `${base('one')}${path}`, body));
  const channel = await own('POST', '/notifications/channels', {
    name: SECRET,
    kind: 'webhook',
    config: { url: receiver.urlOf(SECRET) },
  });
  const rule = await own('POST', '/notifications/rules', {
    name: SECRET,
    filter: { events: ['run.*'] },
    audience: { channels: [channel.id] },
  });
  for (const target of ['product', 'model:s.n'])
    for (const [name, product] of [
      ['bob', 'one'],
      ['eve', 'two'],
    ] as const)
      await made(
        ask(name, 'PUT', `${base(product)}/followers/me?target=${target}`, { min_severity: 'info' }),
      );
  await own('PUT', '/notifications/preferences', { muted: ['token.*'], min_severity: 'info' });
  const perspective = await own('POST', '/perspectives', {
    name: SECRET,
    slug: SECRET,
    query: 'SELECT a FROM s.n',
  });
  await own('PUT', `/followers/me?target=perspective:${SECRET}`, { min_severity: 'info' });
  for (const product of ['one', 'two'])
    await made(ask('ada', 'POST', `${base(product)}/activity/runs`, { environment: 'prod' }));
  for (const product of ['one', 'two'])
    await until(
      async () =>
        (await made(ask('ada', 'GET', `${base(product)}/activity/runs`))).items.every(
          ({ status }: Any) => status !== 'running',
        ),
      'the run has ended',
    );
  const inbox = async (): Promise<readonly Any[]> => (await own('GET', '/notifications/inbox')).items;
  const sent = async (): Promise<readonly Any[]> =>
    (await own('GET', '/notifications/deliveries?status=delivered')).items;
  await until(async () => (await inbox()).length > 0 && (await sent()).length > 1, 'the run is told');
  hidden = [SECRET, perspective.id, channel.id, rule.id, (await inbox())[0].id, (await sent())[0].id];
}, 120_000);
afterAll(async () => {
  await served?.stop();
  await receiver?.close();
});

/** Work of its own, which differs between any two times: no id of others is taken by them. */
const NOT_ASKED: ReadonlySet<string> = new Set([
  'streamEvents',
  'startRun',
  'previewPlan',
  'runChecks',
  'runQuality',
]);

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

const isText = ({ type, enum: values, format }: Any): boolean =>
  [type].flat().includes('string') && values === undefined && format === undefined;

/** Every hidden one in every place: PLINTH_RUNS=all. Otherwise each place has one of them, another one each time. */
let turn = 0;
const tried = (): readonly string[] =>
  process.env['PLINTH_RUNS'] === 'all' ? hidden : hidden.slice(turn++ % hidden.length).slice(0, 1);

/** Each place that takes a text has a hidden one in turn; what the operation needs besides is as small as it can be. */
function requestsOf(method: string, path: string, operation: Any): readonly Asked[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].length > 0;
  const paths = inPath ? hidden.map((id) => path.replaceAll(/\{\w+\}/g, id)) : [path];
  const queries = ((operation.parameters ?? []) as readonly Any[])
    .filter((each) => each.in === 'query')
    .flatMap(({ name, schema }) =>
      isText(schema)
        ? [...tried(), ...(name === 'target' ? [`perspective:${hidden[1]}`] : [])].map(
            (id) => `?${name}=${id}`,
          )
        : schema.enum !== undefined
          ? (schema.enum as readonly string[]).map((value) => `?${name}=${value}`)
          : schema.type === 'boolean'
            ? [`?${name}=true`]
            : name === 'limit'
              ? ['?limit=1']
              : [],
    );
  const schema = operation.requestBody?.content['application/json'].schema;
  const places = [...paths, ...queries.map((query) => (paths[0] ?? path) + query)];
  if (schema === undefined) return places.map((each) => ({ method, path: each }));
  return bodiesOf(schema).flatMap((body) => places.map((each) => ({ method, path: each, body })));
}

function bodiesOf(schema: Any): readonly unknown[] {
  const { properties = {}, required = [] } = schema;
  const least = Object.fromEntries(
    (required as readonly string[]).map((name) => [name, leastOf(properties[name] ?? {}, name)]),
  );
  const bodies: unknown[] = [least];
  for (const [name, each] of Object.entries<Any>(properties)) {
    if (isText(each)) bodies.push(...tried().map((id) => ({ ...least, [name]: id })));
    if (each.type === 'array' && isText(each.items ?? {})) bodies.push({ ...least, [name]: hidden });
    if (each.properties?.channels !== undefined) bodies.push({ ...least, [name]: { channels: hidden } });
  }
  if (properties.target !== undefined) bodies.push({ ...least, target: `perspective:${hidden[1]}` });
  return bodies;
}

function leastOf({ type, enum: values, properties, required = [] }: Any, name: string): unknown {
  if (values !== undefined) return values[0];
  if (name === 'query') return 'SELECT a FROM s.n';
  switch ([type].flat()[0]) {
    case 'array':
      return [];
    case 'object':
      return Object.fromEntries(
        (required as readonly string[]).map((each) => [each, leastOf(properties[each] ?? {}, each)]),
      );
    case 'integer':
    case 'number':
      return 1;
    case 'boolean':
      return true;
    default:
      return name === 'target' ? 'product' : 'plain';
  }
}

/** Without what differs between any two products or times. */
function plain({ status, text: answered }: Said): string {
  const text = answered
    // Of a log with gaps: what is not for the caller has numbers too.
    .replaceAll(/"specversion":"1.0","id":"\d+"/g, '"specversion":"1.0"')
    .replaceAll('acme-two', 'acme-one')
    .replaceAll('"eve"', '"bob"')
    .replaceAll(/p[12]\.duckdb|"p[12]"/g, 'p')
    .replaceAll(/"name":"two"|"name":"one"/g, '"name":"N"')
    .replaceAll(/\btwo\b/g, 'one')
    .replaceAll(/20\d\d-\d\d-\d\dT[\d:.]+(?:Z|\+\d\d:\d\d)/g, 'a time')
    .replaceAll(
      /"(?:correlation_id|etag|next_cursor|promotion_id|data_version|fingerprint|sequence|time)":"[^"]*"/g,
      '',
    )
    .replaceAll(
      /"(?:age_seconds|ms|queued_ms|exec_ms|bytes|sequence|version|fence|rows_per_second)":[\d.]+/g,
      '',
    )
    .replaceAll(/\b[a-z]{1,2}_[0-9a-z]{16}\b|\b[0-9a-z]{16}\b|\b[0-9a-f]{32,64}\b/g, 'ID');
  return `${status} ${text}`;
}

/** The same question of the product where it is and of the one where it is not. */
async function compare(request: Asked): Promise<void> {
  for (const caller of ['carol', 'ada']) {
    const [whole, none] = await Promise.all(
      ['one', 'two'].map((product) =>
        ask(caller, request.method, `${base(product)}${request.path}`, request.body),
      ),
    );
    const about = `${caller} ${request.method} ${request.path} ${JSON.stringify(request.body ?? null)}`;
    expect(plain(whole as Said), about).toBe(plain(none as Said));
  }
}

// First: the audit log has what callers of the next test ask in vain, word for word.
test('no list of the platform names it', async () => {
  const { paths } = await made(ask('ada', 'GET', '/platform-api/openapi.json'));
  let seen = 0;
  for (const [path, methods] of Object.entries<Any>(paths)) {
    if (methods.get === undefined) continue;
    for (const caller of ['carol', 'ada']) {
      const address = `/platform-api/v1${path}`.replaceAll('{tenant}', 'acme').replaceAll(/\{\w+\}/g, 'one');
      const { status, text } = await ask(caller, 'GET', address);
      expect(
        hidden.filter((each) => text.includes(each)),
        `${caller} ${path}`,
      ).toEqual([]);
      if (status === 200) seen++;
    }
  }
  expect(seen).toBeGreaterThan(10);
});

test('what one caller has is as if it did not exist, over every operation', async () => {
  const { paths } = await made(ask('ada', 'GET', `${base('one')}/openapi.json`));
  const asked = Object.entries<Any>(paths).flatMap(([path, methods]) =>
    Object.entries<Any>(methods).flatMap(([method, operation]) =>
      NOT_ASKED.has(operation.operationId)
        ? []
        : requestsOf(method.toUpperCase(), path, operation).map((request) => ({
            ...request,
            id: operation.operationId as string,
          })),
    ),
  );
  expect(new Set(asked.map(({ id }) => id)).size).toBeGreaterThan(75);
  const reads = asked.filter(({ method }) => method === 'GET');
  for (let at = 0; at < reads.length; at += 12) await Promise.all(reads.slice(at, at + 12).map(compare));
  for (const request of asked) if (request.method !== 'GET') await compare(request);
  // All of it is still there, untouched by whatever others asked.
  const own = async (path: string): Promise<Any> => made(ask('bob', 'GET', `${base('one')}${path}`));
  expect((await own('/notifications/inbox')).unread).toBeGreaterThan(0);
  expect((await own('/notifications/channels')).items).toHaveLength(1);
  expect((await own('/notifications/rules')).items).toHaveLength(1);
  expect((await own(`/perspectives/${SECRET}`)).version).toBe(1);
}, 300_000);
