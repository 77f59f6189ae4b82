/*
 * Planning must not know how many units of time there are. Two shapes that hurt when it does: half a million
 * five-minute units times a hundred models, and ten years of days times a thousand. Only structure is asserted here
 * (time differs between machines); the time and memory are printed, and measured for real by `bench/`.
 */
import { describe, expect, test } from 'vitest';
import { buildStages } from '../../src/compiler/plan/build-stages.ts';
import { dueIntervals } from '../../src/compiler/plan/intervals/due-intervals.ts';
import { makeRun } from '../../src/compiler/plan/make-run.ts';
import type { Environment } from '../../src/domain/environment.ts';
import type { BackfillMember, Stage } from '../../src/domain/plan.ts';
import { tableKey } from '../../src/domain/relation.ts';
import type { Schedule, Snapshot } from '../../src/domain/snapshot.ts';
import type { IntervalUnit } from '../../src/foundation/time/interval-unit.ts';
import type { RangeSet } from '../../src/foundation/time/ranges.ts';
import { countBatches, countUnits } from '../../src/foundation/time/unit-ranges.ts';

interface Shape {
  readonly name: string;
  readonly models: number;
  readonly schedule: Pick<Schedule, 'cron' | 'cronTz' | 'unit' | 'start' | 'lookback' | 'batchSize'>;
  /** Units per model from its start to now. */
  readonly units: number;
}

const NOW = Date.parse('2026-01-01T00:02:00Z');

const SHAPES: readonly Shape[] = [
  {
    name: '5-minute cron, 5 years, 100 models',
    models: 100,
    schedule: {
      cron: '*/5 * * * *',
      cronTz: 'UTC',
      unit: 'five-minute',
      start: '2021-01-01',
      lookback: 12,
      batchSize: 288,
    },
    units: 1826 * 288,
  },
  {
    name: 'daily, 10 years, 1,000 models',
    models: 1000,
    schedule: {
      cron: '@daily',
      cronTz: 'Europe/Berlin',
      unit: 'day',
      start: '2016-01-01',
      lookback: 2,
      batchSize: 30,
    },
    // In Berlin the last tick before the first minutes of 2026 UTC was on 31 December at 23:00 UTC.
    units: 3652,
  },
];

describe.each(SHAPES)('$name', (shape) => {
  const { environment, snapshots } = project(shape);
  const { unit } = shape.schedule;

  test('a first plan has one range and one stage per model', () => {
    const { stages, missing } = measured(`${shape.name}: first plan`, () =>
      firstPlan(environment, snapshots),
    );
    expect(missing.size).toBe(shape.models);
    const members = membersOf(stages);
    expect(members).toHaveLength(shape.models);
    for (const { ranges, batchSize } of members) {
      expect(ranges).toHaveLength(1);
      expect(countUnits(ranges, unit)).toBe(shape.units);
      expect(countBatches(ranges, unit, batchSize!)).toBe(Math.ceil(shape.units / batchSize!));
    }
    expect(stages).toHaveLength(shape.models + 2);
    const needs = stages
      .filter(({ kind }) => kind === 'backfill')
      .reduce((sum, stage) => sum + stage.needs.length, 0);
    expect(needs).toBeLessThanOrEqual(shape.models * 2);
  });

  test('a run with nothing due has no stage', () => {
    const intervals = filledUntil(environment, missingEnd(unit));
    const outcome = measured(`${shape.name}: no-op`, () => run(environment, snapshots, intervals));
    expect(outcome.stages).toEqual([]);
    expect(outcome.waiting).toEqual([]);
  });

  test('a run over tables with a hundred holes has as many ranges, not units', () => {
    const intervals = filledUntil(environment, missingEnd(unit), 100);
    const outcome = measured(`${shape.name}: 100 holes each`, () => run(environment, snapshots, intervals));
    for (const { ranges } of membersOf(outcome.stages)) expect(ranges.length).toBeLessThanOrEqual(101);
    expect(membersOf(outcome.stages)).toHaveLength(shape.models);
  });
});

function missingEnd(unit: IntervalUnit): number {
  return unit === 'day' ? Date.parse('2025-12-31') : Date.parse('2026-01-01');
}

/** Ten chains of models: everything but the first of each reads the one before. */
function project({ models, schedule }: Shape): {
  readonly environment: Environment;
  readonly snapshots: ReadonlyMap<string, Snapshot>;
} {
  const snapshots = Array.from(
    { length: models },
    (_, i): Snapshot => ({
      model: `s.m${i}`,
      kind: 'incremental-by-time-range',
      fingerprint: `f${i}`,
      dataHash: '',
      parentsHash: '',
      metadataHash: '',
      category: null,
      planId: 'p',
      parents: i < 10 ? [] : [`s.m${i - 10}`],
      schedule: {
        allowPartials: false,
        batchConcurrency: 1000,
        disableRestatement: false,
        signals: [],
        ...schedule,
      },
    }),
  );
  const environment: Environment = {
    name: 'prod',
    entries: snapshots.map(({ model, fingerprint }) => ({
      model,
      fingerprint,
      version: 'v',
      columns: ['at'],
    })),
    promotionId: 'promotion',
    planId: 'p',
    promotedAt: 0,
    gateway: 'local',
    definitions: {},
  };
  return { environment, snapshots: new Map(snapshots.map((snapshot) => [snapshot.fingerprint, snapshot])) };
}

function firstPlan(environment: Environment, snapshots: ReadonlyMap<string, Snapshot>) {
  const found = dueIntervals({
    entries: environment.entries,
    snapshots,
    intervals: new Map(),
    restatements: [],
    executionTime: NOW,
  });
  const stages = buildStages({
    environment: environment.name,
    models: environment.entries.map((entry) => ({ entry, snapshot: snapshots.get(entry.fingerprint)! })),
    ...found,
    environments: [],
    snapshots: new Map(),
    promote: {
      target: environment,
      views: environment.entries.map((entry) => ({ environment: 'prod', entry })),
      removed: [],
      virtualUpdates: [],
    },
    beforeAll: [],
    afterAll: [],
    naming,
    concurrency: 4,
  });
  return { stages, missing: found.missing };
}

function run(
  environment: Environment,
  snapshots: ReadonlyMap<string, Snapshot>,
  intervals: ReadonlyMap<string, RangeSet>,
) {
  return makeRun({
    environment,
    environments: [environment],
    snapshots,
    intervals,
    restatements: [],
    executionTime: NOW,
    beforeAll: [],
    afterAll: [],
    naming,
    concurrency: 4,
  });
}

/** Everything filled from 2016 on, with evenly spread holes of an hour. */
function filledUntil({ entries }: Environment, end: number, holes = 0): ReadonlyMap<string, RangeSet> {
  const start = Date.parse('2016-01-01');
  const step = Math.floor((end - start) / (holes + 1));
  const pieces = Array.from({ length: holes + 1 }, (_, i) => ({
    start: start + i * step,
    end: i === holes ? end : start + (i + 1) * step - 3_600_000,
  }));
  return new Map(entries.map(({ model }) => [tableKey({ model, version: 'v' }), pieces]));
}

function membersOf(stages: readonly Stage[]): readonly BackfillMember[] {
  return stages.flatMap((stage) => (stage.kind === 'backfill' ? stage.members : []));
}

function naming(environment: string) {
  return { environment, suffixTarget: 'schema' } as const;
}

function measured<Result>(name: string, work: () => Result): Result {
  const heapBefore = process.memoryUsage().heapUsed;
  const from = performance.now();
  const result = work();
  const ms = performance.now() - from;
  const mb = (process.memoryUsage().heapUsed - heapBefore) / 1e6;
  process.stderr.write(
    `[interval stress] ${name}: ${ms.toFixed(0)} ms, heap ${mb >= 0 ? '+' : ''}${mb.toFixed(1)} MB\n`,
  );
  return result;
}
