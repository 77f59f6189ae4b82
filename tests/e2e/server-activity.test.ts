import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, type ServedTwins, servedTwins } from './served-twins.ts';

let twins: ServedTwins;
let [dev, vic, adm] = ['', '', ''];

beforeAll(async () => {
  twins = await servedTwins();
  adm = await twins.person('acme', 'adm', { role: 'admin', groups: ['admin'] });
  dev = await twins.person('acme', 'dev', { role: 'developer', groups: ['admin'] });
  vic = await twins.person('acme', 'vic', { role: 'viewer' });
});
afterAll(() => twins?.stop());

const get = (path: string, bearer = dev): Promise<Answer> =>
  twins.ask('GET', `${twins.acme}${path}`, { bearer });
const post = (path: string, body?: unknown, bearer = dev): Promise<Answer> =>
  twins.ask('POST', `${twins.acme}${path}`, { bearer, ...(body === undefined ? {} : { body }) });

async function ended(id: string, bearer = dev): Promise<Answer['body']> {
  for (let i = 0; i < 300; i++) {
    const { body } = await get(`/activity/runs/${id}`, bearer);
    if (body.status !== 'running') return body;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`the run ${id} does not end`);
}

/** Plans what the folder has and applies it. */
async function applied(environment: string): Promise<Answer['body']> {
  const planned = await post('/activity/plans', { environment });
  expect(planned.status, planned.text).toBe(201);
  const begun = await post(`/activity/plans/${planned.body.id}/apply`);
  expect(begun.status, begun.text).toBe(202);
  return ended(begun.body.id);
}

async function typesOf(query: string, bearer = dev): Promise<readonly string[]> {
  const { body } = await get(`/activity?limit=1000&${query}`, bearer);
  return body.items.map(({ type }: { type: string }) => type);
}

describe('the event log', () => {
  test('tells everything that can happen today, as CloudEvents', async () => {
    twins.served.write(
      'models/told.sql',
      'MODEL (name marts.told, kind FULL, audits (not_null(columns := (a))));\nSELECT 1 AS a, 2 AS b\n',
    );
    twins.served.write(
      'models/metrics/told.yml',
      'kind: metric\nname: told\nmeasure: orders.revenue\nts: orders.ordered_on\ngranularity: day\n',
    );
    expect((await applied('told')).status).toBe('succeeded');
    twins.served.write(
      'models/told.sql',
      "MODEL (name marts.told, kind FULL, audits (not_null(columns := (a))));\nSELECT '1' AS a, 3 AS c\n",
    );
    twins.served.write(
      'models/metrics/told.yml',
      'kind: metric\nname: told\nmeasure: orders.returns\nts: orders.ordered_on\ngranularity: day\n',
    );
    expect((await applied('told')).status).toBe('succeeded');
    // Rolled back where only the command line can.
    const back = await twins.served.plinth('rollback', 'told', '--yes');
    expect(back.code, back.stdout + back.stderr).toBe(0);
    twins.served.write(
      'models/told.sql',
      'MODEL (name marts.told, kind FULL, audits (not_null(columns := (a))));\nSELECT NULL::INTEGER AS a, 7 AS secret\n',
    );
    twins.served.write(
      'models/below.sql',
      'MODEL (name marts.below, kind FULL);\nSELECT a FROM marts.told\n',
    );
    expect((await applied('told')).status).toBe('failed');
    twins.served.write('models/told.sql', 'MODEL (name marts.told, kind FULL);\nSELECT 1 AS a, 2 AS b\n');
    const failed = await post('/query/statement', { sql: "SELECT 'x'::INTEGER AS n", wait: 20 });
    expect(failed.body.status, failed.text).toBe('FAILED');
    const made = await twins.ask('POST', '/platform-api/v1/tenants/acme/tokens', {
      apikey: twins.root,
      body: { principal: 'vic', name: 'short' },
    });
    await twins.ask('DELETE', `/platform-api/v1/tenants/acme/tokens/${made.body.id}`, { apikey: twins.root });

    const grants = '/platform-api/v1/tenants/acme/resources/apps/sales/grants/vic';
    const given = await twins.ask('PUT', grants, { apikey: twins.root, body: { role: 'consumer' } });
    expect(given.status, given.text).toBeLessThan(300);
    await twins.ask('DELETE', grants, { apikey: twins.root });

    const { body } = await get('/activity?limit=1000', adm);
    const types = new Set(body.items.map(({ type }: { type: string }) => type));
    for (const type of [
      'plan.created',
      'plan.applied',
      'plan.failed',
      'plan.rolled_back',
      'run.started',
      'run.finished',
      'run.failed',
      'model.built',
      'model.failed',
      'model.skipped',
      'audit.failed',
      'schema.changed',
      'metric.changed',
      'environment.promoted',
      'statement.failed',
      'token.created',
      'token.revoked',
      'grant.given',
      'grant.revoked',
    ])
      expect([...types], type).toContain(type);
    let last = 0;
    for (const event of body.items) {
      expect(event).toMatchObject({
        specversion: '1.0',
        source: '/tenants/acme/data-products/acme-sales',
        datacontenttype: 'application/json',
        time: expect.stringMatching(/^\d{4}-.*Z$/),
      });
      // Names of attributes of CloudEvents have small letters and digits only.
      expect(Object.keys(event).filter((name) => !/^[a-z0-9]{1,20}$/.test(name))).toEqual([]);
      expect(Number(event.sequence)).toBeGreaterThan(last);
      last = Number(event.sequence);
      expect(JSON.stringify(event.data)).not.toMatch(/"[a-z]+[A-Z][A-Za-z]*":/);
    }
    const changed = body.items.filter(
      ({ type, environment }: { type: string; environment: string }) =>
        type === 'schema.changed' && environment === 'told',
    );
    expect(changed[0]).toMatchObject({
      subject: 'marts.told',
      model: 'marts.told',
      data: { change: 'changed', breaking: true, added: ['c'], removed: ['b'], retyped: ['a'] },
    });
  });

  test('is filtered by type, environment and model', async () => {
    expect(new Set(await typesOf('type=plan.*&environment=told'))).toEqual(
      new Set(['plan.created', 'plan.applied', 'plan.failed', 'plan.rolled_back']),
    );
    expect(new Set(await typesOf('type=run.started,run.failed&environment=told'))).toEqual(
      new Set(['run.started', 'run.failed']),
    );
    const { body } = await get('/activity?model=marts.told&limit=1000');
    expect(new Set(body.items.map(({ model }: { model: string }) => model))).toEqual(new Set(['marts.told']));
    expect((await get('/activity?type=Plan%20*')).status).toBe(422);
  });

  test('tells each caller what they may know', async () => {
    expect(await typesOf('type=token.*', vic)).toEqual([]);
    expect(await typesOf('type=token.*', dev)).toEqual([]);
    expect((await typesOf('type=token.*', adm)).length).toBeGreaterThan(0);
    expect(await typesOf('type=grant.*', dev)).toEqual([]);
    expect(await typesOf('type=statement.failed', vic)).toEqual([]);
    expect(await typesOf('type=statement.failed', dev)).toEqual(['statement.failed']);
    expect(await typesOf('type=statement.failed', adm)).toEqual(['statement.failed']);
    expect(await typesOf('type=metric.changed', vic)).toEqual([]);
    expect((await typesOf('type=metric.changed', dev)).length).toBeGreaterThan(0);
  });
});

describe('a run', () => {
  test('shows audits with failing rows to those who may read the model', async () => {
    const { body } = await get('/activity/runs?status=failed&environment=told');
    const run = (await get(`/activity/runs/${body.items[0].id}`)).body;
    const model = run.models.find(({ name }: { name: string }) => name === 'marts.told');
    expect(model).toMatchObject({
      status: 'failed',
      error: { code: 'audit.failed' },
      audits: [{ name: 'not_null', status: 'failed', failed_rows: 1, sample_rows: [{ a: null, secret: 7 }] }],
    });
    expect(run.error.code).toBe('audit.failed');
    const limited = await twins.ask('POST', '/platform-api/v1/tenants/acme/tokens', {
      apikey: twins.root,
      body: { principal: 'vic', name: 'narrow', scopes: ['activity:read', 'metadata:read'] },
    });
    const narrow = limited.body.token as string;
    const hidden = await get(`/activity/runs/${run.id}`, narrow);
    expect(hidden.status).toBe(200);
    expect(hidden.text).not.toMatch(/secret|sample/);
    expect(
      hidden.body.models.find(({ name }: { name: string }) => name === 'marts.told').error,
    ).toMatchObject({ code: 'audit.failed', hint: null });
    expect((await get('/metadata/models/marts.orders', narrow)).body).toMatchObject({
      sql: null,
      table: null,
    });
    const plan = await get(`/activity/plans/${run.plan_id}`, narrow);
    expect(plan.text).not.toMatch(/sql_diff/);
  });

  test('that is unknown is told so in terms of the API', async () => {
    for (const path of ['/activity/plans/p_nothing', '/activity/runs/r_nothing']) {
      const { status, body } = await get(path);
      expect([status, body.code]).toEqual([404, expect.stringMatching(/^(?:plan|run)\.not-found$/)]);
      expect(body.hint).toMatch(/^GET \/activity\//);
    }
  });

  test('is begun once in an environment', async () => {
    twins.served.write(
      'models/slow.sql',
      'MODEL (name marts.slow, kind FULL);\nSELECT count(*) AS n FROM range(10000000000) AS a, range(1000) AS b\n',
    );
    const planned = await post('/activity/plans', { environment: 'slow' });
    const begun = await post(`/activity/plans/${planned.body.id}/apply`);
    expect(begun.status).toBe(202);
    const second = await post(`/activity/plans/${planned.body.id}/apply`);
    expect([second.status, second.body.code]).toEqual([409, 'environment.busy']);
    expect(second.body.hint).toMatch(/GET \/activity\/runs/);
    expect((await post(`/activity/runs/${begun.body.id}/cancel`, undefined, vic)).status).toBe(403);
    expect((await post(`/activity/runs/${begun.body.id}/cancel`)).body.status).toBe('cancelled');
    expect((await get('/metadata/models?environment=slow')).status).toBe(404);
    twins.served.write('models/slow.sql', 'MODEL (name marts.slow, kind FULL);\nSELECT 1 AS n\n');
    expect((await applied('slow')).status).toBe('succeeded');
  });
});

describe('what was asked', () => {
  test('is one’s own, or everybody’s for those who may see it', async () => {
    const asked = async (bearer: string): Promise<string> =>
      (await post('/query/statement', { sql: 'SELECT 1 AS n', tags: ['seen'], wait: 10 }, bearer)).body.id;
    const ids = [await asked(vic), await asked(dev)];
    const seen = async (bearer: string, more = ''): Promise<readonly string[]> =>
      (await get(`/activity/queries?tag=seen${more}`, bearer)).body.items.map(({ id }: { id: string }) => id);
    expect(await seen(vic)).toEqual([ids[0]]);
    expect(await seen(adm)).toEqual([ids[1], ids[0]]);
    const [first] = (await get('/activity/queries?tag=seen', vic)).body.items;
    expect(first).toMatchObject({ query_type: 'sql', status: 'SUCCESS', principal_id: expect.any(String) });
    expect(await seen(adm, `&principal=${first.principal_id}`)).toEqual([ids[0]]);
    expect(await seen(dev, `&principal=${first.principal_id}`)).toEqual([]);
    expect(await seen(adm, '&status=FAILED')).toEqual([]);
    expect(await seen(adm, '&since=2999-01-01')).toEqual([]);
    expect(await seen(adm, '&query_type=metric')).toEqual([]);
    const page = await get('/activity/queries?tag=seen&limit=1', adm);
    expect(
      (await get(`/activity/queries?tag=seen&cursor=${page.body.next_cursor}`, adm)).body.items,
    ).toMatchObject([{ id: ids[0] }]);
  });
});

describe('the stream', () => {
  async function* listen(query: string, bearer: string): AsyncGenerator<string> {
    const controller = new AbortController();
    try {
      const answer = await fetch(`${twins.acme}/activity/stream?${query}`, {
        headers: { authorization: `Bearer ${bearer}` },
        signal: controller.signal,
      });
      let rest = '';
      for await (const chunk of (answer.body as ReadableStream<Uint8Array>).pipeThrough(
        new TextDecoderStream(),
      )) {
        const blocks = (rest + chunk).split('\n\n');
        rest = blocks.pop() ?? '';
        yield* blocks;
      }
    } finally {
      controller.abort();
    }
  }

  test('has what its filters let through, in order', async () => {
    const found: string[] = [];
    for await (const block of listen('since=0&type=plan.created', dev)) {
      const [, type] = /^event: (.*)$/m.exec(block) ?? [];
      if (type === undefined) continue;
      found.push(type);
      if (found.length === 3) break;
    }
    expect(found).toEqual(['plan.created', 'plan.created', 'plan.created']);
  });

  test('ends when the token is revoked', async () => {
    const made = await twins.ask('POST', '/platform-api/v1/tenants/acme/tokens', {
      apikey: twins.root,
      body: { principal: 'vic', name: 'listening' },
    });
    let text = '';
    for await (const block of listen('type=run.started', made.body.token as string)) {
      text += `${block}\n`;
      if (block.includes(': open'))
        await twins.ask('DELETE', `/platform-api/v1/tenants/acme/tokens/${made.body.id}`, {
          apikey: twins.root,
        });
    }
    expect(text).toContain('event: end');
  });
});
