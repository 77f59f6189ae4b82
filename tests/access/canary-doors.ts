/**
 * Every way out of a product, taken from its own OpenAPI document: reads are asked by themselves, with ids that the list above them names and
 * with each value that a parameter can have; for anything else there is an entry here. An operation without either is reported.
 */
import { BASE, type CanaryWorld, EVERY_MODEL, GRAPHQL, type Reader } from './canary-world.ts';

export interface Door {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: { readonly enum?: readonly unknown[]; readonly maximum?: number; readonly items?: object };
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
}

export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** Values of parameters that no schema lists. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  model: EVERY_MODEL,
  ref: [...EVERY_MODEL, ...EVERY_MODEL.map((model) => `${model}.email`), 'semantic:people', 'metric:top'],
  q: ['email', 'salary', 'canary', 'ann', '911001'],
  all: ['true'],
  target: ['model:marts.people', 'metric:top'],
  status: [],
};

const MEMBERS = ['people.id', 'people.email', 'people.country', 'people.salary'];
const MEASURES = ['earned', 'top_salary', 'low_salary', 'mid_salary', 'last_address'];
const QUERIES = [
  { dimensions: MEMBERS, measures: MEASURES.map((name) => `people.${name}`) },
  ...MEASURES.map((name) => ({ measures: [`people.${name}`] })),
  { dimensions: ['people.id'], filters: [{ member: 'people.email', operator: 'contains', values: ['@'] }] },
  { measures: ['people.spent'], order: { 'people.salary': 'asc' }, dimensions: ['people.salary'] },
];
const SEMANTIC_SQL = [
  'SELECT * FROM people',
  'SELECT id, CAST(email AS INTEGER) AS n FROM people',
  'SELECT MEASURE(last_address) AS a, MEASURE(top_salary) AS s FROM people',
  'SELECT * FROM addresses',
];
const SQL = [
  'SELECT 1 AS one',
  ...EVERY_MODEL.flatMap((model) => [
    `SELECT * FROM ${model}`,
    `SELECT max(email) AS a, min(salary) AS s FROM ${model}`,
    `SELECT CAST(email AS INTEGER) AS n FROM ${model}`,
    `SELECT error(email) FROM ${model}`,
  ]),
  ...SEMANTIC_SQL,
];
const GRAPHQL_TEXTS = [
  '{ people { id email country salary earned top_salary low_salary mid_salary last_address } }',
  '{ top { top } addresses { addresses } }',
  '{ statements(first: 100) { edges { node { id sql status error { message } trust { newest failing_checks { check model } open_incidents { check } } } } } }',
];

const VIEW = { dimensions: ['people.id', 'people.email'] };

type Bodies = readonly unknown[];

/** Addresses that no list names, by operation. */
const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  getMetric: ['/query/metric/top', '/query/metric/addresses?granularity=day'],
  queryMetric: ['/query/metric/top', '/query/metric/addresses'],
};

/** What is sent by operations that take a body; none: the address alone. */
const BODIES: Readonly<Record<string, Bodies>> = {
  submitStatement: SQL.map((sql) => ({ sql, wait: 20, cache: false })),
  querySemantic: QUERIES.map((query) => ({ query, wait: 20 })),
  querySemanticSql: SEMANTIC_SQL.map((sql) => ({ sql, wait: 20 })),
  queryGraphql: GRAPHQL_TEXTS.map((query) => ({ query })),
  queryMetric: [{ wait: 20 }, { wait: 20, granularity: 'year', filters: [] }],
  transpile: [...SQL.map((sql) => ({ sql })), ...QUERIES.map((query) => ({ query }))],
  cancelStatement: [undefined],
  cancelRun: [undefined],
  decideGate: [{ refs: MODELS_AND_METRICS() }, ...EVERY_MODEL.map((model) => ({ refs: [model] }))],
  runChecks: [{ wait: 30 }, { select: 'marts.people', wait: 30 }],
  previewPlan: [{}, { environment: 'dev' }],
  startRun: [{}],
  applyPlan: [{}],
  createPerspective: [{ name: 'Tried', query: VIEW }],
  putPerspective: [{ name: 'Put', query: VIEW }],
  changePerspective: [{ description: 'changed' }],
  deletePerspective: [undefined],
  createChannel: [{ name: 'tried', kind: 'inbox' }],
  putChannel: [{ name: 'put' }],
  changeChannel: [{ name: 'changed' }],
  deleteChannel: [undefined],
  testChannel: [undefined],
  rotateChannelKey: [{}],
  createNotificationRule: [{ name: 'tried', audience: { owners: true } }],
  putNotificationRule: [{ name: 'put', audience: { owners: true } }],
  changeNotificationRule: [{ name: 'changed' }],
  deleteNotificationRule: [undefined],
  previewNotificationRule: [{ audience: { owners: true }, events: 1000 }],
  resendDelivery: [undefined],
  redriveDeadLetters: [{}],
  markInboxRead: [{}],
  putPreferences: [{ min_severity: 'info' }],
  follow: [{ target: 'model:raw.people' }],
  putFollow: [{ min_severity: 'info' }],
  unfollow: [undefined],
};

function MODELS_AND_METRICS(): readonly string[] {
  return ['marts.people', 'semantic:people', 'metric:top'];
}

export interface DoorsRequest {
  /** Whose lists name ids. */
  readonly readers: readonly (Reader | 'owner')[];
  /** Of operations that no list names, by operation. */
  readonly addresses?: Readonly<Record<string, readonly string[]>>;
}

/** All requests of a document, and operations that nothing here asks. */
export async function doorsOf(
  document: ApiDocument,
  world: Pick<CanaryWorld, 'ask'>,
  { readers, addresses = {} }: DoorsRequest,
): Promise<{ readonly doors: readonly Door[]; readonly uncovered: readonly string[] }> {
  const doors: Door[] = [];
  const uncovered: string[] = [];
  for (const [path, operations] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(operations)) {
      const { operationId } = operation;
      const own = { ...ADDRESSES, ...addresses }[operationId];
      const places = own ?? (await placesOf(document, { path, operation, world, readers }));
      const bodies = method === 'get' ? [undefined] : BODIES[operationId];
      if (places.length === 0 || bodies === undefined) uncovered.push(operationId);
      for (const place of places)
        for (const body of bodies ?? [])
          doors.push({
            ...{ operation: operationId, method: method.toUpperCase(), path: place },
            ...(body === undefined ? {} : { body }),
          });
    }
  return { doors, uncovered };
}

interface Around {
  readonly path: string;
  readonly operation: Operation;
  readonly world: Pick<CanaryWorld, 'ask'>;
  readonly readers: readonly (Reader | 'owner')[];
}

async function placesOf(document: ApiDocument, around: Around): Promise<readonly string[]> {
  const { path, operation } = around;
  const [list = '', rest, ...more] = path.split(/\/\{\w+\}/);
  if (rest === undefined) return withParameters(path, operation.parameters ?? []);
  if (more.length > 0 || document.paths[list]?.['get'] === undefined) return [];
  const ids = new Set<string>();
  for (const reader of around.readers) for (const id of await idsIn(around.world, reader, list)) ids.add(id);
  return [...ids].flatMap((id) =>
    withParameters(`${list}/${encodeURIComponent(id)}${rest}`, operation.parameters ?? []),
  );
}

/** Ids of the last things in a list: there are hundreds of statements. */
const IDS_MAX = 15;

async function idsIn(
  world: Pick<CanaryWorld, 'ask'>,
  reader: Reader | 'owner',
  list: string,
): Promise<readonly string[]> {
  const { status, text } = await world.ask(reader, 'GET', `${list}?limit=100`);
  if (status !== 200) return [];
  const { items = [] } = JSON.parse(text) as {
    readonly items?: readonly Readonly<Record<string, string>>[];
  };
  return items.flatMap(({ id, name, slug }) => id ?? name ?? slug ?? []).slice(0, IDS_MAX);
}

/** The address, and with each value of each parameter; a list as long as it may be. */
function withParameters(path: string, parameters: readonly Parameter[]): readonly string[] {
  const asked = parameters.filter((each) => each.in === 'query');
  const { schema: { maximum } = {} } = asked.find(({ name }) => name === 'limit') ?? {};
  const base = new URLSearchParams(maximum === undefined ? {} : { limit: String(Math.min(maximum, 1000)) });
  const needed = asked.filter(({ required }) => required === true);
  for (const { name } of needed) base.set(name, VALUES[name]?.[0] ?? '');
  if (path === '/activity/stream') base.set('since', '0');
  const places = [`${path}?${base}`];
  for (const { name, schema } of asked)
    for (const value of VALUES[name] ?? schema.enum ?? []) {
      const query = new URLSearchParams(base);
      query.set(name, String(value));
      places.push(`${path}?${query}`);
    }
  return places;
}

/** What is beside the API of a product. */
export const BESIDE: readonly Door[] = [
  ...GRAPHQL_TEXTS.map((query) => ({
    ...{ operation: 'graphql', method: 'POST', path: GRAPHQL },
    body: { query },
  })),
  { operation: 'reference', method: 'GET', path: `${BASE}/reference` },
  { operation: 'metrics', method: 'GET', path: '/metrics' },
];
