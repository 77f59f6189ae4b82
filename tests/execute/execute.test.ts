import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DAY_MS } from '../../src/foundation/time/civil.ts';
import { withFaults } from '../support/execution-faults.ts';
import {
  apply,
  DAY_ZERO,
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
});

afterEach(() => place.remove());

const EVENTS = [
  'INCREMENTAL_BY_TIME_RANGE (time_column day, batch_size 2, batch_concurrency 3)',
  'SELECT CAST(day AS DATE) AS day, 1 AS n FROM RANGE(@start_at::TIMESTAMP, @end_before::TIMESTAMP, INTERVAL 1 DAY) AS r(day)',
  "start '2026-01-01'",
] as const;

describe('a plan', () => {
  test('builds tables and views upstream first and shows them under the names of their models', async () => {
    const project = await projectOf({
      's.base': ['FULL', 'SELECT 1 AS id, 10 AS price UNION ALL SELECT 2, 20'],
      's.total': ['VIEW', 'SELECT SUM(price) AS total FROM s.base'],
    });
    const plan = await planFor(world, project, { fill: { 's.base': days(0, 3) } });
    const { run, events } = await apply(world, plan);
    expect(run.error).toBeUndefined();
    expect(run.status).toBe('succeeded');
    expect(statuses(run)).toEqual({ 's.base': 'built', 's.total': 'built' });
    expect(await world.rows('SELECT total FROM s.total')).toEqual(['30']);
    expect(events.map(({ event }) => event)).toContain('environment.promoted');
    const environment = await world.state.snapshots.environment('prod');
    expect(environment?.promotionId).toBe(plan.target.promotionId);
    expect(await world.engine.promotionOf('prod')).toBe(plan.target.promotionId);
    expect(await world.state.journal.intents()).toEqual([]);
    expect(await world.state.journal.leases()).toEqual([]);
    expect((await world.state.journal.run(run.id))?.status).toBe('succeeded');
  });

  test('fills an incremental table batch by batch, each day once, and state knows what the ledger knows', async () => {
    const project = await projectOf({ 's.events': EVENTS });
    const plan = await planFor(world, project, { fill: { 's.events': days(0, 9) } });
    const { run, events } = await apply(world, plan);
    expect(run.error).toBeUndefined();
    expect(run.models[0]).toMatchObject({ status: 'built', rows: 9, intervals: days(0, 9) });
    expect(events.filter(({ event }) => event === 'model.progress')).toHaveLength(5);
    expect(await world.rows('SELECT count(*), count(DISTINCT day), min(day) FROM s.events')).toEqual([
      '9,9,2026-01-01',
    ]);
    expect([...(await world.state.journal.intervals()).values()]).toEqual([days(0, 9)]);
    const [summary] = await world.engine.ledger();
    expect([...(await world.state.journal.dataVersions()).values()]).toEqual([summary?.dataVersion]);
  });

  test('asked twice for the same intervals does not double them', async () => {
    const project = await projectOf({ 's.events': EVENTS });
    await apply(world, await planFor(world, project, { fill: { 's.events': days(0, 4) } }));
    const { run } = await apply(world, await planFor(world, project, { fill: { 's.events': days(0, 4) } }));
    // The plan asked for it as something to fill again, but recorded no restatement: it is done again, not doubled.
    expect(run.status).toBe('succeeded');
    expect(await world.rows('SELECT count(*) FROM s.events')).toEqual(['4']);
  });

  test('without intervals makes the table, and nothing counts as filled', async () => {
    const project = await projectOf({ 's.events': EVENTS });
    const plan = await planFor(world, project, { fill: { 's.events': [] } });
    const { run } = await apply(world, plan);
    expect(run.error).toBeUndefined();
    expect(await world.rows('SELECT count(*) FROM s.events')).toEqual(['0']);
    expect(await world.engine.ledger()).toEqual([]);
    const later = await planFor(world, project, { fill: { 's.events': days(0, 2) } });
    expect(statuses((await apply(world, later)).run)).toEqual({ 's.events': 'built' });
    expect(await world.rows('SELECT count(*) FROM s.events')).toEqual(['2']);
  });

  test('that restates writes again exactly what was asked for', async () => {
    const project = await projectOf({ 's.events': EVENTS });
    await apply(world, await planFor(world, project, { fill: { 's.events': days(0, 6) } }));
    const plan = await planFor(world, project, { restate: { 's.events': days(2, 4) } });
    const { run } = await apply(world, plan);
    expect(run.models[0]).toMatchObject({ status: 'built', rows: 2, intervals: days(2, 4) });
    expect(await world.rows('SELECT count(*) FROM s.events')).toEqual(['6']);
    expect(await world.state.journal.restatements()).toEqual([]);
  });

  test('drops the views of models that are gone, and lists the columns of those that stay', async () => {
    const both = await projectOf({
      's.a': ['FULL', 'SELECT 1 AS x, 2 AS y'],
      's.b': ['FULL', 'SELECT 1 AS z'],
    });
    await apply(world, await planFor(world, both, { fill: { 's.a': days(0, 1), 's.b': days(0, 1) } }));
    const one = await projectOf({ 's.a': ['FULL', 'SELECT 1 AS x, 2 AS y'] });
    const { run } = await apply(world, await planFor(world, one));
    expect(run.error).toBeUndefined();
    const views = await world.rows("SELECT view_name, sql FROM duckdb_views() WHERE schema_name = 's'");
    expect(views).toHaveLength(1);
    expect(views[0]).toMatch(/^a,CREATE VIEW s\.a AS SELECT x, y FROM /);
  });
});

describe('what cannot be', () => {
  test('a plan that builds on a snapshot which state has forgotten is refused by name', async () => {
    const project = await projectOf({ 's.events': EVENTS });
    const plan = await planFor(world, project, { fill: { 's.events': days(0, 1) } });
    const { run } = await apply(world, { ...plan, snapshots: [] });
    expect(run.error?.code).toBe('run.snapshot-missing');
    expect(run.error?.message).toContain(project.entries[0]?.fingerprint);
    expect(await world.engine.ledger()).toEqual([]);
  });

  test('a bug of ours crashes loudly, after the run was recorded as failed and its leases were released', async () => {
    const project = await projectOf({ 's.events': EVENTS });
    const plan = await planFor(world, project, { fill: { 's.events': days(0, 1) } });
    const broken = withFaults(world, {
      before(port, method) {
        if (port === 'session' && method === 'recordLedger') throw new TypeError('planted');
        if (port === 'session' && method === 'query') throw new TypeError('planted');
      },
    });
    await expect(
      apply(broken, { ...plan, stages: plan.stages.filter(({ kind }) => kind !== 'promote') }),
    ).rejects.toThrow('planted');
    const [run] = await world.state.journal.runs({ limit: 1 });
    expect(run).toMatchObject({ status: 'failed', error: { code: 'run.bug' } });
    expect(await world.state.journal.leases()).toEqual([]);
    expect(await world.engine.ledger()).toEqual([]);
  });
});

test('the time of a run is the plan’s, not the wall’s', async () => {
  const project = await projectOf({ 's.now': ['FULL', 'SELECT @execution_ds AS ds'] });
  await apply(world, await planFor(world, project, { fill: { 's.now': days(0, 1) } }));
  const day = new Date(DAY_ZERO + 100 * DAY_MS).toISOString().slice(0, 10);
  expect(await world.rows('SELECT ds FROM s.now')).toEqual([day]);
});

describe('an error of the engine', () => {
  test('names the model whose query it is, and where that query is written', async () => {
    const project = await projectOf({
      's.fine': ['FULL', 'SELECT 1 AS x'],
      's.wrong': ['FULL', "SELECT CAST('abc' AS INT) AS x"],
    });
    const plan = await planFor(world, project, { fill: { 's.fine': days(0, 1), 's.wrong': days(0, 1) } });
    const { run } = await apply(world, plan);
    const { content } = project.snapshots.find(({ snapshot }) => snapshot.model === 's.wrong') as never as {
      content: { model: { ranges: Record<string, unknown> } };
    };
    const { error } = run.models.find(({ name }) => name === 's.wrong') as never as { error: unknown };
    expect(error).toMatchObject({
      code: 'engine.type-mismatch',
      message: expect.stringMatching(/^s\.wrong: /),
      at: content.model.ranges['query'],
    });
    expect(run.error).toEqual(error);
    expect(content.model.ranges['query']).toBeDefined();
  });
});
