import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Failure, failure } from '../../src/domain/failure.ts';
import type { RunEvent } from '../../src/domain/run.ts';
import { recover } from '../../src/runtime/execute/recover.ts';
import { takenNames } from '../../src/runtime/execute/taken-names.ts';
import { gate, type Port, withFaults } from '../support/execution-faults.ts';
import {
  apply,
  days,
  naming,
  pausableClock,
  planFor,
  projectOf,
  runOf,
  shiftedClock,
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

const BASE = { 's.base': ['FULL', 'SELECT 1 AS id'] } as const;
const LOG = {
  's.log': [
    'INCREMENTAL_UNMANAGED',
    'SELECT CAST(day AS DATE) AS day FROM RANGE(@start_at::TIMESTAMP, @end_before::TIMESTAMP, INTERVAL 1 DAY) AS r(day)',
    "start '2026-01-01'",
  ],
} as const;

/** A call that puts rows into a table; which one depends on whether the table is new. */
const isRowsCall = (port: Port, method: string): boolean =>
  port === 'session' && (method === 'insert' || method === 'replaceTable');

/** Stands still before the rows of a write are committed. */
function holding(): { readonly door: ReturnType<typeof gate>; readonly world: TestWorld } {
  const door = gate();
  let isFirst = true;
  return {
    door,
    world: withFaults(world, {
      async after(at, name) {
        if (!isRowsCall(at, name) || !isFirst) return;
        isFirst = false;
        await door.pass();
      },
    }),
  };
}

describe('two runs', () => {
  test('of one environment: the second is told who is at work, before it does anything', async () => {
    const project = await projectOf(BASE);
    const held = holding();
    const plan = await planFor(world, project, { fill: { 's.base': days(0, 1) } });
    const first = apply(held.world, plan);
    await held.door.reached;
    const other = await place.open();
    const refusal = await apply(other, await planFor(other, project)).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(Failure);
    expect((refusal as Failure).code).toBe('environment.busy');
    expect((refusal as Failure).message).toContain(`test ${plan.id}`);
    held.door.open();
    expect((await first).run.status).toBe('succeeded');
    expect(await world.state.journal.runs({ limit: 10 })).toHaveLength(1);
  });

  test('of one environment: the second may wait, and then finds that the environment has moved', async () => {
    const project = await projectOf(BASE);
    const held = holding();
    const first = apply(held.world, await planFor(world, project, { fill: { 's.base': days(0, 1) } }));
    await held.door.reached;
    const other = await place.open();
    const stale = await planFor(other, project, { fill: { 's.base': days(0, 1) } });
    const second = apply(other, stale, { waitMs: 20_000 }).catch((error: unknown) => error);
    held.door.open();
    await first;
    expect((await second) as Failure).toMatchObject({ code: 'environment.moved' });
    const [last] = await world.state.journal.runs({ limit: 1 });
    expect(last?.status).toBe('failed');
  });

  test('a table that another run has just filled is not in the way, though the state did not know of it', async () => {
    const project = await projectOf(BASE);
    const plan = await planFor(world, project, { fill: { 's.base': days(0, 1) } });
    await apply(world, plan);
    const request = { stages: plan.stages, environment: 'prod', naming, known: new Set<string>() };
    const content = async (): Promise<never> => Promise.reject(new Error('nothing is in the way'));
    expect(await takenNames(world, { ...request, contents: { content } })).toEqual([]);
  });

  test('of two environments that need the same table: one builds it, the other waits and shares it', async () => {
    const project = await projectOf(LOG);
    const held = holding();
    const fill = { 's.log': days(0, 3) };
    const first = apply(held.world, await planFor(world, project, { fill }));
    await held.door.reached;
    const other = await place.open();
    const plan = await planFor(other, project, { fill, environment: 'dev' });
    const second = apply(other, plan, {
      watch({ event }: RunEvent) {
        if (event === 'model.waiting') held.door.open();
      },
    });
    expect(statuses((await first).run)).toEqual({ 's.log': 'built' });
    expect(statuses((await second).run)).toEqual({ 's.log': 'up-to-date' });
    expect(await world.rows('SELECT count(*) FROM s.log')).toEqual(['3']);
    expect(await world.rows('SELECT count(*) FROM s__dev.log')).toEqual(['3']);
    expect(await world.rows('SELECT count(*) FROM main.plinth__ledger')).toEqual(['1']);
  });

  test('of two environments that need several tables: what the other has is shared, the rest is built', async () => {
    const both = { ...LOG, ...BASE };
    const held = holding();
    const first = apply(
      held.world,
      await planFor(world, await projectOf(LOG), { fill: { 's.log': days(0, 3) } }),
    );
    await held.door.reached;
    const other = await place.open();
    const fill = { 's.log': days(0, 3), 's.base': days(0, 1) };
    const plan = await planFor(other, await projectOf(both), { fill, environment: 'dev' });
    const second = apply(other, plan, {
      watch({ event }: RunEvent) {
        if (event === 'model.waiting') held.door.open();
      },
    });
    expect((await first).run.status).toBe('succeeded');
    expect(statuses((await second).run)).toEqual({ 's.log': 'up-to-date', 's.base': 'built' });
    expect(await world.rows('SELECT count(*) FROM s__dev.log')).toEqual(['3']);
  });

  test('a run that cannot say for eight seconds that it is alive stops itself', async () => {
    const clock = shiftedClock();
    const door = gate();
    const deaf = withFaults(
      { ...world, clock },
      {
        async before(port, method) {
          if (port === 'journal' && method === 'heartbeat')
            throw failure('state.locked', { file: 'state.db', seconds: 8 });
          if (isRowsCall(port, method)) {
            clock.shift(9_000);
            await door.pass();
          }
        },
      },
    );
    const running = apply(
      deaf,
      await planFor(world, await projectOf(BASE), { fill: { 's.base': days(0, 1) } }),
    );
    await door.reached;
    setTimeout(door.open, 500);
    const { run } = await running;
    expect(run.status).toBe('failed');
    expect(run.error?.code).toBe('run.lease-lost');
    expect(await world.engine.ledger()).toEqual([]);
  });

  test('a paused run whose lease passed to another can no longer commit', async () => {
    const project = await projectOf(LOG);
    const clock = pausableClock();
    const slow = { ...world, clock };
    const door = gate();
    const fill = { 's.log': days(0, 3) };
    const first = apply(
      withFaults(slow, {
        async after(port, method) {
          if (isRowsCall(port, method)) await door.pass();
        },
      }),
      await planFor(world, project, { fill }),
    );
    await door.reached;
    clock.pause();
    const later = shiftedClock();
    later.shift(10_000);
    const other = await place.open({ clock: later });
    await recover(other);
    const second = await apply(other, await planFor(other, project, { fill }));
    expect(statuses(second.run)).toEqual({ 's.log': 'built' });
    door.open();
    clock.resume();
    const { run } = await first;
    expect(run.status).toBe('failed');
    expect(run.error?.code).toBe('run.lease-lost');
    expect(await world.rows('SELECT count(*) FROM s.log')).toEqual(['3']);
    expect((await world.state.journal.run(run.id))?.status).toBe('interrupted');
  });

  test('a promotion that begins while recovery looks around is not taken for that of a dead run', async () => {
    const plan = await planFor(world, await projectOf(BASE));
    const run = runOf(plan);
    let isBegun = false;
    const looking = withFaults(world, {
      async after(_, method) {
        if (method !== 'leases' || isBegun) return;
        isBegun = true;
        await world.state.journal.startRun(run, { now: Date.now(), events: [] });
        await world.state.snapshots.beginPromotion({ target: plan.target, runId: run.id });
      },
    });
    await recover(looking);
    expect((await world.state.journal.promotionIntents()).map(({ runId }) => runId)).toEqual([run.id]);
  });

  test('a paused run whose environment passed to another can no longer promote', async () => {
    const [old, next] = [await projectOf(BASE), await projectOf({ 's.base': ['FULL', 'SELECT 2 AS id'] })];
    await apply(world, await planFor(world, old, { fill: { 's.base': days(0, 1) } }));
    const clock = pausableClock();
    const door = gate();
    const first = apply(
      withFaults(
        { ...world, clock },
        {
          async after(port, method) {
            if (port === 'session' && method === 'recordPromotion') await door.pass();
          },
        },
      ),
      await planFor(world, next, { fill: { 's.base': days(0, 1) } }),
    );
    await door.reached;
    clock.pause();
    const later = shiftedClock();
    later.shift(10_000);
    const other = await place.open({ clock: later });
    await recover(other);
    expect(await other.state.journal.promotionIntents()).toEqual([]);
    door.open();
    clock.resume();
    expect((await first).run.status).toBe('failed');
    expect(await world.rows('SELECT id FROM s.base')).toEqual(['1']);
    const environment = await world.state.snapshots.environment('prod');
    expect(await world.engine.promotionOf('prod')).toBe(environment?.promotionId);
  });
});

describe('a write', () => {
  /** Fails the first so many writes of rows, before or after they are really committed. */
  function failing(
    times: number,
    when: 'before-commit' | 'after-commit',
    code: 'engine.conflict' | 'engine.lost',
  ): TestWorld {
    let left = times;
    let isRows = false;
    const error = (): Failure => failure(code, { detail: 'planted by the test' }, { isRetryable: true });
    return withFaults(world, {
      after(port, method) {
        if (isRowsCall(port, method)) {
          isRows = true;
          if (when === 'before-commit' && left-- > 0) throw error();
        }
        if (port === 'engine' && method === 'write' && isRows && when === 'after-commit') {
          isRows = false;
          if (left-- > 0) throw error();
        }
      },
    });
  }

  test('that meets a conflict is done again as a whole', async () => {
    const project = await projectOf(LOG);
    const plan = await planFor(world, project, { fill: { 's.log': days(0, 3) } });
    const { run } = await apply(failing(3, 'before-commit', 'engine.conflict'), plan);
    expect(run.error).toBeUndefined();
    expect(await world.rows('SELECT count(*) FROM s.log')).toEqual(['3']);
  });

  test('that meets a conflict again and again is given up after three repeats, and nothing is left of it', async () => {
    const project = await projectOf(LOG);
    const plan = await planFor(world, project, { fill: { 's.log': days(0, 3) } });
    const { run } = await apply(failing(4, 'before-commit', 'engine.conflict'), plan);
    expect(run.error?.code).toBe('engine.conflict');
    expect(statuses(run)).toEqual({ 's.log': 'failed' });
    expect(await world.engine.ledger()).toEqual([]);
    expect(await world.state.journal.intents()).toEqual([]);
  });

  test('whose answer was lost after it was committed is not done twice', async () => {
    const project = await projectOf(LOG);
    const plan = await planFor(world, project, { fill: { 's.log': days(0, 3) } });
    const { run } = await apply(failing(1, 'after-commit', 'engine.lost'), plan);
    expect(run.error).toBeUndefined();
    expect(run.models[0]).toMatchObject({ status: 'built', rows: 3 });
    expect(await world.rows('SELECT count(*) FROM s.log')).toEqual(['3']);
    const [summary] = await world.engine.ledger();
    expect([...(await world.state.journal.dataVersions()).values()]).toEqual([summary?.dataVersion]);
  });
});

describe('Ctrl-C', () => {
  const models = { 's.a': ['FULL', 'SELECT 1 AS x'], 's.b': ['FULL', 'SELECT x FROM s.a'] } as const;
  const fill = { 's.a': days(0, 1), 's.b': days(0, 1) };

  test('once lets what runs come to its end and begins nothing new', async () => {
    const [stop, cancel] = [new AbortController(), new AbortController()];
    const project = await projectOf(models);
    const held = holding();
    const running = apply(held.world, await planFor(world, project, { fill }), {
      signal: { stop: stop.signal, cancel: cancel.signal },
    });
    await held.door.reached;
    stop.abort();
    held.door.open();
    const { run } = await running;
    expect(run.status).toBe('cancelled');
    expect(run.error?.code).toBe('run.cancelled');
    expect(statuses(run)).toEqual({ 's.a': 'built', 's.b': 'skipped' });
    expect(await world.state.snapshots.environment('prod')).toBeUndefined();
  });

  test('twice gives up the statement that runs, and nothing of it is left', async () => {
    const [stop, cancel] = [new AbortController(), new AbortController()];
    const endless = await projectOf({
      's.a': ['FULL', 'SELECT SUM(a.range * b.range) AS x FROM RANGE(10000000) AS a, RANGE(10000000) AS b'],
    });
    const started = Promise.withResolvers<void>();
    const running = apply(world, await planFor(world, endless, { fill: { 's.a': days(0, 1) } }), {
      signal: { stop: stop.signal, cancel: cancel.signal },
      watch({ event }) {
        if (event === 'model.started') started.resolve();
      },
    });
    await started.promise;
    await new Promise((resolve) => setTimeout(resolve, 300));
    stop.abort();
    cancel.abort();
    const { run } = await running;
    expect(run.status).toBe('cancelled');
    expect(statuses(run)).toEqual({ 's.a': 'failed' });
    expect(await world.engine.ledger()).toEqual([]);
    expect(await world.state.journal.leases()).toEqual([]);
  });
});
