/** Profiles, audits, quarantine, freshness, tests, lint and check runs of a served product: lists, filters, pages, and what each reader's policies leave of them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DataProductClient } from '../../src/client/index.ts';
import { profile } from '../../src/operations/quality/profile.ts';
import { openPlatform } from '../../src/operations/serve/open-platform.ts';
import { PEOPLE_YML, POLICIES } from '../support/guarded-project.ts';
import { type Answer, type ServedPlatform, servedPlatform } from '../support/served-platform.ts';

const BASE = '/plinth/tenants/default/data-products/default-held/api/v1';
const CONFIG = `name: held
users: [{username: any, groups: [admin, eu, masked]}]
slo: {freshness: {max_age: 26h}}
linter: {enabled: true, warn_rules: [no-select-star, no-missing-owner]}
`;
const people = (names: string): string => `MODEL (name raw.people, kind FULL,
  audits (known_country, short_address, not_null(columns := (id, spend))), freshness '2 days');
SELECT id, email, country, spend, CAST('2025-01-01' AS DATE) AS joined FROM (VALUES ${names},
  (4, 'mal@x.eu', 'XX', 40), (6, 'jim@x.eu', 'XX', 60), (5, 'much.too.long@x.us', 'US', 50)) AS t(id, email, country, spend)
`;
const FILES: Readonly<Record<string, string>> = {
  'models/raw.sql': people("(1, 'ann@x.eu', 'EU', 10), (2, 'bob@x.us', 'US', 20), (3, 'eve@x.eu', 'EU', 30)"),
  'models/marts.sql': 'MODEL (name marts.people, kind FULL);\nSELECT * FROM raw.people\n',
  'audits/known_country.sql':
    "AUDIT (name known_country, on_failure quarantine, owner mara);\nSELECT * FROM @this_model WHERE country NOT IN ('EU', 'US')\n",
  'audits/short_address.sql':
    'AUDIT (name short_address, on_failure quarantine);\nSELECT * FROM @this_model WHERE length(email) > 15\n',
  'audits/watch.sql': 'AUDIT (name watch, standalone true);\nSELECT * FROM marts.people WHERE id < 0\n',
  'models/semantics/people.yml': `${PEOPLE_YML}${POLICIES}`,
  'dq/marts.yml': `kind: dq
name: marts_dq
depends_on: marts.people
profiles: '*'
rules: [{'row_count > 0': {name: some}}, {'max(spend) < 1': {name: cheap}}]
`,
  'dq/raw.yml': "kind: dq\nname: raw_dq\ndepends_on: raw.people\nprofiles: '*'\n",
};

let served: ServedPlatform;
const tokens: Record<string, string> = {};

async function observe(): Promise<void> {
  const platform = await openPlatform({
    folders: served.folders,
    variables: {},
    executionTime: Date.UTC(2026, 0, 2),
  });
  for (const { world } of platform.products) for await (const _ of profile(world, { environment: 'prod' }));
  await platform.close();
}

beforeAll(async () => {
  served = await servedPlatform([CONFIG], FILES);
  tokens['owner'] = await served.person('default', 'ona', { role: 'admin', groups: ['admin'] });
  tokens['masked'] = await served.person('default', 'max', { role: 'viewer', groups: ['masked'] });
  tokens['filtered'] = await served.person('default', 'eur', { role: 'viewer', groups: ['eu'] });
  tokens['denied'] = await served.person('default', 'den', { role: 'viewer' });
  tokens['editor'] = await served.person('default', 'edi', { role: 'developer', groups: ['masked'] });
  tokens['stranger'] = await served.person('default', 'str');
  await observe();
  await served.plan({ 'models/raw.sql': people("(1, 'zoe@x.eu', 'EU', 10), (7, 'ida@x.eu', 'EU', 11)") });
  await observe();
}, 120_000);
afterAll(() => served?.stop());

const ask = (who: string, path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
  served.ask(tokens[who] ?? who, 'GET', `${BASE}${path}`, { headers });
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
const items = async (who: string, path: string): Promise<readonly any[]> => {
  const answer = await ask(who, path);
  expect(answer.code, path).toBe('200');
  return answer.body.items;
};

const client = (who: string): DataProductClient['dq'] =>
  new DataProductClient({
    ...{ fqdn: served.url, dpName: 'held', tenant: 'default' },
    accessToken: tokens[who] as string,
  }).dq;

const LISTS = ['profiles', 'audits', 'quarantine', 'freshness'];

describe('lists', () => {
  test('come in pages by limit and cursor that lose and repeat nothing', async () => {
    for (const list of LISTS) {
      const whole = await items('owner', `/dq/${list}?limit=100`);
      expect(whole.length, list).toBeGreaterThan(1);
      const paged: unknown[] = [];
      for (let cursor = ''; ; ) {
        const { body } = await ask('owner', `/dq/${list}?limit=1${cursor}`);
        expect(body.items).toHaveLength(1);
        paged.push(...body.items);
        if (body.next_cursor === null) break;
        cursor = `&cursor=${body.next_cursor}`;
      }
      const named = (each: readonly unknown[]) =>
        each.map((item) => {
          const { id, model, audit } = item as Readonly<Record<string, unknown>>;
          return [id, model, audit];
        });
      expect(named(paged), list).toEqual(named(whole));
    }
  });

  test('are filtered by model and status', async () => {
    for (const list of LISTS) {
      expect(await items('owner', `/dq/${list}?model=no.model`), list).toEqual([]);
      const found = await items('owner', `/dq/${list}?model=raw.people`);
      expect(new Set(found.map(({ model }) => model)), list).toEqual(new Set(['raw.people']));
    }
    const held = await items('owner', '/dq/audits?status=quarantined');
    expect(held.map(({ audit }) => audit)).toEqual(['known_country', 'short_address']);
  });

  test('refuse who may not ask, an environment that is not there, and what no schema allows', async () => {
    for (const list of LISTS) {
      const at = `/dq/${list}`;
      expect((await ask('plt_nothing', at)).status, list).toBe(401);
      expect((await ask('stranger', at)).code, list).toBe('403 access.forbidden');
      expect((await ask('owner', `${at}?environment=nowhere`)).code, list).toBe('404 environment.unknown');
      expect((await ask('masked', `${at}?environment=nowhere`)).code, list).toBe('403 policy.environment');
      expect((await ask('owner', `${at}?limit=0`)).status, list).toBe(422);
      expect((await ask('owner', `${at}?nothing=1`)).status, list).toBe(422);
      expect((await ask('owner', `${at}?cursor=nothing`)).status, list).toBe(400);
    }
    expect((await ask('owner', '/dq/quarantine/q_nothing')).code).toBe('404 dq.not-found');
    expect((await ask('stranger', '/dq/quarantine/q_nothing')).code).toBe('403 access.forbidden');
  });

  test('have an ETag, so that what is known is not sent again', async () => {
    const { headers } = await ask('owner', '/dq/profiles');
    const again = await ask('owner', '/dq/profiles', { 'if-none-match': headers.get('etag') ?? '' });
    expect([again.status, again.body]).toEqual([304, undefined]);
  });
});

test('a summary can be asked as of a time', async () => {
  const { body } = await ask('owner', '/dq?as_of=2001-01-01T00:00:00Z');
  expect(body).toMatchObject({ as_of: null, checks: 0 });
  expect((await ask('owner', '/dq?as_of=yesterday')).status).toBe(422);
});

describe('a profile', () => {
  const newest = async (who: string) => (await items(who, '/dq/profiles?model=raw.people&limit=1'))[0];
  // biome-ignore lint/suspicious/noExplicitAny: see above
  const email = (found: any) => found.columns.find(({ name }: { name: string }) => name === 'email');

  test('has values for those who may see them, and how they differ from before', async () => {
    const found = await newest('owner');
    expect(found).toMatchObject({ model: 'raw.people', rows: 2, withheld: false });
    expect(email(found)).toMatchObject({ min: 'ida@x.eu', max: 'zoe@x.eu', nulls: 0 });
    expect(email(found).drift.previous.new_values).toContain('zoe@x.eu');
  });

  test('has counts alone of masked columns, and no counts where rows are filtered', async () => {
    const masked = await newest('masked');
    expect(masked).toMatchObject({ rows: 2, withheld: false });
    expect(email(masked)).toEqual({
      ...{ name: 'email', type: 'VARCHAR', family: 'text', nulls: 0, distinct: 2, duplicates: 0 },
      ...{ is_approximate: false, withheld: true, drift: { previous: null, baseline: null } },
    });
    expect(masked.columns.find(({ name }: { name: string }) => name === 'country')).toMatchObject({
      min: 'EU',
    });
    for (const who of ['filtered', 'denied']) {
      const filtered = await newest(who);
      expect(filtered, who).toMatchObject({ rows: null, bytes: null, withheld: true });
      expect(email(filtered), who).toEqual({
        ...{ name: 'email', type: 'VARCHAR', family: 'text', nulls: null },
        ...{ is_approximate: false, withheld: true, drift: { previous: null, baseline: null } },
      });
    }
  });
});

describe('audits', () => {
  test('are those of models in their order, then those that stand alone, with what became of them', async () => {
    const found = await items('owner', '/dq/audits');
    expect(found).toMatchObject([
      {
        ...{ audit: 'known_country', model: 'raw.people', models: ['raw.people'], owner: 'mara' },
        ...{ on_failure: 'quarantine', status: 'quarantined', failed_rows: 2, standalone: false },
      },
      { audit: 'short_address', status: 'quarantined', failed_rows: 1 },
      {
        ...{ audit: 'not_null', blocking: true, on_failure: 'stop', status: 'passed', failed_rows: 0 },
        ...{ arguments: { columns: '(id, spend)' }, run_id: expect.stringMatching(/^r_/) },
      },
      { audit: 'watch', model: null, models: ['marts.people'], standalone: true, status: 'passed' },
    ]);
  });

  test('show no argument to those from whom rows are hidden', async () => {
    for (const who of ['masked', 'filtered', 'denied']) {
      const found = await items(who, '/dq/audits');
      expect(found, who).toHaveLength(4);
      for (const each of found) expect(each.arguments, who).toBeNull();
    }
  });
});

describe('rows that are held back', () => {
  const told = async (who: string) => {
    const found = await items(who, '/dq/quarantine');
    return found.map(({ audits, rows, withheld }) => [audits.join(), rows, withheld]).sort();
  };
  const one = async (who: string, audit: string) => {
    const found = await items(who, '/dq/quarantine');
    const { id } = found.find(({ audits }) => audits.includes(audit)) ?? {};
    return (await ask(who, `/dq/quarantine/${id}`)).body;
  };

  test('are counted and shown to those who may see them', async () => {
    expect(await told('owner')).toEqual([
      ['known_country', 2, false],
      ['short_address', 1, false],
    ]);
    const found = await one('owner', 'short_address');
    expect(found).toMatchObject({
      ...{ model: 'raw.people', rows: 1, is_part: false, interval: [expect.any(String), expect.any(String)] },
      sample: [[5, 'much.too.long@x.us', 'US', 50, expect.anything()]],
    });
    expect(found.columns.map(({ name }: { name: string }) => name)).toEqual([
      ...['id', 'email', 'country', 'spend', 'joined'],
    ]);
  });

  test('are as many as are asked for', async () => {
    const [{ id }] = (await items('owner', '/dq/quarantine')).filter(({ rows }) => rows === 2);
    const { body } = await ask('owner', `/dq/quarantine/${id}?limit=1`);
    expect([body.sample.length, body.rows, body.is_part]).toEqual([1, 2, true]);
  });

  test('are of the environment that is named', async () => {
    await served.plan({ 'models/m.sql': 'MODEL (name s.m, kind FULL);\nSELECT 2 AS a' }, 'dev');
    const [{ id }] = await items('owner', '/dq/quarantine');
    const { code } = await ask('owner', `/dq/quarantine/${id}?environment=nowhere`);
    expect(code).toBe('404 environment.unknown');
    expect((await ask('masked', `/dq/quarantine/${id}?environment=dev`)).code).toBe('403 policy.environment');
    expect((await ask('owner', `/dq/quarantine/${id}?environment=dev`)).code).toBe('200');
  });

  test('lose their masked columns, and are not shown where the audit read one', async () => {
    expect(await told('masked')).toEqual([
      ['known_country', 2, false],
      ['short_address', null, true],
    ]);
    const shown = await one('masked', 'known_country');
    expect(shown.columns.map(({ name }: { name: string }) => name)).toEqual([
      ...['id', 'country', 'spend', 'joined'],
    ]);
    expect(shown.sample.toSorted()).toEqual([
      [4, 'XX', 40, expect.anything()],
      [6, 'XX', 60, expect.anything()],
    ]);
    expect(await one('masked', 'short_address')).toMatchObject({ sample: [], rows: null, interval: null });
  });

  test('are neither counted nor shown where rows are filtered', async () => {
    for (const who of ['filtered', 'denied']) {
      expect(await told(who), who).toEqual([['known_country,short_address', null, true]]);
      expect(await one(who, 'known_country'), who).toMatchObject({
        ...{ rows: null, interval: null, columns: [], sample: [], withheld: true },
      });
    }
  });
});

test('freshness says what is promised, and how new each model is', async () => {
  const { body } = await ask('masked', '/dq/freshness');
  expect(body).toMatchObject({
    environment: 'prod',
    product: { max_age: '26h', state: expect.stringMatching(/^(?:fresh|late|stale)$/) },
    next_cursor: null,
  });
  expect(body.items.map(({ model }: { model: string }) => model)).toEqual([
    'marts.people',
    'raw.people',
    's.m',
  ]);
  expect(body.items[1]).toMatchObject({ freshness: '2 days', load_time: expect.stringMatching(/Z$/) });
});

const post = (who: string, path: string, body: unknown): Promise<Answer> =>
  served.ask(tokens[who] ?? who, 'POST', `${BASE}${path}`, { body });

describe('checks that a caller asks for', () => {
  test('run now, and are found under their id and that of their results', async () => {
    const ran = await post('editor', '/dq/run', { wait: 30 });
    expect(ran.code).toBe('200');
    expect(ran.body).toMatchObject({
      ...{ environment: 'prod', status: 'finished', models: 2, error: null, closed_incidents: [] },
      outcomes: { pass: 1, warn: 0, fail: 1, error: 0, not_evaluated: 0 },
      opened_incidents: [expect.stringMatching(/^i_/)],
    });
    expect(ran.headers.get('location')).toContain(`/dq/run/${ran.body.id}`);
    expect((await ask('editor', `/dq/run/${ran.body.id}?wait=1`)).body).toEqual(ran.body);
    const results = await items('masked', `/dq/results?run_id=${ran.body.id}`);
    expect(results.map(({ rule, trigger }) => [rule, trigger])).toEqual(
      expect.arrayContaining([
        ['some', 'demand'],
        ['cheap', 'demand'],
      ]),
    );
  });

  test('go on without the caller, who is told where to ask', async () => {
    const begun = await post('owner', '/dq/run', {});
    expect([200, 202]).toContain(begun.status);
    const ended = await ask('owner', `/dq/run/${begun.body.id}?wait=30`);
    expect(ended.body).toMatchObject({ id: begun.body.id, status: 'finished' });
  });

  test('are of the models and packs that are named', async () => {
    const outcomes = async (body: object) =>
      (await post('owner', '/dq/run', { wait: 30, ...body })).body.outcomes;
    const none = { pass: 0, warn: 0, fail: 0, error: 0, not_evaluated: 0 };
    expect(await outcomes({ select: 's.m' })).toEqual(none);
    expect(await outcomes({ packs: ['raw_dq'] })).toEqual(none);
    expect(await outcomes({ select: 'marts.*', packs: ['marts_dq'] })).toMatchObject({ pass: 1, fail: 1 });
    expect((await post('owner', '/dq/run', { packs: ['nothing'] })).code).toBe('422 dq.unknown-pack');
    expect((await post('owner', '/dq/run', { select: 'no.model' })).status).toBe(422);
    expect((await post('owner', '/dq/run', { environment: 'nowhere' })).code).toBe('404 environment.unknown');
    expect((await post('owner', '/dq/run', { nothing: 1 })).status).toBe(422);
  });

  test('are for those who may run them', async () => {
    expect((await post('plt_nothing', '/dq/run', {})).status).toBe(401);
    for (const who of ['masked', 'stranger'])
      expect((await post(who, '/dq/run', {})).code, who).toBe('403 access.forbidden');
    const { body } = await post('owner', '/dq/run', { wait: 30 });
    expect((await ask('masked', `/dq/run/${body.id}`)).code).toBe('403 access.forbidden');
    expect((await ask('owner', '/dq/run/c_nothing')).code).toBe('404 dq.not-found');
  });

  test('need a token with the scope quality:run', async () => {
    const limited = async (...scopes: readonly string[]) => {
      const body = { principal: 'edi', scopes };
      return (await served.ask(served.root, 'POST', '/tenants/default/tokens', { body })).body.token;
    };
    expect((await post(await limited('quality:run'), '/dq/run', { wait: 30 })).code).toBe('200');
    const other = await limited('activity:read', 'activity:run', 'query:models');
    expect((await post(other, '/dq/run', {})).code).toBe('403 access.forbidden');
  });
});

test('the client has a method for each of them', async () => {
  const dq = client('owner');
  const all = async (found: AsyncGenerator<Readonly<Record<string, unknown>>>) => {
    const every: Readonly<Record<string, unknown>>[] = [];
    for await (const each of found) every.push(each);
    return every;
  };
  expect(await all(dq.iterProfiles({ limit: 1 }))).toHaveLength(4);
  expect(await all(dq.iterAudits({ limit: 1, model: 'raw.people' }))).toHaveLength(3);
  const [held] = await all(dq.iterQuarantine({ limit: 1 }));
  expect(await dq.getQuarantine(String(held?.['id']), { limit: 1 })).toMatchObject({ id: held?.['id'] });
  expect(await dq.getFreshness({ limit: 1 })).toMatchObject({ product: { max_age: '26h' }, items: [{}] });
  expect(await dq.getSummary({ asOf: '2001-01-01T00:00:00Z' })).toMatchObject({ checks: 0 });
  const ran = await dq.runChecks({ packs: ['marts_dq'], wait: 30 });
  expect(ran).toMatchObject({ status: 'finished' });
  expect(await dq.getCheckRun(String(ran['id']), { wait: 1 })).toEqual(ran);
});

describe('the files of the folder', () => {
  test('are linted as they are now, for those who may plan them', async () => {
    const { body } = await ask('editor', '/dq/lint');
    expect(body).toMatchObject({
      rules: expect.any(Number),
      rules_known: expect.any(Number),
      next_cursor: null,
    });
    const star = body.items.find(({ code }: { code: string }) => code === 'lint.no-select-star');
    expect(star).toMatchObject({ severity: 'warning', file: 'models/marts.sql', line: 2 });
    expect(await items('editor', '/dq/lint?severity=error')).toEqual([]);
    const first = (await ask('editor', '/dq/lint?limit=1')).body;
    const second = await client('editor').lint({ limit: 1, cursor: first.next_cursor });
    expect([...first.items, ...second.items]).toEqual(body.items.slice(0, 2));
    expect((await ask('masked', '/dq/lint')).code).toBe('403 access.forbidden');
  }, 120_000);

  test('have tests, whose rows are for those from whom nothing is hidden', async () => {
    served.write({
      'tests/people.yaml': `other_address:
  model: marts.people
  inputs:
    raw.people: {query: "SELECT 1 AS id, 'ann@x.eu' AS email, 'EU' AS country, 1 AS spend, DATE '2025-01-01' AS joined"}
  outputs:
    query: [{id: 1, email: other@x.eu}]
same_address:
  model: raw.people
  inputs: {}
  outputs: {query: {rows: [{id: 1}], partial: true}}
`,
    });
    const seen = await items('owner', '/dq/tests?model=marts.people&status=failed');
    expect(seen).toMatchObject([
      { name: 'other_address', model: 'marts.people', file: 'tests/people.yaml', line: 1, status: 'failed' },
    ]);
    expect(JSON.stringify(seen)).toMatch(/ann@x\.eu/);
    const { body } = await ask('editor', '/dq/tests?limit=1');
    expect(body.items).toMatchObject([{ name: 'other_address', error: { code: 'test.failed' } }]);
    expect(JSON.stringify(body)).not.toMatch(/@x\.eu/);
    const rest = await client('editor').listTests({ limit: 1, cursor: body.next_cursor });
    expect(rest.items.map(({ name }) => name)).toEqual(['same_address']);
    expect((await ask('masked', '/dq/tests')).code).toBe('403 access.forbidden');
    served.write({ 'models/marts.sql': 'MODEL (name marts.people, kind FULL);\nSELECT * FRM raw.people\n' });
    expect((await ask('owner', '/dq/tests')).status).toBe(422);
  }, 120_000);
});
