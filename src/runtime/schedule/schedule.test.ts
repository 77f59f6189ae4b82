import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { environmentOf, planOf, runOf, snapshotOf } from '../../../tests/conformance/state-store-fixtures.ts';
import { type FakeClock, fakeClock } from '../../../tests/support/fake-clock.ts';
import { sqliteStateStore } from '../../adapters/state/sqlite/sqlite-state-store.ts';
import type { Clock } from '../../domain/clock.ts';
import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import { failure } from '../../domain/failure.ts';
import { HEARTBEAT_MS, LEASE_MS } from '../../domain/lease.ts';
import type { ModelResult, Run } from '../../domain/run.ts';
import type { Snapshot } from '../../domain/snapshot.ts';
import type { StateStore } from '../../domain/state-store.ts';
import { type Cron, parseCron, ticksBetween } from '../../foundation/time/cron.ts';
import { type ScheduledRun, type SchedulerOptions, schedule } from './schedule.ts';
import type { SchedulerEvent } from './scheduler-event.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOON = Date.parse('2026-06-01T12:00:00Z');

let folder = '';
let state: StateStore;
let promotions = 0;
let turns = 0;
const stopping: (() => Promise<void>)[] = [];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'plinth-schedule-'));
  state = await sqliteStateStore({ file: join(folder, 'state.db'), thread: 'never' });
});
afterEach(async () => {
  for (const stop of stopping.splice(0)) await stop();
  await state.close();
  rmSync(folder, { recursive: true });
});

type Scheduled = Partial<Snapshot['schedule']> & { readonly kind?: Snapshot['kind'] };

/** Makes an environment whose models have these schedules. */
async function apply(
  models: Readonly<Record<string, Scheduled>>,
  more: { readonly name?: string; readonly expiresAt?: number } = {},
): Promise<void> {
  const number = promotions++;
  const { name = 'prod', ...rest } = more;
  const snapshots = Object.entries(models).map(([model, { kind = 'full', ...schedule }]) => {
    const plain = snapshotOf(model, `SELECT ${number}`);
    return { ...plain, kind, schedule: { ...plain.schedule, ...schedule } };
  });
  const base = await state.snapshots.environment(name);
  const target = {
    ...environmentOf([], { name, promotionId: `promotion-${number}` }),
    ...rest,
    entries: snapshots.map(({ model, fingerprint }) => ({ model, fingerprint, version: 'v', columns: [] })),
  };
  const plan = planOf([], {
    id: `plan-${number}`,
    target,
    snapshots: snapshots.map((snapshot) => ({
      snapshot,
      content: planOf([snapshot.model]).snapshots[0]!.content,
    })),
    ...(base === undefined ? {} : { basePromotionId: base.promotionId }),
  });
  await state.snapshots.beginPlan(plan, runOf(`run-${number}`), []);
  await state.snapshots.finishPromotion(target, number, []);
}

/** For tests over many hours: alone in the world, and asked once an hour whether it still leads. */
function alone(): Partial<SchedulerOptions> & { readonly store: StateStore } {
  const lease = { name: 'scheduler', holder: 'one', token: 1, since: 0, expiresAt: Infinity, who: 'x' };
  const journal: StateStore['journal'] = {
    ...state.journal,
    takeLease: async () => {
      turns++;
      return { kind: 'granted', leases: [lease] };
    },
  };
  return { heartbeatMs: HOUR, store: { ...state, warehouseId: state.warehouseId, journal } };
}

interface Attempt {
  readonly environment: string;
  readonly at: number;
  end?: number;
}

interface Started {
  readonly events: SchedulerEvent[];
  readonly attempts: Attempt[];
  readonly stop: () => Promise<void>;
  readonly ended: Promise<void>;
  readonly times: () => string[];
}

type Work = (environment: string, at: number, signal: AbortSignal) => Promise<ScheduledRun>;

/** Starts a scheduler on the clock; `work` is what its runs do, at once by default. */
function start(
  clock: Clock,
  work: Work = async () => ({}),
  options: Partial<SchedulerOptions> & { readonly store?: StateStore } = {},
): Started {
  const events: SchedulerEvent[] = [];
  const attempts: Attempt[] = [];
  const controller = new AbortController();
  const { store = state, ...rest } = options;
  const ports = {
    snapshots: store.snapshots,
    journal: store.journal,
    clock,
    run: async (environment: string, at: number, signal: AbortSignal): Promise<ScheduledRun> => {
      const attempt: Attempt = { environment, at };
      attempts.push(attempt);
      try {
        return await work(environment, at, signal);
      } finally {
        attempt.end = clock.now();
      }
    },
  };
  const settings = { holder: 'one', who: 'worker one', signal: controller.signal, ...rest };
  const ended = (async () => {
    for await (const event of schedule(ports, settings)) events.push(event);
  })();
  const stop = async (): Promise<void> => {
    controller.abort();
    await ended;
  };
  stopping.push(() => stop().catch(() => {}));
  return {
    events,
    attempts,
    stop,
    ended,
    times: () => attempts.map(({ at }) => new Date(at).toISOString().slice(5, 16)),
  };
}

const names = ({ events }: Started): string[] => events.map(({ event }) => event.replace('scheduler.', ''));

describe('when runs begin', () => {
  test('a new leader makes one run at once, then one at each tick', async () => {
    await apply({ 'a.one': { cron: '@hourly' }, 'a.two': { cron: '@hourly' } });
    const clock = fakeClock(NOON + 10 * MINUTE);
    const scheduler = start(clock, undefined, alone());
    await clock.advance(3 * HOUR);
    expect(scheduler.times()).toEqual(['06-01T12:10', '06-01T13:00', '06-01T14:00', '06-01T15:00']);
    expect(scheduler.attempts.slice(1).map(({ at }) => at % HOUR)).toEqual([0, 0, 0]);
  });

  test('ticks of different schedules and automatic restatements all count', async () => {
    await apply({
      'a.one': { cron: '0 */2 * * *' },
      'a.two': { cron: '30 13 * * *' },
      'a.three': { cron: '@daily', autoRestatementCron: '45 14 * * *' },
    });
    const clock = fakeClock(NOON + 1);
    const scheduler = start(clock, undefined, alone());
    await clock.advance(4 * HOUR);
    expect(scheduler.times().slice(1)).toEqual(['06-01T13:30', '06-01T14:00', '06-01T14:45', '06-01T16:00']);
  });

  test.each([
    ['30 2 * * *', 'Europe/Berlin', '2026-03-28T00:00:00Z'],
    ['30 2 * * *', 'Europe/Berlin', '2026-10-24T00:00:00Z'],
    ['0 * * * *', 'Europe/Berlin', '2026-03-28T22:00:00Z'],
    ['0 * * * *', 'America/New_York', '2026-11-01T03:00:00Z'],
    ['0 0 * * *', 'America/Havana', '2026-03-07T12:00:00Z'],
    ['*/30 1 * * *', 'Australia/Lord_Howe', '2026-04-04T00:00:00Z'],
  ])('%s in %s is answered tick by tick on the nights when clocks change', async (cron, cronTz, from) => {
    await apply({ 'a.one': { cron, cronTz } });
    const clock = fakeClock(Date.parse(from));
    const scheduler = start(clock, undefined, alone());
    await clock.advance(1);
    const begin = clock.now();
    const until = begin + 40 * HOUR;
    await clock.advance(40 * HOUR);
    const expected = [...ticksBetween(parseCron(cron, cronTz) as Cron, begin, until + 1)];
    expect(scheduler.attempts.slice(1).map(({ at }) => at)).toEqual(expected);
    expect(expected.length).toBeGreaterThan(0);
  });

  test('seeds, views, external and embedded models alone are never due', async () => {
    await apply({
      'a.one': { kind: 'seed' },
      'a.two': { kind: 'view' },
      'a.three': { kind: 'external' },
      'a.four': { kind: 'embedded' },
    });
    const clock = fakeClock(NOON);
    const scheduler = start(clock, undefined, alone());
    await clock.advance(30 * HOUR);
    expect(scheduler.attempts).toEqual([]);
  });

  test('a plan that another process applies is noticed within half a minute', async () => {
    const clock = fakeClock(NOON + MINUTE);
    const scheduler = start(clock);
    await clock.advance(MINUTE);
    expect(scheduler.attempts).toEqual([]);
    await apply({ 'a.one': { cron: '@daily' } });
    await clock.advance(30_000);
    expect(scheduler.attempts).toHaveLength(1);
    await apply({ 'a.one': { cron: '*/5 * * * *' } });
    await clock.advance(5 * MINUTE);
    expect(scheduler.times()[1]).toBe('06-01T12:05');
  });

  test('only prod is looked after unless others are named; of all, those that have expired are left alone', async () => {
    await apply({ 'a.one': { cron: '@hourly' } });
    await apply({ 'a.one': { cron: '@hourly' } }, { name: 'dev' });
    await apply({ 'a.one': { cron: '@hourly' } }, { name: 'old', expiresAt: NOON });
    const ran = async (environments?: SchedulerOptions['environments']): Promise<string[]> => {
      const clock = fakeClock(NOON);
      const scheduler = start(clock, undefined, environments === undefined ? {} : { environments });
      await clock.advance(10_000);
      await scheduler.stop();
      return scheduler.attempts.map(({ environment }) => environment);
    };
    expect(await ran()).toEqual(['prod']);
    expect(await ran(['dev', 'nowhere'])).toEqual(['dev']);
    expect(await ran('all')).toEqual(['prod', 'dev']);
  });

  test('with jitter every run of an environment is late by the same amount, and others by another', async () => {
    await apply({ 'a.one': { cron: '@hourly' } });
    await apply({ 'a.one': { cron: '@hourly' } }, { name: 'dev' });
    const clock = fakeClock(NOON + 30 * MINUTE);
    turns = 0;
    const scheduler = start(clock, undefined, {
      ...alone(),
      environments: 'all',
      jitterMs: 10 * MINUTE,
      jitterSeed: 'x',
    });
    await clock.advance(3 * HOUR);
    const late = new Map<string, Set<number>>();
    for (const { environment, at } of scheduler.attempts.slice(2)) {
      late.set(environment, (late.get(environment) ?? new Set()).add(at % HOUR));
    }
    const [prod, dev] = ['prod', 'dev'].map((name) => [...(late.get(name) ?? [])]);
    expect(prod).toHaveLength(1);
    expect(dev).toHaveLength(1);
    expect(prod![0]).toBeLessThan(10 * MINUTE);
    expect(prod![0]).not.toBe(dev![0]);
    // It slept in between.
    expect(turns).toBeLessThan(50);
  });
});

describe('after downtime', () => {
  test('a machine that slept for days makes one run for all it missed', async () => {
    await apply({ 'a.one': { cron: '*/5 * * * *' } });
    const clock = fakeClock(NOON + MINUTE);
    const scheduler = start(clock);
    await clock.advance(MINUTE);
    await clock.jump(72 * HOUR);
    await clock.advance(MINUTE);
    expect(scheduler.times()).toEqual(['06-01T12:01', '06-04T12:02']);
    expect(scheduler.events).toContainEqual({
      event: 'scheduler.run-started',
      environment: 'prod',
      executionTime: scheduler.attempts[1]!.at,
      dueSince: NOON + 5 * MINUTE,
    });
  });

  test('a scheduler that is started again makes one run for all it missed', async () => {
    await apply({ 'a.one': { cron: '*/5 * * * *' } });
    const clock = fakeClock(NOON);
    await start(clock).stop();
    await clock.jump(72 * HOUR + MINUTE);
    const scheduler = start(clock);
    await clock.advance(3 * MINUTE);
    expect(scheduler.times()).toEqual(['06-04T12:01']);
  });
});

describe('runs that take long', () => {
  test('runs of one environment never overlap; the ticks meanwhile are answered by one run', async () => {
    await apply({ 'a.one': { cron: '*/5 * * * *' } });
    const clock = fakeClock(NOON);
    const scheduler = start(clock, async (_environment, at) => {
      await clock.sleep(at === NOON ? 17 * MINUTE : 1000);
      return {};
    });
    await clock.advance(24 * MINUTE);
    expect(scheduler.times()).toEqual(['06-01T12:00', '06-01T12:17', '06-01T12:20']);
  });

  test('environments run side by side, as many as allowed, prod first', async () => {
    const models = { 'a.one': { cron: '@daily' } };
    for (const name of ['b', 'a', 'prod', 'c']) await apply(models, { name });
    const clock = fakeClock(NOON);
    const work: Work = async () => {
      await clock.sleep(10 * MINUTE);
      return {};
    };
    const scheduler = start(clock, work, { environments: 'all', runsAtOnce: 2 });
    await clock.advance(MINUTE);
    expect(scheduler.attempts.map(({ environment }) => environment)).toEqual(['prod', 'a']);
    await clock.advance(10 * MINUTE);
    expect(scheduler.attempts.map(({ environment }) => environment)).toEqual(['prod', 'a', 'b', 'c']);
    await clock.advance(10 * MINUTE);
  });

  test('whatever the schedules and durations: no overlap, no tick without a run, no run without a tick', async () => {
    const crons = ['*/5 * * * *', '*/15 * * * *', '7 * * * *', '0 */2 * * *', '13,48 * * * *'];
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.constantFrom(...crons), { minLength: 1 }),
        fc.array(fc.integer({ min: 1, max: 40 * MINUTE }), { minLength: 1, maxLength: 8 }),
        async (chosen, durations) => {
          await apply(Object.fromEntries(chosen.map((cron, index) => [`a.m${index}`, { cron }])));
          const clock = fakeClock(NOON + 1);
          let count = 0;
          const scheduler = start(
            clock,
            async () => {
              await clock.sleep(durations[count++ % durations.length]!);
              return {};
            },
            alone(),
          );
          await clock.advance(6 * HOUR);
          const stopped = scheduler.stop();
          await clock.advance(HOUR);
          await stopped;
          const { attempts } = scheduler;
          const ticks = chosen.flatMap((cron) => [
            ...ticksBetween(parseCron(cron) as Cron, NOON + 2, NOON + 5 * HOUR),
          ]);
          for (const tick of ticks) expect(attempts.some(({ at }) => at >= tick)).toBe(true);
          for (const [index, { at }] of attempts.entries()) {
            const before = attempts[index - 1];
            if (before === undefined) continue;
            expect(before.end).toBeLessThanOrEqual(at);
            const since = chosen.flatMap((cron) => [
              ...ticksBetween(parseCron(cron) as Cron, before.at + 1, at + 1),
            ]);
            expect(since).not.toEqual([]);
          }
        },
      ),
      { numRuns: 15, seed: 20261116 },
    );
  });
});

describe('runs that fail', () => {
  const attemptsWithin = async (work: Work, ms: number, cron = '@daily'): Promise<Started> => {
    await apply({ 'a.one': { cron } });
    const clock = fakeClock(NOON);
    const scheduler = start(clock, work, alone());
    await clock.advance(ms);
    return scheduler;
  };

  test('a run that failed is made again at the next tick, not before', async () => {
    const work: Work = async () => ({ run: runOf('r', { status: 'failed' }) });
    const { attempts } = await attemptsWithin(work, 3 * HOUR, '@hourly');
    expect(attempts.map(({ at }) => (at - NOON) / HOUR)).toEqual([0, 1, 2, 3]);
  });

  const failedModel: ModelResult = {
    ...{ name: 'a.one', status: 'failed', intervals: [], rows: 0, ms: 1, audits: [] },
    error: diagnostic('engine.lost', { detail: 'x' }),
  };
  test.each<[string, Partial<Run>]>([
    ['its error', { error: diagnostic('engine.disk-full', { detail: 'x' }) }],
    ['the error of a model', { models: [failedModel] }],
  ])('a run that failed for a transient failure, as %s says, is made again soon', async (_, more) => {
    let failures = 2;
    const scheduler = await attemptsWithin(
      async () => ({
        run: runOf('r', failures-- > 0 ? { status: 'failed', ...more } : { status: 'succeeded' }),
      }),
      3 * HOUR,
    );
    expect(scheduler.attempts.map(({ at }) => (at - NOON) / 1000)).toEqual([0, 30, 90]);
    expect(scheduler.events).toContainEqual(
      expect.objectContaining({ event: 'scheduler.run-finished', retryAt: NOON + 30_000 }),
    );
  });

  test('a run that cannot even begin does not block its environment', async () => {
    await apply({ 'a.one': { cron: '@hourly' } });
    const clock = fakeClock(NOON);
    const { store, ...options } = alone();
    const { signal } = new AbortController();
    let count = 0;
    const run = (): never => {
      count++;
      throw new Error('at once');
    };
    const ports = { snapshots: store.snapshots, journal: store.journal, clock, run };
    const events = schedule(ports, { holder: 'one', who: 'x', signal, ...options });
    const reading = (async () => {
      for await (const { event } of events) if (event === 'scheduler.run-failed' && count === 3) break;
    })();
    await clock.advance(2 * HOUR);
    expect(count).toBe(3);
    await reading;
  });

  test('an error that another try cannot mend waits for the next tick', async () => {
    const scheduler = await attemptsWithin(async () => {
      throw new Error('a bug');
    }, 23 * HOUR);
    expect(scheduler.attempts.map(({ at }) => (at - NOON) / HOUR)).toEqual([0, 12]);
    expect(scheduler.events).toContainEqual({
      event: 'scheduler.run-failed',
      environment: 'prod',
      error: new Error('a bug'),
    });
  });

  test('a world at fault is tried soon, then less and less often, and afresh after a success', async () => {
    let failures = 3;
    const scheduler = await attemptsWithin(async () => {
      if (failures-- <= 0) return {};
      throw failure('state.locked', { file: 'x', seconds: 5 }, { isRetryable: true });
    }, HOUR);
    expect(scheduler.attempts.map(({ at }) => (at - NOON) / 1000)).toEqual([0, 30, 90, 210]);
    expect(scheduler.events).toContainEqual(
      expect.objectContaining({ event: 'scheduler.run-failed', retryAt: NOON + 30_000 }),
    );
  });

  test('an environment that somebody else is changing is tried again soon', async () => {
    let isBusy = true;
    const scheduler = await attemptsWithin(async () => {
      if (!isBusy) return {};
      isBusy = false;
      throw failure('environment.busy', { environment: 'prod', holder: 'ann', age: '3 s' });
    }, 5 * MINUTE);
    expect(scheduler.attempts.map(({ at }) => (at - NOON) / 1000)).toEqual([0, 30]);
  });

  test('models that wait for signals are asked again every minute', async () => {
    let waits = 3;
    const work: Work = async () => (waits-- > 0 ? { waiting: ['a.one'] } : {});
    const { attempts } = await attemptsWithin(work, HOUR);
    expect(attempts.map(({ at }) => (at - NOON) / MINUTE)).toEqual([0, 1, 2, 3]);
  });

  test('a state that is locked for a while is told, and survived', async () => {
    await apply({ 'a.one': { cron: '@hourly' } });
    let isLocked = true;
    const store: StateStore = {
      ...state,
      warehouseId: state.warehouseId,
      journal: {
        ...state.journal,
        takeLease: (request) =>
          isLocked
            ? Promise.reject(failure('state.locked', { file: 'x', seconds: 5 }, { isRetryable: true }))
            : state.journal.takeLease(request),
      },
    };
    const clock = fakeClock(NOON);
    const scheduler = start(clock, undefined, { store });
    await clock.advance(5000);
    isLocked = false;
    await clock.advance(5000);
    expect(names(scheduler)).toContain('state-failed');
    expect(scheduler.attempts).toHaveLength(1);
  });

  test('a state without room on its disk does not end the scheduler, and is told once', async () => {
    await apply({ 'a.one': { cron: '@hourly' } });
    let isFull = true;
    const store: StateStore = {
      ...state,
      warehouseId: state.warehouseId,
      journal: {
        ...state.journal,
        takeLease: (request) =>
          isFull
            ? Promise.reject(failure('state.write-failed', { file: 'x', detail: 'full' }))
            : state.journal.takeLease(request),
      },
    };
    const clock = fakeClock(NOON);
    const scheduler = start(clock, undefined, { store });
    await clock.advance(MINUTE);
    isFull = false;
    await clock.advance(5000);
    expect(names(scheduler).filter((name) => name === 'state-failed')).toHaveLength(1);
    expect(scheduler.attempts).toHaveLength(1);
  });

  test('a state that is broken ends the scheduler with its failure', async () => {
    const store: StateStore = {
      ...state,
      warehouseId: state.warehouseId,
      snapshots: {
        ...state.snapshots,
        environment: () => Promise.reject(failure('state.unreadable', { file: 'x', detail: 'y' })),
      },
    };
    const clock = fakeClock(NOON);
    const scheduler = start(clock, undefined, { store });
    await expect(scheduler.ended).rejects.toMatchObject({ code: 'state.unreadable' });
    expect(await state.journal.leases()).toEqual([]);
  });
});

describe('one leader', () => {
  /** A clock whose owner can be stopped like a process by SIGSTOP. */
  const pausable = (clock: FakeClock): Clock & { pause(): void; resume(): void } => {
    let paused = Promise.resolve();
    let resume = (): void => {};
    return {
      now: clock.now,
      sleep: async (ms, signal) => {
        await clock.sleep(ms, signal);
        await paused;
      },
      pause: () => {
        paused = new Promise((resolve) => {
          resume = resolve;
        });
      },
      resume: () => resume(),
    };
  };

  test('of two one leads; when it falls silent the other takes over and fills what was missed', async () => {
    await apply({ 'a.one': { cron: '*/5 * * * *' } });
    const clock = fakeClock(NOON + MINUTE);
    const first = pausable(clock);
    const one = start(first, undefined, { holder: 'one', who: 'worker one' });
    await clock.settle();
    const two = start(clock, undefined, { holder: 'two', who: 'worker two' });
    await clock.advance(2 * MINUTE);
    expect(names(two)).toEqual(['following']);
    expect(two.events[0]).toMatchObject({ leader: { who: 'worker one' } });
    first.pause();
    await clock.advance(LEASE_MS + 2 * HEARTBEAT_MS);
    expect(names(two).slice(0, 3)).toEqual(['following', 'leading', 'run-started']);
    expect(two.attempts).toHaveLength(1);
    first.resume();
    await clock.advance(10 * MINUTE);
    expect(names(one)).toContain('lost-lead');
    expect(one.attempts).toHaveLength(1);
    expect(two.times().slice(1)).toEqual(['06-01T12:05', '06-01T12:10']);
  });

  test('a leader that stops hands over at once', async () => {
    await apply({ 'a.one': { cron: '@daily' } });
    const clock = fakeClock(NOON);
    const one = start(clock, undefined, { holder: 'one' });
    await clock.settle();
    const two = start(clock, undefined, { holder: 'two' });
    await clock.advance(10_000);
    await one.stop();
    await clock.advance(HEARTBEAT_MS);
    expect(names(one).at(-1)).toBe('stopped');
    expect(names(two)).toContain('leading');
  });

  test('a stop reaches the run; the lead is kept until it has ended', async () => {
    await apply({ 'a.one': { cron: '@daily' } });
    await apply({ 'a.one': { cron: '@daily' } }, { name: 'dev' });
    const clock = fakeClock(NOON);
    const signals: AbortSignal[] = [];
    const work: Work = async (_environment, _at, signal) => {
      signals.push(signal);
      await clock.sleep(20 * MINUTE);
      return { run: runOf('r', { status: 'cancelled' }) };
    };
    const options = { environments: ['prod', 'dev'], runsAtOnce: 1 };
    const one = start(clock, work, options);
    await clock.advance(MINUTE);
    const two = start(clock, undefined, { ...options, holder: 'two' });
    const stopped = one.stop();
    await clock.advance(15 * MINUTE);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(names(two)).toEqual(['following']);
    await clock.advance(10 * MINUTE);
    await stopped;
    expect(one.attempts).toHaveLength(1);
    expect(names(one).slice(-2)).toEqual(['run-finished', 'stopped']);
    expect(names(two)).toContain('leading');
  });

  test('leaving the loop stops the scheduler and releases the lead', async () => {
    const clock = fakeClock(NOON);
    const ports = { snapshots: state.snapshots, journal: state.journal, clock, run: async () => ({}) };
    const { signal } = new AbortController();
    for await (const { event } of schedule(ports, { holder: 'one', who: 'x', signal })) {
      if (event === 'scheduler.leading') break;
    }
    expect(await state.journal.leases()).toEqual([]);
  });
});

test('what is due next is told with its models, again whenever it changes', async () => {
  await apply({ 'a.one': { cron: '@hourly' }, 'a.two': { cron: '@daily' }, 'a.three': { cron: '@hourly' } });
  const clock = fakeClock(NOON);
  const scheduler = start(clock, undefined, alone());
  await clock.advance(HOUR);
  const next = scheduler.events.filter(({ event }) => event === 'scheduler.next-due');
  expect(next).toEqual(
    [1, 2].map((hours) => ({
      event: 'scheduler.next-due',
      environments: [{ environment: 'prod', at: NOON + hours * HOUR, models: ['a.one', 'a.three'] }],
    })),
  );
});
