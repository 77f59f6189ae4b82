import { describe, expect, test } from 'vitest';
import { modelFile } from '../../../tests/support/plan/compile-text.ts';
import { NOW, PlanWorld } from '../../../tests/support/plan/plan-world.ts';
import type { Plan } from '../../domain/plan.ts';
import type { RangeSet } from '../../foundation/time/ranges.ts';
import { makeRun } from './make-run.ts';

const day = (n: number): number => Date.UTC(2024, 0, n);
const range = (from: number, to: number): RangeSet => [{ start: day(from), end: day(to) }];
const START = "start '2024-01-01'";
const BY_DAY = 'INCREMENTAL_BY_TIME_RANGE (time_column d)';

/** s.a (by day) ─▶ s.v (view) ─▶ s.b (by day) ─▶ s.f (FULL) */
function files(b = '', a = '', bOptions = ''): Record<string, string> {
  return {
    'models/a.sql': modelFile('s.a', BY_DAY, `SELECT DATE '2024-01-01' AS d, 1 AS v${a}`, START),
    'models/v.sql': modelFile('s.v', 'VIEW', 'SELECT d, v FROM s.a'),
    'models/b.sql': modelFile(
      's.b',
      `INCREMENTAL_BY_TIME_RANGE (time_column d${bOptions})`,
      `SELECT d, v${b} FROM s.v`,
      START,
    ),
    'models/f.sql': modelFile('s.f', 'FULL', 'SELECT d, v FROM s.b', START),
  };
}

const OTHER = ', 2 AS two';
const restate = (model: string) => ({ restateModels: [model], start: '2024-01-02', end: '2024-01-02' });

/** Restated tables as `model@environment that shows it`, with their ranges. */
function restated(world: PlanWorld, { restatements }: Plan): Record<string, RangeSet> {
  return Object.fromEntries(
    restatements.map(({ table, ranges }) => {
      const shown = world.environments
        .filter(({ name }) => world.versionOf(table.model, name) === table.version)
        .map(({ name }) => name);
      return [`${table.model}@${shown.sort().join('+')}`, ranges];
    }),
  );
}

function run(world: PlanWorld, name: string, { restatements }: Plan, now = NOW): Record<string, RangeSet> {
  const { missing } = makeRun({
    environment: world.environments.find((each) => each.name === name)!,
    environments: world.environments,
    snapshots: world.snapshots,
    intervals: world.intervals,
    restatements,
    executionTime: now,
    beforeAll: [],
    afterAll: [],
    naming: (environment) => ({ environment, suffixTarget: 'schema' }),
    concurrency: 4,
  });
  return Object.fromEntries(missing.map(({ model, ranges }) => [model, ranges]));
}

describe('restating a table that other environments show', () => {
  test('leaves what is made of it there to their next run', async () => {
    const world = new PlanWorld();
    await world.planAndApply(files());
    await world.planAndApply(files(OTHER), {
      environment: 'dev',
      options: { categories: { 's.b': 'breaking' } },
    });
    expect(world.versionOf('s.f', 'dev')).not.toBe(world.versionOf('s.f'));
    const plan = await world.planAndApply(files(OTHER), {
      environment: 'dev',
      options: { ...restate('s.a'), isShared: true },
    });
    expect(restated(world, plan)).toEqual({
      's.a@dev+prod': range(2, 3),
      's.b@dev': range(2, 3),
      's.f@dev': range(1, 11),
      's.b@prod': range(2, 3),
      's.f@prod': range(1, 11),
    });
    expect(plan.missing.map(({ model, version }) => [model, version])).toEqual(
      ['s.a', 's.b', 's.f'].map((model) => [model, world.versionOf(model, 'dev')]),
    );
    expect(run(world, 'prod', plan)).toEqual({ 's.b': range(2, 3), 's.f': range(1, 11) });
    expect(run(world, 'dev', plan)).toEqual({});
  });

  test('works the other way round, too', async () => {
    const world = new PlanWorld();
    await world.planAndApply(files());
    await world.planAndApply(files(OTHER), {
      environment: 'dev',
      options: { categories: { 's.b': 'breaking' } },
    });
    const plan = await world.planAndApply(files(), { options: restate('s.a') });
    expect(Object.keys(restated(world, plan)).sort()).toEqual([
      's.a@dev+prod',
      's.b@dev',
      's.b@prod',
      's.f@dev',
      's.f@prod',
    ]);
    expect(run(world, 'dev', plan)).toEqual({ 's.b': range(2, 3), 's.f': range(1, 11) });
  });

  test('passes by tables that forbid it, and leaves alone what is made of other tables', async () => {
    const world = new PlanWorld();
    const forbidding = ', disable_restatement true';
    await world.planAndApply(files('', '', forbidding));
    await world.planAndApply(files(OTHER, '', forbidding), {
      environment: 'dev',
      options: { categories: { 's.b': 'breaking' } },
    });
    await world.planAndApply(files('', OTHER, forbidding), { environment: 'other' });
    const plan = await world.planAndApply(files(OTHER, '', forbidding), {
      environment: 'dev',
      options: { ...restate('s.a'), isShared: true },
    });
    expect(Object.keys(restated(world, plan)).sort()).toEqual(['s.a@dev+prod', 's.f@dev', 's.f@other+prod']);
    const own = await world.planAndApply(files('', OTHER, forbidding), {
      environment: 'other',
      options: restate('s.a'),
    });
    expect(Object.keys(restated(world, own))).toEqual(['s.a@other']);
  });

  test('a table that another environment fills is left to it', async () => {
    const world = new PlanWorld();
    await world.planAndApply(files());
    await world.planAndApply(files('', OTHER), { environment: 'dev' });
    expect(world.versionOf('s.b', 'dev')).toBe(world.versionOf('s.b'));
    const own = await world.compile(files('', OTHER));
    for (const isShared of [false, true]) {
      const options = { ...restate('s.b'), isShared };
      const { plan, diagnostics } = await world.plan(own, { environment: 'dev', options });
      // Though it may write what is shared: its rows would be made of another s.a.
      expect(diagnostics.map(({ code, message }) => [code, message])).toEqual([
        ['plan.shared-table', expect.stringMatching(/^dev does not restate s\.b: prod owns/)],
      ]);
      expect(plan.restatements).toEqual([]);
      expect(plan.missing).toEqual([]);
    }
  });
});
