/** The dq group of a served project whose checks have run, failed and recovered. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newToken, type ServedProject, servedProject } from './served-project.ts';
import { orders, TINY_PROJECT } from './tiny-project.ts';

const PACK = `kind: dq
name: orders_dq
depends_on: staging.orders
owner: mara
tags: [gold]
rules:
  - row_count > 0: {name: some, dimension: coverage}
  - invalid_count(region) = 0: {name: not_abroad, valid_values: [EU, US], samples_limit: 5}
  - avg(amount) > 100: {name: amber, severity: warning}
  - max(amount) < 1: {name: off, enabled: false}
`;

let served: ServedProject;
let [admin, viewer] = ['', ''];

beforeAll(async () => {
  served = await servedProject(
    { ...TINY_PROJECT, 'dq/orders.yml': PACK, 'data/orders.csv': orders(10) },
    async (project) => {
      await project.plinth('user', 'create', 'ada', '--role', 'admin');
      await project.plinth('user', 'create', 'vic', '--role', 'viewer');
      admin = await newToken(project, '--user', 'ada');
      viewer = await newToken(project, '--user', 'vic');
      await project.plinth('plan', 'dev', '--yes');
      const wrong = orders(10).replaceAll(',US,', ',XX,');
      for (const rows of [wrong, wrong, orders(10)]) {
        project.write('data/orders.csv', rows);
        await project.plinth('plan', '--restate-model', 'staging.orders', '--yes');
      }
    },
  );
});
afterAll(() => served?.stop());

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
async function get(path: string, token = admin): Promise<{ readonly status: number; readonly body: any }> {
  const answer = await fetch(`${served.products[0]?.base_url}${path}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  return { status: answer.status, body: await answer.json() };
}

const items = async (path: string, token?: string): Promise<readonly Record<string, unknown>[]> =>
  (await get(path, token)).body.items;

test('the summary counts the newest result of each check, by dimension', async () => {
  const { body } = await get('/dq');
  expect(body).toMatchObject({
    environment: 'prod',
    as_of: expect.stringMatching(/Z$/),
    rules: 3,
    unchecked: 0,
    checks: 3,
    outcomes: { pass: 2, warn: 1, fail: 0, error: 0, not_evaluated: 0 },
    score: 2 / 3,
    open_incidents: 0,
  });
  expect(
    body.dimensions.find(({ dimension }: { dimension: string }) => dimension === 'coverage'),
  ).toMatchObject({ rules: 1, score: 1 });
  expect((await get('/dq', viewer)).body).toEqual(body);
});

describe('rules', () => {
  test('are those that were applied, with what was found last', async () => {
    const rules = await items('/dq/rules');
    expect(rules.map(({ rule, outcome, enabled }) => [rule, outcome, enabled])).toEqual([
      ['amber', 'warn', true],
      ['not_abroad', 'pass', true],
      ['off', null, false],
      ['some', 'pass', true],
    ]);
    const { body } = await get(`/dq/rules/${rules[1]?.['id']}`);
    expect(body).toMatchObject({
      pack: 'orders_dq',
      model: 'staging.orders',
      text: expect.stringContaining('invalid_count(region)'),
      owner: 'mara',
      tags: ['gold'],
      dimension: 'validity',
      severity: 'error',
    });
    const outcomes = body.results.map(({ outcome }: { outcome: string }) => outcome);
    expect(outcomes).toEqual(['pass', 'fail', 'fail', 'pass']);
  });

  test('are filtered by model, dimension and outcome', async () => {
    expect(await items('/dq/rules?model=staging.none')).toEqual([]);
    expect(await items('/dq/rules?dimension=coverage')).toHaveLength(1);
    expect(await items('/dq/rules?outcome=warn')).toHaveLength(1);
  });

  test('of another environment are others', async () => {
    const [rule] = await items('/dq/rules?environment=dev');
    expect((await get(`/dq/rules/${rule?.['id']}?environment=dev`)).body.results).toHaveLength(1);
    expect((await get(`/dq/rules/${rule?.['id']}`)).body.results).toHaveLength(4);
    expect((await get('/dq/rules?environment=nowhere')).status).toBe(404);
    expect((await get('/dq/rules?environment=dev', viewer)).status).toBe(403);
  });
});

describe('results', () => {
  test('come in pages by limit and cursor, newest first', async () => {
    for (const list of ['results', 'rules', 'incidents']) {
      const all = await items(`/dq/${list}`);
      const paged: unknown[] = [];
      for (let cursor = ''; ; ) {
        const { body } = await get(`/dq/${list}?limit=1${cursor}`);
        paged.push(...body.items);
        if (body.next_cursor === null) break;
        cursor = `&cursor=${body.next_cursor}`;
      }
      expect(paged).toEqual(all);
    }
    const ids = (await items('/dq/results')).map(({ id }) => String(id));
    expect(ids).toEqual(ids.toSorted().toReversed());
    expect(ids).toHaveLength(12);
  });

  test('are filtered by model, check, run_id, outcome and since; incidents by state', async () => {
    const [newest] = await items('/dq/results?check=orders_dq/some');
    expect(newest).toMatchObject({ outcome: 'pass', value: 20, trigger: 'change', withheld: false });
    expect(await items(`/dq/results?run_id=${newest?.['run_id']}`)).toHaveLength(3);
    expect(await items('/dq/results?outcome=fail')).toHaveLength(2);
    expect(await items('/dq/results?model=staging.none')).toEqual([]);
    expect(await items('/dq/results?since=2999-01-01')).toEqual([]);
    expect((await get('/dq/results?since=yesterday')).status).toBe(422);
    expect(await items('/dq/incidents?state=open')).toEqual([]);
    expect(await items('/dq/incidents?state=closed&model=staging.orders')).toHaveLength(1);
    expect(await items('/dq/incidents?check=orders_dq/some')).toEqual([]);
  });

  test('have a sample of the rows that are wrong', async () => {
    const [failed, earlier] = await items('/dq/results?outcome=fail');
    expect(failed).toMatchObject({ has_sample: true });
    expect(failed).not.toHaveProperty('sample');
    for (const token of [admin, viewer]) {
      const { body } = await get(`/dq/results/${failed?.['id']}/sample`, token);
      expect(body).toMatchObject({ check: 'orders_dq/not_abroad', is_part: true, withheld: false });
      expect(body.rows).toHaveLength(5);
    }
    expect(earlier?.['id']).not.toBe(failed?.['id']);
  });
});

test('an incident opens with the first failure and closes with the next pass', async () => {
  const [incident, ...more] = await items('/dq/incidents');
  expect(more).toEqual([]);
  const { body } = await get(`/dq/incidents/${incident?.['id']}`);
  expect(body).toMatchObject({
    check: 'orders_dq/not_abroad',
    state: 'closed',
    failures: 2,
    closed_at: expect.stringMatching(/Z$/),
    summary: expect.stringContaining('it is'),
  });
  expect(body.results).toHaveLength(4);
});

test('what is not there, or of an environment that is not for the caller, is 404 word by word alike', async () => {
  const [there] = await items('/dq/results?environment=dev');
  const told = async (id: unknown) => {
    const { status, body } = await get(`/dq/results/${id}/sample`, viewer);
    return [status, JSON.stringify({ ...body, correlation_id: '' }).replaceAll(String(id), 'ID')];
  };
  expect(await told(there?.['id'])).toEqual(await told('c_nothing.00001'));
  expect((await told(there?.['id']))[0]).toBe(404);
  for (const path of ['/dq/rules/d_nothing', '/dq/incidents/i_nothing'])
    expect([(await get(path)).status, (await get(path)).body.code]).toEqual([404, 'dq.not-found']);
});

test('a gate warns of what warns, upstream too, and refuses what nothing is called', async () => {
  const ask = async (refs: unknown, token = viewer) => {
    const answer = await fetch(`${served.products[0]?.base_url}/dq/gate`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ refs }),
    });
    return { status: answer.status, body: await answer.json() };
  };
  const amber = {
    effect: 'warn',
    kind: 'check',
    model: 'staging.orders',
    name: 'orders_dq/amber',
    outcome: 'warn',
  };
  for (const ref of ['staging.orders', 'marts.best', 'semantic:revenue', 'revenue'])
    expect((await ask([ref])).body, ref).toMatchObject({ decision: 'warn', reasons: [amber] });
  expect((await ask(['raw.regions'])).body).toEqual({
    environment: 'prod',
    decision: 'allow',
    reasons: [],
    models: ['raw.regions'],
  });
  for (const ref of ['marts.nothing', 'metric:nothing', 'nothing'])
    expect((await ask(['raw.regions', ref])).status, ref).toBe(422);
  expect((await ask([])).status).toBe(422);
});
