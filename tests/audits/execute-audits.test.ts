import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { withFaults } from '../support/execution-faults.ts';
import {
  apply,
  days,
  planFor,
  projectOf,
  statuses,
  type TestPlace,
  type TestWorld,
  testPlace,
} from '../support/execution-support.ts';

let place: TestPlace;
let world: TestWorld;

beforeEach(async () => {
  place = testPlace();
  world = await place.open();
  await world.engine.write([], async (session) => {
    await session.execute('CREATE SCHEMA raw');
    await session.execute('CREATE TABLE raw.orders AS SELECT 1 AS id, 10 AS price');
    await session.execute('CREATE TABLE raw.refunds AS SELECT 1 AS id, 3 AS amount');
  });
});

afterEach(() => place.remove());

const change = (sql: string): Promise<void> => world.engine.write([], (session) => session.execute(sql));

const POSITIVE = 'audits (forall(criteria := (price > 0)))';
const SHOP = {
  's.orders': ['FULL', 'SELECT id, price FROM raw.orders', POSITIVE],
  's.revenue': ['FULL', 'SELECT SUM(price) AS revenue FROM s.orders'],
  's.other': ['FULL', 'SELECT COUNT(*) AS n FROM raw.refunds'],
} as const;
const all = (end: number) => ({
  's.orders': days(0, end),
  's.revenue': days(0, end),
  's.other': days(0, end),
});

describe('a blocking audit', () => {
  test('that fails leaves the old rows, stops what is downstream, lets the rest go on, and keeps the failing rows', async () => {
    const project = await projectOf(SHOP);
    await apply(world, await planFor(world, project, { fill: all(1) }));
    await change('INSERT INTO raw.orders VALUES (2, -5), (3, -6)');
    const { run, events } = await apply(
      world,
      await planFor(world, project, { fill: all(2), isPromoted: false }),
    );
    expect(run.status).toBe('failed');
    expect(run.error?.code).toBe('audit.failed');
    expect(statuses(run)).toEqual({ 's.orders': 'failed', 's.revenue': 'skipped', 's.other': 'built' });
    expect(run.models.find(({ name }) => name === 's.revenue')?.because).toBe('s.orders');
    const [audit] = run.models.find(({ name }) => name === 's.orders')?.audits ?? [];
    expect(audit).toMatchObject({ name: 'forall', status: 'failed', failedRows: 2 });
    expect(await world.rows(`SELECT audit, failed_rows, row FROM ${audit?.sample} ORDER BY row`)).toEqual([
      'forall,2,{"id":2,"price":-5}',
      'forall,2,{"id":3,"price":-6}',
    ]);
    expect(await world.rows('SELECT id, price FROM s.orders')).toEqual(['1,10']);
    expect(events).toContainEqual(expect.objectContaining({ event: 'audit.failed', isBlocking: true }));
    const logged = await world.state.events.events({ runId: run.id, limit: 100 });
    expect(logged.map(({ event }) => event)).toEqual(
      expect.arrayContaining([
        'audit.failed',
        'model.failed',
        'model.skipped',
        'model.written',
        'run.failed',
        'plan.failed',
      ]),
    );
  });

  test('of a promotion that was only begun is asked among its own tables, not among those of whoever writes', async () => {
    const orders = ['FULL', 'SELECT id, price FROM raw.orders'] as const;
    const fill = { 's.orders': days(0, 1), 's.known': days(0, 1) };
    const prod = await projectOf({ 's.orders': orders, 's.known': ['FULL', 'SELECT 0 AS id'] });
    await apply(world, await planFor(world, prod, { fill }));
    const dev = await projectOf(
      {
        's.orders': orders,
        's.known': ['FULL', 'SELECT 1 AS id'],
        's.ids': ['VIEW', 'SELECT id FROM s.orders', 'audits (is_known)'],
      },
      {
        'audits/is_known.sql':
          'AUDIT (name is_known);\nSELECT * FROM @this_model WHERE id NOT IN (SELECT id FROM s.known)\n',
      },
    );
    let isDead = false;
    const dying = withFaults(world, {
      before(_, method) {
        isDead ||= method === 'recordPromotion';
        if (isDead) throw new Error('killed');
      },
    });
    const begun = planFor(world, dev, { environment: 'dev', fill: { 's.known': days(0, 1) } });
    await expect(apply(dying, await begun)).rejects.toThrow('killed');
    for (const { name, holder } of await world.state.journal.leases())
      await world.state.journal.releaseLease(name, holder);
    expect(await world.state.journal.promotionIntents()).toHaveLength(1);
    const again = await planFor(world, prod, { fill: { 's.orders': days(1, 2) }, isPromoted: false });
    const { run } = await apply(world, again);
    expect([run.status, run.error?.message]).toEqual(['succeeded', undefined]);
    expect(run.models.find(({ name }) => name === 's.ids')?.audits).toMatchObject([
      { name: 'is_known', status: 'passed' },
    ]);
  });

  test('of a new view stops the promotion, and the environment stays what it was', async () => {
    const first = await projectOf({ 's.orders': ['FULL', 'SELECT id, price FROM raw.orders'] });
    await apply(world, await planFor(world, first, { fill: { 's.orders': days(0, 1) } }));
    const project = await projectOf({
      's.orders': ['FULL', 'SELECT id, price FROM raw.orders'],
      's.cheap': ['VIEW', 'SELECT id, price FROM s.orders', 'audits (forall(criteria := (price > 100)))'],
    });
    const plan = await planFor(world, project);
    expect(plan.stages.map(({ kind }) => kind)).toContain('audit');
    const { run } = await apply(world, plan);
    expect(run.status).toBe('failed');
    expect(statuses(run)).toEqual({ 's.cheap': 'failed' });
    expect(await world.engine.promotionOf('prod')).toBe(
      `promotion-of-${(await world.state.snapshots.environment('prod'))?.planId}`,
    );
    await expect(world.rows('SELECT * FROM s.cheap')).rejects.toThrow();
  });

  test('of a view that is shown holds back both tables below it, each clean alone', async () => {
    const project = await projectOf({
      's.orders': ['FULL', 'SELECT id, price FROM raw.orders'],
      's.refunds': ['FULL', 'SELECT id, amount FROM raw.refunds'],
      's.net': [
        'VIEW',
        'SELECT o.id, o.price - r.amount AS net FROM s.orders AS o JOIN s.refunds AS r USING (id)',
        'audits (forall(criteria := (net > 0)))',
      ],
    });
    const fill = (end: number) => ({ 's.orders': days(0, end), 's.refunds': days(0, end) });
    const built = await apply(world, await planFor(world, project, { fill: fill(1) }));
    expect(built.run.error).toBeUndefined();
    await change('UPDATE raw.orders SET price = 8');
    await change('UPDATE raw.refunds SET amount = 9');
    const plan = await planFor(world, project, { fill: fill(2), isPromoted: false });
    expect(plan.stages.filter(({ kind }) => kind === 'backfill')).toHaveLength(1);
    const { run } = await apply(world, plan);
    expect(statuses(run)).toEqual({ 's.orders': 'failed', 's.refunds': 'failed', 's.net': 'failed' });
    expect(await world.rows('SELECT id, net FROM s.net')).toEqual(['1,7']);
    await change('UPDATE raw.refunds SET amount = 1');
    const again = await apply(world, await planFor(world, project, { fill: fill(2), isPromoted: false }));
    expect(again.run.error).toBeUndefined();
    expect(await world.rows('SELECT id, net FROM s.net')).toEqual(['1,7']);
    expect(await world.rows('SELECT price FROM s.orders')).toEqual(['8']);
  });

  test('fails in a group: the guilty member fails, the others are skipped because of it, none is written', async () => {
    const project = await projectOf({
      's.orders': ['FULL', 'SELECT id, price FROM raw.orders', POSITIVE],
      's.refunds': ['FULL', 'SELECT id, amount FROM raw.refunds'],
      's.net': [
        'VIEW',
        'SELECT o.id, o.price - r.amount AS net FROM s.orders AS o JOIN s.refunds AS r USING (id)',
        'audits (not_null(columns := (id)))',
      ],
    });
    const fill = (end: number) => ({ 's.orders': days(0, end), 's.refunds': days(0, end) });
    await apply(world, await planFor(world, project, { fill: fill(1) }));
    await change('UPDATE raw.orders SET price = -1');
    await change('UPDATE raw.refunds SET amount = 2');
    const { run } = await apply(world, await planFor(world, project, { fill: fill(2), isPromoted: false }));
    expect(statuses(run)).toEqual({ 's.orders': 'failed', 's.refunds': 'skipped' });
    expect(await world.rows('SELECT amount FROM s.refunds')).toEqual(['3']);
  });
});

describe('a table that several environments show', () => {
  const orders = (properties: string) =>
    projectOf({ 's.orders': ['FULL', 'SELECT id, price FROM raw.orders', properties] });
  const fill = (end: number) => ({ fill: { 's.orders': days(0, end) } });

  test('is not written with rows that another environment refuses, and the error names it', async () => {
    await apply(world, await planFor(world, await orders(POSITIVE), fill(1)));
    const dev = await orders("owner 'me'");
    await apply(world, await planFor(world, dev, { environment: 'dev' }));
    await change('INSERT INTO raw.orders VALUES (2, -5)');
    const plan = await planFor(world, dev, { environment: 'dev', ...fill(2), isPromoted: false });
    const { run } = await apply(world, plan);
    expect(run.error?.message).toContain('the audit forall that environment prod demands');
    expect(statuses(run)).toEqual({ 's.orders': 'failed' });
    expect(await world.rows('SELECT id, price FROM s.orders')).toEqual(['1,10']);
    await change('UPDATE raw.orders SET price = 5 WHERE price < 0');
    const again = await apply(
      world,
      await planFor(world, dev, { environment: 'dev', ...fill(2), isPromoted: false }),
    );
    expect(again.run.error).toBeUndefined();
    expect(await world.rows('SELECT id, price FROM s.orders ORDER BY id')).toEqual(['1,10', '2,5']);
  });

  test('a new audit that fails stops every plan until the rows are right', async () => {
    await change('UPDATE raw.orders SET price = -1');
    await apply(world, await planFor(world, await orders("owner 'me'"), fill(1)));
    for (let i = 0; i < 2; i++) {
      const { run } = await apply(world, await planFor(world, await orders(POSITIVE)));
      expect(run.error?.code).toBe('audit.failed');
    }
    await change('UPDATE raw.orders SET price = 1');
    const { run } = await apply(world, await planFor(world, await orders(POSITIVE), fill(2)));
    expect(run.error).toBeUndefined();
  });
});

describe('an audit that reads another model', () => {
  const RELATED = 'audits (relationship(column := id, to := s.other, field := id))';
  const both = (query: string) =>
    projectOf({
      's.first': ['FULL', 'SELECT id FROM raw.orders', RELATED],
      's.other': ['FULL', query],
    });
  const fill = { fill: { 's.first': days(0, 1), 's.other': days(0, 1) } };

  test.each([
    ['beside it', 'SELECT id FROM raw.refunds'],
    ['below it', 'SELECT id FROM s.first'],
  ])('finds it in a first plan: %s', async (_, query) => {
    const { run } = await apply(world, await planFor(world, await both(query), fill));
    expect(run.error).toBeUndefined();
    expect(run.models.find(({ name }) => name === 's.first')?.audits).toEqual([
      { name: 'relationship', status: 'passed', failedRows: 0 },
    ]);
  });

  test.each([
    ['beside it', 'SELECT id + 1 AS id FROM raw.refunds'],
    ['below it', 'SELECT id + 1 AS id FROM s.first'],
  ])('and nothing is shown when it fails: %s', async (_, query) => {
    const { run } = await apply(world, await planFor(world, await both(query), fill));
    expect(run.error?.code).toBe('audit.failed');
    await expect(world.rows('SELECT * FROM s.first')).rejects.toThrow();
  });
});

test('rows that are held back and rows that are published add up, in the result and in the log', async () => {
  const project = await projectOf(
    { 's.orders': ['FULL', 'SELECT id, price FROM raw.orders', 'audits (dear)'] },
    {
      'audits/dear.sql':
        'AUDIT (name dear, on_failure quarantine);\nSELECT * FROM @this_model WHERE price > 100',
    },
  );
  await change('INSERT INTO raw.orders VALUES (2, 500), (3, 20)');
  const { run } = await apply(world, await planFor(world, project, { fill: { 's.orders': days(0, 1) } }));
  expect(run.error).toBeUndefined();
  const balance = { input: 3, published: 2, quarantined: 1 };
  expect(run.models[0]).toMatchObject({ status: 'built', balance });
  const logged = await world.state.events.events({ runId: run.id, limit: 100 });
  expect(logged.find(({ event }) => event === 'model.written')?.data).toMatchObject({ balance });
  expect(await world.rows('SELECT count(*) FROM s.orders')).toEqual(['2']);
});

test('an audit that only warns is told, and the rows are published', async () => {
  const project = await projectOf({
    's.orders': [
      'FULL',
      'SELECT id, price FROM raw.orders',
      'audits (forall(criteria := (price > 100), blocking := false))',
    ],
  });
  const { run, events } = await apply(
    world,
    await planFor(world, project, { fill: { 's.orders': days(0, 1) } }),
  );
  expect(run.status).toBe('succeeded');
  expect(run.models[0]?.audits).toEqual([expect.objectContaining({ status: 'warned', failedRows: 1 })]);
  expect(events).toContainEqual(expect.objectContaining({ event: 'audit.failed', isBlocking: false }));
});

test('a blocking audit of a view over a table of somebody else stops what would be filled from it', async () => {
  const project = await projectOf({
    's.seen': ['VIEW', 'SELECT id, price FROM raw.orders', POSITIVE],
    's.kept': ['FULL', 'SELECT id, price FROM s.seen'],
    's.other': ['FULL', 'SELECT COUNT(*) AS n FROM raw.refunds'],
  });
  const both = (end: number) => ({ 's.kept': days(0, end), 's.other': days(0, end) });
  expect((await apply(world, await planFor(world, project, { fill: both(1) }))).run.error).toBeUndefined();
  await change('INSERT INTO raw.orders VALUES (2, -5)');
  const again = await planFor(world, project, { fill: both(2), isPromoted: false });
  const { run } = await apply(world, again);
  expect(run.error?.code).toBe('audit.failed');
  expect(statuses(run)).toEqual({ 's.seen': 'failed', 's.kept': 'skipped', 's.other': 'built' });
  expect(await world.rows('SELECT id FROM s.kept')).toEqual(['1']);
});

test('a statement that changes what another model or Plinth itself keeps is refused, and nothing is written', async () => {
  const project = await projectOf({
    's.kept': ['FULL', 'SELECT 1 AS id;\nDELETE FROM plinth__ledger'],
    's.own': ['FULL', 'SELECT 1 AS id;\nUPDATE @this_model SET id = 2'],
  });
  const { run } = await apply(
    world,
    await planFor(world, project, { fill: { 's.kept': days(0, 1), 's.own': days(0, 1) }, isPromoted: false }),
  );
  expect(statuses(run)).toEqual({ 's.kept': 'failed', 's.own': 'built' });
  expect(run.error?.code).toBe('model.writes-other-table');
  expect(await world.rows('SELECT DISTINCT model FROM plinth__ledger')).toEqual(['s.own']);
});
