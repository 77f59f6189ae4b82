/**
 * Values of masked columns and of hidden rows are planted (canary-world.ts), every way out of the product is walked (canary-doors.ts), and no
 * answer has one. The owner walks the same ways and finds them, so the sweep can fail.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { profilePage } from '../../src/cli/picture/profile-page.ts';
import { checkReader } from '../../src/operations/quality/check-reader.ts';
import { profileHistory } from '../../src/operations/quality/profile-history.ts';
import { openPlatform } from '../../src/operations/serve/open-platform.ts';
import { runPlinth } from '../e2e/run-plinth.ts';
import { ADMIN } from '../support/served-product.ts';
import { type ApiDocument, BESIDE, type Door, doorsOf } from './canary-doors.ts';
import { CANARIES, type CanaryWorld, canaryWorld, READERS, type Reader } from './canary-world.ts';

let world: CanaryWorld;
let document: ApiDocument;
let addresses: Readonly<Record<string, readonly string[]>>;

beforeAll(async () => {
  world = await canaryWorld();
  document = JSON.parse((await world.ask('owner', 'GET', '/openapi.json')).text);
  // Statements of each of them, so that their lists have some.
  const sql = 'SELECT CAST(email AS INTEGER) AS n FROM marts.people';
  await world.ask('owner', 'POST', '/query/statement', { sql, wait: 20 });
  await world.ask('owner', 'POST', '/query/statement', { sql: 'SELECT * FROM raw.people', wait: 20 });
  for (const reader of READERS) {
    await world.ask(reader, 'POST', '/query/semantic/rest', { query: { dimensions: ['people.email'] } });
    await world.ask(reader, 'POST', '/query/statement', { sql: 'SELECT 1 AS one', wait: 20 });
  }
  const checks = await world.ask('owner', 'POST', '/dq/run', { wait: 30 });
  const deliveries = await world.ask('owner', 'GET', '/notifications/deliveries?limit=20');
  const sent = (JSON.parse(deliveries.text).items as readonly { readonly id: string }[]).map(({ id }) => id);
  addresses = {
    getCheckRun: [`/dq/run/${JSON.parse(checks.text).id}`],
    getDelivery: sent.map((id) => `/notifications/deliveries/${id}`),
    resendDelivery: sent.slice(0, 1).map((id) => `/notifications/deliveries/${id}/resend`),
  };
}, 300_000);
afterAll(() => world?.stop());

/** What these do would disturb the others, or takes a process: they go last, one after the other. */
const ALONE = new Set([
  ...['previewPlan', 'startRun', 'applyPlan', 'runChecks', 'cancelRun', 'cancelStatement'],
  ...['listTests', 'lint'],
  ...['deleteChannel', 'deleteNotificationRule', 'deletePerspective', 'unfollow'],
]);
/** Each starts a process: asked once, without filters. */
const LONG = ['listTests', 'lint'];
const AT_ONCE = 6;

interface Walked {
  /** Places where a canary was shown, by operation. */
  readonly shown: ReadonlyMap<string, readonly string[]>;
  /** Operations that answered with 200. */
  readonly answered: ReadonlySet<string>;
}

/** Ids are looked up anew: what one reader does gives things other ones. */
async function walkAs(who: Reader | 'owner', canary: RegExp): Promise<Walked> {
  const shown = new Map<string, string[]>();
  const answered = new Set<string>();
  const walk = async ({ operation, method, path, body }: Door): Promise<void> => {
    const { status, text } = await world.ask(who, method, path, body);
    const place = `${method} ${path} ${body === undefined ? '' : JSON.stringify(body)}: ${status}`;
    expect([429, 500], place).not.toContain(status);
    if (status === 200) answered.add(operation);
    const found = canary.exec(text);
    if (found === null) return;
    const around = text.slice(Math.max(0, found.index - 150), found.index + 60);
    shown.set(operation, [...(shown.get(operation) ?? []), `${place} … ${around}`]);
  };
  const { doors } = await doorsOf(document, world, { readers: [who, 'owner'], addresses });
  const isFirst = new Set(LONG);
  const all = [...doors, ...BESIDE].filter(
    ({ operation }) => !LONG.includes(operation) || isFirst.delete(operation),
  );
  const waiting = all.filter(({ operation }) => !ALONE.has(operation));
  const worker = async (): Promise<void> => {
    for (let door = waiting.shift(); door !== undefined; door = waiting.shift()) await walk(door);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  for (const door of all.filter(({ operation }) => ALONE.has(operation))) await walk(door);
  return { shown, answered };
}

test('every operation that the document has is asked', async () => {
  const asked = { readers: ['owner', ...READERS], addresses } as const;
  expect((await doorsOf(document, world, asked)).uncovered).toEqual([]);
  const planted: ApiDocument = {
    paths: {
      ...document.paths,
      '/dq/secrets/{id}': { get: { operationId: 'getSecret' } },
      '/dq/secrets': { post: { operationId: 'postSecret' } },
    },
  };
  expect((await doorsOf(planted, world, asked)).uncovered).toEqual(['getSecret', 'postSecret']);
});

/** Where the owner finds one: what is planted is there to be found. */
const LOUD = [
  ...[
    'getRule',
    'listRules',
    'listResults',
    'getResultSample',
    'listIncidents',
    'getIncident',
    'listProfiles',
  ],
  ...['getQuarantine', 'listAudits', 'getRun', 'listEvents', 'streamEvents', 'listModelActivity', 'getModel'],
  ...['querySemantic', 'querySemanticSql', 'queryMetric', 'getMetric', 'queryGraphql', 'graphql'],
  ...['submitStatement', 'listStatements', 'getStatement', 'getStatementResult', 'listQueryActivity'],
  ...['exportProduct', 'listTests'],
];
/** Not for consumers. */
const MANAGERS = new Set(['listTests']);

describe.each(READERS)('%s', (reader) => {
  test('is shown none, and is answered', async () => {
    const { shown, answered } = await walkAs(reader, CANARIES[reader]);
    expect([...shown.values()].flat()).toEqual([]);
    // A reader who is refused everything is shown nothing; those in no group may ask no semantic model.
    const asked = reader === 'denied' ? LOUD.filter((each) => !/quer|graphql|Metric/i.test(each)) : LOUD;
    const expected = asked.filter((operation) => reader === 'editor' || !MANAGERS.has(operation));
    expect(expected.filter((operation) => !answered.has(operation))).toEqual([]);
  }, 600_000);
});

test('the owner is shown them, by each of these operations', async () => {
  const { shown } = await walkAs('owner', CANARIES.denied);
  expect(LOUD.filter((operation) => !shown.has(operation))).toEqual([]);
}, 600_000);

test('messages to readers have none, and each has got some', () => {
  for (const reader of READERS) {
    const got = world.messages[reader] ?? [];
    expect(got.length, reader).toBeGreaterThan(10);
    for (const text of got) expect(text, reader).not.toMatch(CANARIES[reader]);
  }
});

test('the log of the server has none', () => {
  expect(world.served.logs.length).toBeGreaterThan(100);
  for (const line of world.served.logs) expect(line).not.toMatch(CANARIES.denied);
});

test('a command that answers as a member of a group shows none', async () => {
  const [folder = ''] = world.served.folders;
  const ask = (...args: readonly string[]) => runPlinth(['query', '--project', folder, '--json', ...args]);
  for (const question of [
    ['--sql', 'SELECT * FROM people'],
    ['--sql', 'SELECT MEASURE(top_salary) AS s, MEASURE(last_address) AS a FROM people'],
    ['--metric', 'top'],
    ['--sql', 'SELECT * FROM raw.people'],
    ['--sql', 'SELECT CAST(email AS INTEGER) FROM people'],
  ]) {
    const { stdout, stderr } = await ask(...question, '--as-group', 'masked');
    expect(`${stdout}${stderr}`, question.join(' ')).not.toMatch(CANARIES.masked);
  }
  expect((await ask('--sql', 'SELECT * FROM raw.people')).stdout).toMatch(CANARIES.masked);
}, 120_000);

test('a report of profiles that is made for a reader shows none', async () => {
  const platform = await openPlatform({
    folders: world.served.folders,
    variables: {},
    executionTime: Date.UTC(2026, 0, 2),
  });
  for (const product of platform.products) {
    const profiles = await product.world.state.quality.profiles({ environment: 'prod', limit: 100 });
    const pageFor = async (groups: readonly string[]): Promise<string> => {
      const reader = await checkReader(
        product,
        { ...ADMIN, kind: 'user', isPlatformAdmin: false, groups, tenantRole: 'viewer' },
        'prod',
      );
      return profilePage(
        await profileHistory(product.world, profiles, (model) => reader.hidden(model)),
        'Profiles',
      );
    };
    expect(await pageFor(['masked'])).not.toMatch(CANARIES.masked);
    expect(await pageFor(['eu'])).not.toMatch(CANARIES.denied);
    expect(await pageFor(['admin'])).toMatch(CANARIES.masked);
  }
  await platform.close();
});
