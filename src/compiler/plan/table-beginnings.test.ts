import { describe, expect, test } from 'vitest';
import { modelFile } from '../../../tests/support/plan/compile-text.ts';
import { PlanWorld } from '../../../tests/support/plan/plan-world.ts';
import type { PlanOptions } from '../../domain/plan.ts';
import type { RangeSet } from '../../foundation/time/ranges.ts';

const day = (n: number): number => Date.UTC(2024, 0, n);
const range = (from: number, to: number): RangeSet => [{ start: day(from), end: day(to) }];
const START = "start '2024-01-01'";
const BY_DAY = 'INCREMENTAL_BY_TIME_RANGE (time_column d)';
const BY_KEY = 'INCREMENTAL_BY_UNIQUE_KEY (unique_key d)';
const SCD = 'SCD_TYPE_2_BY_COLUMN (unique_key d, columns [v])';

/** s.a (by day) ─▶ s.v (view) ─▶ s.x (of the kind in question) ─▶ s.y (by day) */
function files(kind = BY_DAY, start = START): Record<string, string> {
  return {
    'models/a.sql': modelFile('s.a', BY_DAY, "SELECT DATE '2024-01-01' AS d, 1 AS v", START),
    'models/v.sql': modelFile('s.v', 'VIEW', 'SELECT d, v FROM s.a'),
    'models/x.sql': modelFile('s.x', kind, 'SELECT d, v FROM s.v', start),
    'models/y.sql': modelFile('s.y', BY_DAY, 'SELECT d, v FROM s.x', start),
  };
}

async function devThenProd(project: Record<string, string>, options: Partial<PlanOptions>) {
  const world = new PlanWorld();
  await world.planAndApply(project, { environment: 'dev', options });
  const own = ['s.a', 's.x', 's.y'].filter((name) => world.versionOf(name, 'dev')?.endsWith('__dev'));
  const again = await world.planAndApply(project, { environment: 'dev' });
  const prod = await world.planAndApply(project);
  const filled = Object.fromEntries(prod.missing.map(({ model, ranges }) => [model, ranges]));
  return { world, own, again, filled };
}

describe('a table that dev began late', () => {
  test.each([BY_KEY, SCD, 'INCREMENTAL_UNMANAGED', 'FULL'])(
    'and nothing can be slipped into is not the one prod takes over: %s',
    async (kind) => {
      const { own, again, filled, world } = await devThenProd(files(kind), { start: '2024-01-04' });
      expect(own).toEqual(['s.x', 's.y']);
      expect(again.stages).toEqual([]);
      expect(filled).toEqual({ 's.a': range(1, 4), 's.x': range(1, 11), 's.y': range(1, 11) });
      expect(world.versionOf('s.x')).not.toContain('__dev');
    },
  );

  test('by time is taken over, and prod fills what dev left out', async () => {
    const { own, filled } = await devThenProd(files(), { start: '2024-01-04' });
    expect(own).toEqual([]);
    expect(filled).toEqual({ 's.a': range(1, 4), 's.x': range(1, 4), 's.y': range(1, 4) });
  });

  test('a FULL one with a later start of its own was made of less than everything, too', async () => {
    const later = "start '2024-01-06'";
    const { own, filled } = await devThenProd(files('FULL', later), { start: '2024-01-04' });
    expect(own).toEqual(['s.x', 's.y']);
    expect(filled).toEqual({ 's.a': range(1, 4), 's.x': range(6, 11), 's.y': range(6, 11) });
  });

  test('one by key with a later start of its own is whole', async () => {
    const { own, filled } = await devThenProd(files(BY_KEY, "start '2024-01-06'"), { start: '2024-01-04' });
    expect(own).toEqual([]);
    expect(filled).toEqual({ 's.a': range(1, 4) });
  });

  test('what a later plan builds on it without --start is not taken over for time it lacks', async () => {
    const world = new PlanWorld();
    const { 'models/x.sql': x, 'models/y.sql': y, ...first } = files();
    await world.planAndApply(first, { environment: 'dev', options: { start: '2024-01-04' } });
    await world.planAndApply({ ...first, 'models/x.sql': x!, 'models/y.sql': y! }, { environment: 'dev' });
    const prod = await world.planAndApply(files());
    expect(Object.fromEntries(prod.missing.map(({ model, ranges }) => [model, ranges]))).toEqual({
      's.a': range(1, 4),
      's.x': range(1, 11),
      's.y': range(1, 11),
    });
  });

  test('a longer unit that begins before it is made again', async () => {
    const { own } = await devThenProd(
      {
        'models/a.sql': modelFile(
          's.a',
          BY_DAY,
          "SELECT DATE '2023-12-01' AS d, 1 AS v",
          "start '2023-11-01'",
        ),
        'models/x.sql': modelFile(
          's.x',
          BY_DAY,
          'SELECT d, v FROM s.a',
          "start '2023-11-01', cron '@monthly', interval_unit month",
        ),
      },
      { start: '2023-12-10' },
    );
    expect(own).toEqual(['s.x']);
  });
});

test('an empty backfill outside prod makes tables that prod does not take over', async () => {
  const { own, filled } = await devThenProd(files(), { emptyBackfill: true });
  expect(own).toEqual(['s.a', 's.x', 's.y']);
  expect(filled).toEqual({ 's.a': range(1, 11), 's.x': range(1, 11), 's.y': range(1, 11) });
});

test.each([BY_DAY, BY_KEY, SCD, 'INCREMENTAL_UNMANAGED', 'FULL'])(
  'without --start promoting what dev built does no work: %s',
  async (kind) => {
    const { own, filled } = await devThenProd(files(kind), {});
    expect(own).toEqual([]);
    expect(filled).toEqual({});
  },
);

test.each([
  [BY_DAY, 11],
  [BY_KEY, 11],
  ['FULL', 1],
])('--start elsewhere leaves no gap in tables that prod has: %s', async (kind, first) => {
  const world = new PlanWorld();
  await world.planAndApply(files(kind));
  const plan = await world.planAndApply(files(kind), {
    environment: 'dev',
    options: { start: '2024-01-13', isShared: true },
    now: day(15),
  });
  expect(Object.fromEntries(plan.missing.map(({ model, ranges }) => [model, ranges]))).toEqual({
    's.a': range(11, 15),
    's.x': range(first, 15),
    's.y': range(11, 15),
  });
});
