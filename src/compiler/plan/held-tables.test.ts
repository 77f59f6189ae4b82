import { describe, expect, test } from 'vitest';
import { modelFile } from '../../../tests/support/plan/compile-text.ts';
import { NOW, type PlanRequest, PlanWorld } from '../../../tests/support/plan/plan-world.ts';
import type { RangeSet } from '../../foundation/time/ranges.ts';
import { heldTables } from './held-tables.ts';
import { makeRun, type RunOutcome } from './make-run.ts';

const DAY = 86_400_000;
const day = (n: number): number => Date.UTC(2024, 0, n);
const range = (from: number, to: number): RangeSet => [{ start: day(from), end: day(to) }];
const START = "start '2024-01-01'";
const BY_DAY = 'INCREMENTAL_BY_TIME_RANGE (time_column d)';

/** s.a (by day, with a column w that nobody reads) ─▶ s.b ─▶ s.c (by day) */
function files(w = 2, kind = 'FULL', more: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    'models/a.sql': modelFile('s.a', BY_DAY, `SELECT DATE '2024-01-01' AS d, 1 AS v, ${w} AS w`, START),
    'models/b.sql': modelFile('s.b', kind, 'SELECT d, v FROM s.a', START),
    'models/c.sql': modelFile('s.c', BY_DAY, 'SELECT d, v FROM s.b', START),
    ...more,
  };
}

const dev = (options: NonNullable<PlanRequest['options']> = {}, now = NOW): PlanRequest => ({
  environment: 'dev',
  options,
  now,
});

function run(world: PlanWorld, name: string, now: number, isShared = false): RunOutcome {
  return makeRun({
    environment: world.environments.find((each) => each.name === name)!,
    environments: world.environments,
    snapshots: world.snapshots,
    intervals: world.intervals,
    restatements: world.pending,
    executionTime: now,
    isShared,
    beforeAll: [],
    afterAll: [],
    naming: (environment) => ({ environment, suffixTarget: 'schema' }),
    concurrency: 4,
  });
}

const due = ({ missing }: RunOutcome) =>
  Object.fromEntries(missing.map(({ model, ranges }) => [model, ranges]));

describe('a table that is shared, over tables that are not', () => {
  test.each(['FULL', 'INCREMENTAL_BY_TIME_RANGE (time_column d, lookback 3)'])(
    'is not written by a run elsewhere than in prod: %s',
    async (kind) => {
      const world = new PlanWorld();
      await world.planAndApply(files(2, kind));
      await world.planAndApply(files(3, kind), dev({ start: '2024-01-10' }));
      expect(world.versionOf('s.b', 'dev')).toBe(world.versionOf('s.b'));
      expect(world.versionOf('s.a', 'dev')).not.toBe(world.versionOf('s.a'));
      const outcome = run(world, 'dev', NOW + DAY);
      expect(due(outcome)).toEqual({ 's.a': range(11, 12) });
      expect(outcome.waiting.find(({ model }) => model === 's.b')).toMatchObject({
        kind: 'owner',
        reason: 'prod has this table and fills it from its own tables.',
      });
      expect(Object.keys(due(run(world, 'prod', NOW + DAY)))).toEqual(['s.a', 's.b', 's.c']);
    },
  );

  test('nor by a plan, and what is new below it stops where it ends', async () => {
    const world = new PlanWorld();
    await world.planAndApply(files());
    const wider = files(3, 'FULL', {
      'models/c.sql': modelFile('s.c', BY_DAY, 'SELECT d, v, 1 AS more FROM s.b', START),
    });
    const plan = await world.planAndApply(wider, dev({}, NOW + DAY));
    expect(Object.fromEntries(plan.missing.map(({ model, ranges }) => [model, ranges]))).toEqual({
      's.a': range(1, 12),
      's.c': range(1, 11),
    });
    expect(due(run(world, 'dev', NOW + DAY))).toEqual({});
  });

  test('is written from elsewhere only when asked for, and where the tables above are the same', async () => {
    const world = new PlanWorld();
    await world.planAndApply(files());
    await world.planAndApply(files(), dev());
    expect(due(run(world, 'dev', NOW + DAY))).toEqual({});
    expect(Object.keys(due(run(world, 'dev', NOW + DAY, true)))).toEqual(['s.a', 's.b', 's.c']);
    await world.planAndApply(files(3), dev());
    expect(Object.keys(due(run(world, 'dev', NOW + DAY, true)))).toEqual(['s.a']);
  });

  test('a new environment fills nothing that prod has, and says whose it is', async () => {
    const world = new PlanWorld();
    await world.planAndApply(files());
    const { plan, diagnostics } = await world.plan(await world.compile(files()), dev({}, NOW + 3 * DAY));
    expect(plan.missing).toEqual([]);
    expect(diagnostics.map(({ code, message }) => [code, message])).toEqual([
      ['plan.shared-table', expect.stringContaining('dev does not fill s.a, s.c: prod owns the table')],
    ]);
  });

  test('belongs to the one that has shown it the longest where prod does not have it, then to the next', async () => {
    const world = new PlanWorld();
    await world.planAndApply(files(), { environment: 'zoe' });
    await world.planAndApply(files(), { environment: 'bob', now: NOW + 1 });
    await world.planAndApply(files(), { environment: 'amy', now: NOW + 2 });
    const owners = (name: string, ...gone: readonly string[]): readonly string[] => {
      const there = world.environments.filter((each) => !gone.includes(each.name));
      const own = there.find((each) => each.name === name)!;
      return [...new Set(heldTables(own, there, world.snapshots).values())];
    };
    expect([owners('zoe'), owners('bob'), owners('amy')]).toEqual([[], ['zoe'], ['zoe']]);
    expect([owners('bob', 'zoe'), owners('amy', 'zoe')]).toEqual([[], ['bob']]);
    // A plan that changes nothing else does not make it younger.
    await world.planAndApply(
      files(2, 'FULL', { 'models/n.sql': modelFile('s.n', 'FULL', 'SELECT 1 AS n') }),
      {
        environment: 'zoe',
        now: NOW + 3,
      },
    );
    expect(owners('bob')).toEqual(['zoe']);
    await world.planAndApply(files(), { now: NOW + 4 });
    expect([owners('zoe'), owners('bob'), owners('prod')]).toEqual([['prod'], ['prod'], []]);
  });

  test('an empty backfill elsewhere leaves it as it is', async () => {
    const world = new PlanWorld();
    await world.planAndApply(files());
    const plan = await world.planAndApply(files(), dev({ emptyBackfill: true }, NOW + DAY));
    expect(plan.missing).toEqual([]);
  });
});
