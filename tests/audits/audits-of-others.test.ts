/** Audits that read other models are asked whenever what they read is written, before it can be seen. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  apply,
  days,
  type Models,
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
    await session.execute('CREATE TABLE raw.customers AS SELECT * FROM (VALUES (1), (2)) AS t(id)');
    await session.execute(
      'CREATE TABLE raw.orders AS SELECT * FROM (VALUES (10, 1), (11, 2)) AS t(id, customer)',
    );
  });
});
afterEach(() => place.remove());

const change = (sql: string): Promise<void> => world.engine.write([], (session) => session.execute(sql));
const KNOWN = 'relationship(column := customer, to := s.customers, field := id)';
const CUSTOMERS = ['FULL', 'SELECT id FROM raw.customers'] as const;
const orders = (audit: string) =>
  ['FULL', 'SELECT id, customer FROM raw.orders', `audits (${audit})`] as const;
const shop = (audit = KNOWN): Models => ({ 's.orders': orders(audit), 's.customers': CUSTOMERS });
const both = (end: number) => ({ 's.orders': days(0, end), 's.customers': days(0, end) });
const customersOnly = (end: number) => ({ 's.customers': days(0, end) });

const AUDITS = {
  'audits/known.sql':
    'AUDIT (name known);\nSELECT * FROM @this_model WHERE customer NOT IN (SELECT id FROM s.customers)\n',
  'audits/hidden.sql':
    'AUDIT (name hidden);\nSELECT * FROM @this_model WHERE @IF(TRUE, customer NOT IN (SELECT id FROM s.customers), FALSE)\n',
  'audits/seen.sql':
    'AUDIT (name seen);\nSELECT * FROM @this_model WHERE customer NOT IN (SELECT id FROM s.shown)\n',
  'audits/told.sql':
    'AUDIT (name told, blocking false);\nSELECT * FROM @this_model WHERE customer NOT IN (SELECT id FROM s.customers)\n',
};

async function built(models: Models): Promise<Awaited<ReturnType<typeof projectOf>>> {
  const project = await projectOf(models, AUDITS);
  const { run } = await apply(world, await planFor(world, project, { fill: both(1) }));
  expect(run.error).toBeUndefined();
  return project;
}

const ids = (table: string): Promise<readonly string[]> => world.rows(`SELECT id FROM ${table} ORDER BY id`);

describe('a write of what a blocking audit of another table reads', () => {
  test.each([KNOWN, 'known', 'hidden'])('is not published when it makes %s fail', async (audit) => {
    const project = await built(shop(audit));
    await change('DELETE FROM raw.customers WHERE id = 2');
    const plan = await planFor(world, project, { fill: customersOnly(2), isPromoted: false });
    const { run, events } = await apply(world, plan);
    expect(run.status).toBe('failed');
    expect(run.error).toMatchObject({
      code: 'audit.failed',
      message: expect.stringMatching(/1 row of s\.orders fails the audit/),
    });
    expect(statuses(run)).toEqual({ 's.customers': 'failed', 's.orders': 'up-to-date' });
    expect(run.models.find(({ name }) => name === 's.orders')?.audits).toMatchObject([
      { status: 'failed', failedRows: 1 },
    ]);
    expect(events).toContainEqual(
      expect.objectContaining({ event: 'audit.failed', model: 's.orders', isBlocking: true }),
    );
    expect(await ids('s.customers')).toEqual(['1', '2']);
    await change('DELETE FROM raw.customers WHERE id = 2');
    await change('INSERT INTO raw.customers VALUES (2), (3)');
    const again = await apply(
      world,
      await planFor(world, project, { fill: customersOnly(2), isPromoted: false }),
    );
    expect(again.run.error).toBeUndefined();
    expect(await ids('s.customers')).toEqual(['1', '2', '3']);
  });

  test('is asked for through a view, too', async () => {
    const project = await built({
      ...shop('seen'),
      's.shown': ['VIEW', 'SELECT id FROM s.customers WHERE id > 0'],
    });
    await change('UPDATE raw.customers SET id = -2 WHERE id = 2');
    const { run } = await apply(
      world,
      await planFor(world, project, { fill: customersOnly(2), isPromoted: false }),
    );
    expect(statuses(run)).toMatchObject({ 's.customers': 'failed' });
    expect(await ids('s.customers')).toEqual(['1', '2']);
  });

  test('is one with the audited table where both are due: what only holds together is published together', async () => {
    const project = await built(shop());
    await change('DELETE FROM raw.customers WHERE id = 2');
    await change('DELETE FROM raw.orders WHERE customer = 2');
    const plan = await planFor(world, project, { fill: both(2), isPromoted: false });
    expect(plan.stages.filter(({ kind }) => kind === 'backfill')).toHaveLength(1);
    const { run } = await apply(world, plan);
    expect([run.error, statuses(run)]).toEqual([undefined, { 's.orders': 'built', 's.customers': 'built' }]);
    expect([await ids('s.customers'), await ids('s.orders')]).toEqual([['1'], ['10']]);
    expect(run.models.find(({ name }) => name === 's.orders')?.audits).toMatchObject([{ status: 'passed' }]);
  });

  test('is one with the audited table: what does not hold together is not published at all', async () => {
    const project = await built(shop());
    await change('INSERT INTO raw.customers VALUES (3)');
    await change('INSERT INTO raw.orders VALUES (12, 4)');
    const { run } = await apply(world, await planFor(world, project, { fill: both(2), isPromoted: false }));
    expect(statuses(run)).toEqual({ 's.orders': 'failed', 's.customers': 'skipped' });
    expect([await ids('s.customers'), await ids('s.orders')]).toEqual([
      ['1', '2'],
      ['10', '11'],
    ]);
  });

  test('passes what another environment demands of a table it shows', async () => {
    await built({ 's.orders': orders('not_null(columns := (id))'), 's.customers': CUSTOMERS });
    const dev = await projectOf(shop('known'), AUDITS);
    const promoted = await apply(world, await planFor(world, dev, { environment: 'dev' }));
    expect(promoted.run.error).toBeUndefined();
    const prod = await projectOf(
      { 's.orders': orders('not_null(columns := (id))'), 's.customers': CUSTOMERS },
      AUDITS,
    );
    await change('DELETE FROM raw.customers WHERE id = 2');
    const { run } = await apply(
      world,
      await planFor(world, prod, { fill: customersOnly(2), isPromoted: false }),
    );
    expect(statuses(run)).toMatchObject({ 's.customers': 'failed' });
    expect(await ids('s.customers')).toEqual(['1', '2']);
  });

  test('looks at all rows of the audited table, not only at those of one interval', async () => {
    const project = await projectOf({
      's.orders': [
        'INCREMENTAL_BY_TIME_RANGE (time_column day)',
        "SELECT @start_date AS day, id, customer FROM raw.orders WHERE (id = 10) = (@start_ds = '2026-01-01')",
        `start '2026-01-01', audits (${KNOWN})`,
      ],
      's.customers': CUSTOMERS,
    });
    const fill = { 's.orders': days(0, 1), 's.customers': days(0, 1) };
    expect((await apply(world, await planFor(world, project, { fill }))).run.error).toBeUndefined();
    await change('DELETE FROM raw.customers WHERE id = 1');
    const next = { 's.orders': days(1, 2), 's.customers': days(0, 2) };
    const { run } = await apply(world, await planFor(world, project, { fill: next, isPromoted: false }));
    expect(run.error).toMatchObject({ code: 'audit.failed' });
    expect([await ids('s.customers'), await ids('s.orders')]).toEqual([['1', '2'], ['10']]);
  });
});

test('an audit that only warns is asked after what it reads was written', async () => {
  const project = await built(shop('told'));
  await change('DELETE FROM raw.customers WHERE id = 2');
  const { run, events } = await apply(
    world,
    await planFor(world, project, { fill: customersOnly(2), isPromoted: false }),
  );
  expect([run.status, await ids('s.customers')]).toEqual(['succeeded', ['1']]);
  expect(events).toContainEqual(
    expect.objectContaining({ event: 'audit.failed', model: 's.orders', isBlocking: false }),
  );
});
