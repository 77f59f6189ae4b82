/**
 * What tests of the interpreter need: a real DuckDB behind its keeper, a real SQLite state, projects written down in the test, and
 * plans made of them by the product's own stages.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { duckdbEngine } from '../../src/adapters/engines/duckdb/duckdb-connection.ts';
import { sqliteStateStore } from '../../src/adapters/state/sqlite/sqlite-state-store.ts';
import { buildStages } from '../../src/compiler/plan/build-stages.ts';
import { draftSnapshots } from '../../src/compiler/plan/draft-snapshots.ts';
import type { StageInput } from '../../src/compiler/plan/stage-input.ts';
import { snapshotContent } from '../../src/compiler/render/snapshot-content.ts';
import type { Clock } from '../../src/domain/clock.ts';
import { WHOLE } from '../../src/domain/engine.ts';
import type { Environment, EnvironmentEntry } from '../../src/domain/environment.ts';
import type { Plan } from '../../src/domain/plan.ts';
import { tableKey, type ViewNaming } from '../../src/domain/relation.ts';
import type { Run, RunEvent } from '../../src/domain/run.ts';
import { isWritten, type Snapshot, type SnapshotContent } from '../../src/domain/snapshot.ts';
import { hash128 } from '../../src/foundation/hash128.ts';
import { DAY_MS } from '../../src/foundation/time/civil.ts';
import type { RangeSet } from '../../src/foundation/time/ranges.ts';
import { executeStages } from '../../src/runtime/execute/execute-stages.ts';
import type { StagesToRun } from '../../src/runtime/execute/stages-to-run.ts';
import type { World } from '../../src/runtime/world.ts';
import { compileText, modelFile } from './plan/compile-text.ts';

/** 2026-01-01T00:00Z: day 0 of every test. */
export const DAY_ZERO = Date.UTC(2026, 0, 1);

/** Days `[start, end)` after day 0. */
export function days(start: number, end: number): RangeSet {
  return [{ start: DAY_ZERO + start * DAY_MS, end: DAY_ZERO + end * DAY_MS }];
}

export type Models = Readonly<Record<string, readonly [kind: string, query: string, properties?: string]>>;

export const naming = (environment: string): ViewNaming => ({ environment, suffixTarget: 'schema' });

/** A folder with a warehouse and a state; every world opened in it is like another process. */
export interface TestPlace {
  readonly folder: string;
  open(more?: Partial<World>): Promise<TestWorld>;
  remove(): Promise<void>;
}

export interface TestWorld extends World {
  /** Rows of a query, each joined with commas. */
  rows(sql: string): Promise<readonly string[]>;
  close(): Promise<void>;
}

export function testPlace(): TestPlace {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-execute-'));
  const opened: TestWorld[] = [];
  return {
    folder,
    async open(more = {}) {
      const [engine, state] = await Promise.all([
        duckdbEngine({ database: 'warehouse.duckdb', folder, idleMs: 200, who: 'test' }),
        sqliteStateStore({ file: join(folder, 'state.db') }),
      ]);
      let isClosed = false;
      const world: TestWorld = {
        engine,
        state,
        clock: realClock,
        userCodeOf: () => {
          throw new Error('these projects have no code');
        },
        variables: {},
        names: { state: 'state.db', warehouse: 'warehouse.duckdb' },
        ...more,
        rows: async (sql) => (await engine.query(sql)).rows.map((row) => row.map(String).join(',')),
        async close() {
          if (isClosed) return;
          isClosed = true;
          await engine.close();
          await state.close();
        },
      };
      opened.push(world);
      return world;
    },
    async remove() {
      for (const world of opened) await world.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export const realClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      const timer = setTimeout(done, ms);
      function done(): void {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      }
      if (signal?.aborted) done();
      else signal?.addEventListener('abort', done);
    }),
};

/** A clock that can be stopped, as a paused process's is: it neither goes on nor wakes anybody. */
export function pausableClock(): Clock & { pause(): void; resume(): void } {
  let isPaused = false;
  let wake: (() => void)[] = [];
  return {
    now: () => Date.now(),
    async sleep(ms, signal) {
      await realClock.sleep(ms, signal);
      if (isPaused) await new Promise<void>((resolve) => wake.push(resolve));
    },
    pause() {
      isPaused = true;
    },
    resume() {
      isPaused = false;
      for (const go of wake) go();
      wake = [];
    },
  };
}

/** A clock whose time a test moves by hand; sleeping is real but short. */
export function shiftedClock(): Clock & { shift(ms: number): void } {
  let offset = 0;
  return {
    now: () => Date.now() + offset,
    sleep: (ms, signal) => realClock.sleep(Math.min(ms, 50), signal),
    shift(ms) {
      offset += ms;
    },
  };
}

/** A project with its snapshots, as a plan would introduce them. */
export interface TestProject {
  readonly snapshots: readonly { readonly snapshot: Snapshot; readonly content: SnapshotContent }[];
  readonly entries: readonly EnvironmentEntry[];
}

export async function projectOf(
  models: Models,
  files: Readonly<Record<string, string>> = {},
): Promise<TestProject> {
  const texts = Object.entries(models).map(([name, [kind, query, properties]]) => [
    `models/${name}.sql`,
    modelFile(name, kind, query, properties),
  ]);
  const compiled = await compileText({ ...Object.fromEntries(texts), ...files });
  const entries = new Map<string, EnvironmentEntry>();
  const snapshots: { snapshot: Snapshot; content: SnapshotContent }[] = [];
  for (const draft of draftSnapshots(compiled.project)) {
    const model = compiled.project.models.find(({ name }) => name === draft.model);
    if (model === undefined) throw new Error(draft.model);
    const own = hash128(draft.dataHash, draft.parentsHash);
    const snapshot: Snapshot = {
      ...draft,
      ...(isWritten(draft.kind) ? { version: own } : {}),
      category: null,
      planId: 'p',
    };
    const reads = draft.parents.map((name) => entries.get(name)?.version ?? '');
    const version = draft.kind === 'view' ? hash128(draft.dataHash, ...reads) : snapshot.version;
    entries.set(draft.model, {
      model: draft.model,
      fingerprint: draft.fingerprint,
      ...(version === undefined ? {} : { version }),
      columns: model.hasAllColumns ? model.columns.map(({ name }) => name) : [],
    });
    snapshots.push({ snapshot, content: await snapshotContent(model, compiled, {}) });
  }
  return { snapshots, entries: [...entries.values()] };
}

let count = 0;

/** A plan that fills the given ranges (views and seeds: once) and promotes everything. */
export async function planFor(
  { state }: World,
  project: TestProject,
  options: {
    readonly environment?: string;
    /** Ranges by model; models that are not named and not views get none. */
    readonly fill?: Readonly<Record<string, RangeSet>>;
    readonly restate?: Readonly<Record<string, RangeSet>>;
    readonly isPromoted?: boolean;
    readonly more?: Partial<StageInput>;
  } = {},
): Promise<Plan> {
  const { environment = 'prod', fill = {}, restate = {}, isPromoted = true, more = {} } = options;
  const id = `plan-${process.pid}-${++count}`;
  const filled = await state.journal.intervals();
  const environments = await state.snapshots.environments();
  const base = environments.find(({ name }) => name === environment);
  const present = new Map(project.snapshots.map(({ snapshot }) => [snapshot.model, snapshot]));
  const models = project.entries.map((entry) => {
    const snapshot = present.get(entry.model);
    if (snapshot === undefined) throw new Error(entry.model);
    return { entry, snapshot };
  });
  const missing = new Map<string, RangeSet>();
  for (const { entry, snapshot } of models) {
    const ranges = fill[entry.model] ?? restate[entry.model];
    const isOnce = snapshot.kind === 'view' || snapshot.kind === 'seed';
    if (ranges !== undefined) missing.set(entry.model, ranges);
    else if (
      isOnce &&
      entry.version !== undefined &&
      !filled.has(tableKey({ ...entry, version: entry.version }))
    )
      missing.set(entry.model, [WHOLE]);
  }
  const target: Environment = {
    name: environment,
    entries: project.entries,
    promotionId: `promotion-of-${id}`,
    planId: id,
    promotedAt: 0,
    gateway: 'local',
    definitions: {},
  };
  const restatements = models.flatMap(({ entry }) => {
    const ranges = restate[entry.model];
    const { version } = entry;
    return ranges === undefined || version === undefined
      ? []
      : [{ table: { model: entry.model, version }, ranges }];
  });
  const snapshots = new Map(
    (await state.snapshots.snapshots()).map((snapshot) => [snapshot.fingerprint, snapshot]),
  );
  for (const { snapshot } of project.snapshots) snapshots.set(snapshot.fingerprint, snapshot);
  return {
    id,
    environment,
    ...(base === undefined ? {} : { basePromotionId: base.promotionId }),
    createdAt: 0,
    executionTime: DAY_ZERO + 100 * DAY_MS,
    changes: [],
    missing: [],
    snapshots: project.snapshots,
    target,
    restatements,
    stages: buildStages({
      environment,
      models,
      missing,
      filled,
      restated: new Map(restatements.map(({ table, ranges }) => [tableKey(table), ranges])),
      environments,
      snapshots,
      beforeAll: [],
      afterAll: [],
      naming,
      concurrency: 4,
      ...(isPromoted
        ? {
            promote: {
              target,
              views: project.entries
                .filter(({ version }) => version !== undefined)
                .map((entry) => ({ environment, entry })),
              removed: (base?.entries ?? [])
                .filter(({ model }) => !project.entries.some((entry) => entry.model === model))
                .map(({ model }) => model),
              virtualUpdates: project.entries.map(({ model }) => model),
            },
          }
        : {}),
      ...more,
    }),
  };
}

export function runOf(plan: Plan, more: Partial<Run> = {}): Run {
  return {
    id: `run-of-${plan.id}-${++count}`,
    kind: 'plan',
    environment: plan.environment,
    planId: plan.id,
    who: `test ${plan.id}`,
    startedAt: Date.now(),
    executionTime: plan.executionTime,
    status: 'running',
    models: [],
    ...more,
  };
}

export interface Applied {
  readonly run: Run;
  readonly events: readonly RunEvent[];
}

/** Applies a plan as a command does. */
export async function apply(
  world: World,
  plan: Plan,
  more: Partial<StagesToRun> & { readonly watch?: (event: RunEvent) => void | Promise<void> } = {},
): Promise<Applied> {
  const { watch, ...given } = more;
  const generator = executeStages(world, {
    run: runOf(plan),
    plan,
    stages: plan.stages,
    entries: plan.target.entries,
    naming,
    maxParallel: 4,
    executionTime: plan.executionTime,
    ...given,
  });
  const events: RunEvent[] = [];
  for (;;) {
    const next = await generator.next();
    if (next.done === true) return { run: next.value, events };
    events.push(next.value);
    await watch?.(next.value);
  }
}

/** Status of each model of a run. */
export function statuses({ models }: Run): Readonly<Record<string, string>> {
  return Object.fromEntries(models.map(({ name, status }) => [name, status]));
}
