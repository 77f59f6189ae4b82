import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, type ServedTwins, servedTwins } from './served-twins.ts';

let twins: ServedTwins;
let [dev, vic, eva] = ['', '', ''];

beforeAll(async () => {
  twins = await servedTwins();
  dev = await twins.person('acme', 'dev', { role: 'developer', groups: ['admin'] });
  vic = await twins.person('acme', 'vic', { role: 'viewer' });
  eva = await twins.person('acme', 'eva', { role: 'viewer' });
});
afterAll(() => twins?.stop());

const get = (path: string, bearer = dev): Promise<Answer> =>
  twins.ask('GET', `${twins.acme}${path}`, { bearer });
const post = (
  path: string,
  body: unknown,
  { bearer = dev, key }: { readonly bearer?: string; readonly key?: string } = {},
): Promise<Answer> =>
  twins.ask('POST', `${twins.acme}${path}`, {
    bearer,
    ...(body === undefined ? {} : { body }),
    ...(key === undefined ? {} : { headers: { 'idempotency-key': key } }),
  });
const names = (items: readonly { readonly name: string }[]): readonly string[] =>
  items.map(({ name }) => name);

describe('metadata', () => {
  test('tells the product on one page', async () => {
    const { status, body } = await get('/metadata');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      name: 'sales',
      tenant: 'acme',
      environment: 'prod',
      // Its models were filled long ago.
      health: {
        status: 'caution',
        reasons: expect.arrayContaining([expect.objectContaining({ kind: 'late' })]),
      },
      counts: { models: 3, semantic_models: 3, metrics: 1 },
      ports: { rest: twins.acme, sql: `${twins.acme}/query/statement` },
      freshness: { is_fresh: null, refreshed_at: expect.any(String) },
      readme: null,
      usage: { good_for: [], runs: { succeeded: 1, failed: 0 } },
    });
    expect((await get('/metadata?environment=nowhere')).body).toMatchObject({ health: { status: 'empty' } });
    expect((await get('/metadata', vic)).body.counts).toMatchObject({
      models: 3,
      semantic_models: 1,
      metrics: 0,
    });
  });

  test('lists models in pages, and shows one with columns, SQL and view', async () => {
    const first = await get('/metadata/models?limit=2');
    expect(names(first.body.items)).toEqual(['marts.customers', 'marts.lines']);
    const second = await get(`/metadata/models?limit=2&cursor=${first.body.next_cursor}`);
    expect(names(second.body.items)).toEqual(['marts.orders']);
    const { body } = await get('/metadata/models/marts.orders');
    expect(body).toMatchObject({ name: 'marts.orders', kind: 'full', view: 'marts.orders' });
    expect(names(body.columns)).toContain('amount');
    expect(body.sql).toContain('VALUES');
    expect(body.table).toMatch(/orders__/);
    expect(body.last_run).toMatchObject({ status: 'built', rows: expect.any(Number), error: null });
    expect(body.schedule).toMatchObject({ cron: '@daily', start: '2025-01-01' });
    expect(body.profile).toMatchObject({ rows: body.last_run.rows });
    expect(body.status.condition).toMatch(/^(?:fine|due|late)$/);
    const absent = await get('/metadata/models/marts.order');
    expect([absent.status, absent.body.code]).toEqual([404, 'project.unknown-model']);
    expect((await get('/metadata/models?environment=nowhere')).status).toBe(404);
  });

  test('shows of the semantics only what policies leave to the caller', async () => {
    const all = await get('/metadata/semantic', eva);
    expect(names(all.body.models).toSorted()).toEqual(['customers', 'lines', 'orders']);
    expect(names(all.body.metrics)).toEqual(['monthly_revenue']);
    const orders = all.body.models.find(({ name }: { name: string }) => name === 'orders');
    expect(names(orders.measures)).toEqual(['revenue', 'returns', 'return_rate']);
    expect(orders.measures[0].data_type).toBe('DECIMAL(38,2)');
    expect(orders.dimensions.find(({ name }: { name: string }) => name === 'ordered_on')).toMatchObject({
      data_type: 'DATE',
      granularities: expect.arrayContaining(['month']),
    });
    const some = await get('/metadata/semantic', vic);
    expect(names(some.body.models)).toEqual(['lines']);
    expect(some.body.models[0].joins).toEqual([]);
    expect(some.body.metrics).toEqual([]);
    for (const path of [
      '/metadata/semantic',
      '/metadata/lineage',
      '/metadata/search?q=revenue',
      '/metadata/changes',
    ])
      expect((await get(path, vic)).text, path).not.toMatch(/monthly_revenue|semantic:orders|return_rate/);
    for (const ref of ['semantic:orders', 'metric:monthly_revenue']) {
      const hidden = await get(`/metadata/lineage?ref=${ref}`, vic);
      const absent = await get('/metadata/lineage?ref=semantic:nothing', vic);
      expect([hidden.status, hidden.body.code]).toEqual([404, absent.body.code]);
    }
  });

  test('draws lineage by tables and by columns, in a direction and as deep as asked', async () => {
    const ids = async (query: string): Promise<readonly string[]> =>
      ((await get(`/metadata/lineage?${query}`)).body.nodes as { id: string }[])
        .map(({ id }) => id)
        .toSorted();
    expect(await ids('ref=marts.orders')).toEqual([
      'marts.orders',
      'metric:monthly_revenue',
      'semantic:orders',
    ]);
    expect(await ids('ref=marts.orders&depth=1')).toEqual(['marts.orders', 'semantic:orders']);
    expect(await ids('ref=marts.orders&direction=upstream')).toEqual(['marts.orders']);
    expect(await ids('ref=metric:monthly_revenue&direction=upstream')).toContain('marts.orders');
    expect(await ids('ref=marts.orders&column=amount')).toEqual(['marts.orders.amount']);
    expect((await get('/metadata/lineage?ref=marts.orders&column=nothing')).status).toBe(404);
    expect((await get('/metadata/lineage?direction=sideways')).status).toBe(422);
  });

  test('says what a change would reach', async () => {
    const { body } = await get('/metadata/impact?ref=marts.orders.amount&change=drop');
    expect(body.nodes).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: 'semantic:orders.revenue', kind: 'measure', effect: 'breaks' }),
        expect.objectContaining({ id: 'metric:monthly_revenue', kind: 'metric', effect: 'breaks' }),
      ]),
    );
    expect(body.breaking).toBe(true);
    expect((await get('/metadata/impact?ref=marts.lines.pieces')).body).toMatchObject({
      change: 'values',
      breaking: false,
      nodes: [{ id: 'semantic:lines.pieces', member: 'pieces', effect: 'changes', distance: 1 }],
    });
    expect((await get('/metadata/impact?ref=marts.orders.amount', vic)).body.nodes).toEqual([]);
    for (const ref of ['marts.nothing', 'marts.orders.nothing', 'semantic:orders.nothing', 'metric:nothing'])
      expect((await get(`/metadata/impact?ref=${ref}`)).status, ref).toBe(404);
    expect((await get('/metadata/impact?ref=semantic:orders', vic)).status).toBe(404);
    for (const query of ['', '?ref=marts.orders&change=sideways'])
      expect((await get(`/metadata/impact${query}`)).status).toBe(422);
  });

  test('finds things by their words', async () => {
    const { body } = await get('/metadata/search?q=revenue');
    expect(body.items[0]).toMatchObject({ kind: 'measure', ref: 'semantic:orders.revenue' });
    expect(body.items.map(({ ref }: { ref: string }) => ref)).toContain('metric:monthly_revenue');
  });

  test('tells what was applied, and since when', async () => {
    const { body } = await get('/metadata/changes');
    expect(body.items).toHaveLength(1);
    expect(names(body.items[0].changes)).toContain('marts.orders');
    expect((await get('/metadata/changes?since=2999-01-01T00:00:00Z')).body.items).toEqual([]);
    expect((await get('/metadata/changes?since=yesterday')).status).toBe(422);
  });
});

describe('activity', () => {
  const ended = async (id: string): Promise<Answer['body']> => {
    for (let i = 0; i < 300; i++) {
      const { body } = await get(`/activity/runs/${id}`);
      if (body.status !== 'running') return body;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`the run ${id} does not end`);
  };

  test('plans, applies and runs on behalf of who may', async () => {
    for (const path of ['/activity/plans', '/activity/runs'])
      expect((await post(path, {}, { bearer: vic })).body.code).toBe('access.forbidden');
    const planned = await post('/activity/plans', { environment: 'dev' });
    expect(planned.status).toBe(201);
    expect(planned.body.stages.length).toBeGreaterThan(0);
    expect((await get(`/activity/plans/${planned.body.id}`)).body).toMatchObject({ status: 'planned' });
    const begun = await post(`/activity/plans/${planned.body.id}/apply`, undefined);
    expect(begun.status).toBe(202);
    expect(begun.headers.get('location')).toMatch(new RegExp(`/activity/runs/${begun.body.id}$`));
    expect(await ended(begun.body.id)).toMatchObject({ status: 'succeeded', environment: 'dev' });
    const again = await post(`/activity/plans/${planned.body.id}/apply`, undefined);
    expect([again.status, again.body.code]).toEqual([409, 'environment.moved']);
    const run = await post('/activity/runs', { environment: 'dev' });
    expect(run.status).toBe(202);
    expect(await ended(run.body.id)).toMatchObject({ status: 'succeeded' });
    const cancelled = await post(`/activity/runs/${run.body.id}/cancel`, undefined);
    expect([cancelled.status, cancelled.body.status]).toEqual([200, 'succeeded']);
    expect((await post('/activity/runs/r_nothing/cancel', undefined)).status).toBe(404);
    expect((await post('/activity/plans/p_nothing/apply', undefined)).status).toBe(404);
  });

  test('refuses what cannot be planned, with all that is wrong', async () => {
    const bad = await post('/activity/plans', { select: 'nothing_such', environment: 'dev' });
    expect([bad.status, bad.body.errors.length > 0]).toEqual([422, true]);
    expect((await post('/activity/plans', { start: 'soonish' })).status).toBe(422);
    expect((await post('/activity/runs', { environment: 'nowhere' })).status).toBe(404);
    expect((await post('/activity/plans', { environment: 'no way!' })).status).toBe(422);
  });

  test('gives a run up when asked', async () => {
    twins.served.write(
      'models/slow.sql',
      'MODEL (name marts.slow, kind FULL);\nSELECT count(*) AS n FROM range(10000000000) AS a, range(1000) AS b\n',
    );
    const planned = await post('/activity/plans', { environment: 'slow' });
    expect(planned.status).toBe(201);
    const begun = await post(`/activity/plans/${planned.body.id}/apply`, undefined);
    expect(begun.body.status).toBe('running');
    const cancelled = await post(`/activity/runs/${begun.body.id}/cancel`, undefined);
    expect([cancelled.status, cancelled.body.status]).toEqual([200, 'cancelled']);
    expect((await get('/metadata/models?environment=slow')).status).toBe(404);
  });

  test('streams events, from where a stream broke off', async () => {
    const { body } = await get('/activity?limit=5');
    expect(body.items).toHaveLength(5);
    const [, , third] = body.items as { id: string }[];
    const controller = new AbortController();
    const answer = await fetch(`${twins.acme}/activity/stream`, {
      headers: { authorization: `Bearer ${vic}`, 'last-event-id': third?.id ?? '' },
      signal: controller.signal,
    });
    expect(answer.headers.get('content-type')).toContain('text/event-stream');
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    let text = '';
    for (let i = 0; i < 20 && !text.includes('data: '); i++)
      text += new TextDecoder().decode((await reader.read()).value);
    controller.abort();
    expect(/^id: (\d+)$/m.exec(text)?.[1]).toBe(body.items[3].id);
  });
});

describe('an Idempotency-Key', () => {
  test('makes a repeated request one, and refuses it for another', async () => {
    const body = { sql: 'SELECT 1 AS a FROM marts.lines LIMIT 1', cache: false, tags: ['repeated'] };
    const [first, same] = await Promise.all([
      post('/query/statement', body, { key: 'k-1' }),
      post('/query/statement', body, { key: 'k-1' }),
    ]);
    expect(first.body.id).toBe(same.body.id);
    expect([first, same].map(({ headers }) => headers.get('idempotency-replayed')).toSorted()).toEqual(
      [null, 'true'].toSorted(),
    );
    const third = await post('/query/statement', body, { key: 'k-1' });
    expect([third.status, third.text]).toEqual([first.status, first.text]);
    expect((await get('/query/statement?tag=repeated')).body.items).toHaveLength(1);
    const other = await post('/query/statement', { ...body, cache: true }, { key: 'k-1' });
    expect([other.status, other.body.code]).toEqual([422, 'http.key-reused']);
    const somebody = await post('/query/statement', body, { key: 'k-1', bearer: eva });
    expect(somebody.body.id).not.toBe(first.body.id);
    expect((await post('/query/statement', body, { key: 'a b' })).status).toBe(422);
  });
});

test('a metric that nobody defined is not found, by GET and by POST', async () => {
  for (const answer of [await get('/query/metric/revenue'), await post('/query/metric/revenue', {})])
    expect([answer.status, answer.body.code]).toEqual([404, 'metric.unknown']);
});
