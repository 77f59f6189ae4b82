import { makeRun } from '../../compiler/plan/make-run.ts';
import type { Environment } from '../../domain/environment.ts';
import type { Lease } from '../../domain/lease.ts';
import { tableKey } from '../../domain/relation.ts';
import type { ModelResult, Run } from '../../domain/run.ts';
import type { Snapshot } from '../../domain/snapshot.ts';
import { addDuration, type Duration, parseDuration } from '../../foundation/time/duration.ts';
import { addUnits } from '../../foundation/time/interval-unit.ts';
import type { RangeSet } from '../../foundation/time/ranges.ts';
import { recover } from '../../runtime/execute/recover.ts';
import { appliedEnvironment, type OpenedWorld } from '../open-world.ts';
import { runInput } from './run.ts';

/** One model as an environment shows it: `late` is due for longer than a whole unit, `stale` is older than its `freshness`, `broken` failed when it was last filled. */
export interface ModelStatus {
  readonly model: string;
  readonly kind: Snapshot['kind'];
  readonly status: 'fine' | 'due' | 'late' | 'stale' | 'waiting' | 'running' | 'broken';
  readonly missing: RangeSet;
  /** Where the filled time ends; absent for kinds without time and for empty tables. */
  readonly filledUntil?: number;
  /** What it waits for, or what was wrong. */
  readonly detail?: string;
  readonly runId?: string;
}

export interface EnvironmentStatus {
  readonly environment: Environment;
  /** Who changes it at this moment. */
  readonly holder?: Lease;
  /** The last thing that was tried, also a plan that was not promoted. */
  readonly lastRun?: Run;
  readonly models: readonly ModelStatus[];
}

const RUNS_LOOKED_AT = 20;
/** A range that ends later means the whole table, not a time. */
const FAR_FUTURE = 253_402_300_800_000;

/** What is due, late, stale, running and broken, by applied state alone. */
export async function status(
  world: OpenedWorld,
  request: { readonly environment: string; readonly executionTime: number },
): Promise<EnvironmentStatus> {
  // A state that was lost knows no environment; only the warehouse distinguishes that from a new one.
  if ((await world.state.snapshots.environment(request.environment)) === undefined) await recover(world);
  const environment = await appliedEnvironment(world, request.environment);
  const input = await runInput(world, environment, request);
  const { missing, waiting } = makeRun(input);
  const [leases, runs] = await Promise.all([
    world.state.journal.leases(),
    world.state.journal.runs({ environment: environment.name, limit: RUNS_LOOKED_AT }),
  ]);
  const reported = runs.filter((run) => isAboutShown(run, environment));
  const now = world.clock.now();
  const held = new Map(leases.filter(({ expiresAt }) => expiresAt > now).map((lease) => [lease.name, lease]));
  const due = new Map(missing.map(({ model, ranges }) => [model, ranges]));
  const blocked = new Map(waiting.map((each) => [each.model, each]));
  const models = environment.entries.flatMap(({ model, version, fingerprint }): readonly ModelStatus[] => {
    const snapshot = input.snapshots.get(fingerprint);
    if (version === undefined || snapshot === undefined) return [];
    const key = tableKey({ model, version });
    const filledUntil = (input.intervals.get(key) ?? []).at(-1)?.end;
    const base = {
      model,
      kind: snapshot.kind,
      missing: due.get(model) ?? blocked.get(model)?.ranges ?? [],
      ...(filledUntil === undefined || filledUntil >= FAR_FUTURE ? {} : { filledUntil }),
    };
    const lease = held.get(`table:${key}`);
    if (lease !== undefined) return [{ ...base, status: 'running', detail: lease.who, runId: lease.holder }];
    const last = lastResult(reported, model);
    if (last?.result.status === 'failed')
      return [
        { ...base, status: 'broken', detail: last.result.error?.message ?? 'it failed', runId: last.run.id },
      ];
    if (last?.result.status === 'skipped')
      return [
        {
          ...base,
          status: 'broken',
          detail: `needs ${last.result.because ?? 'what failed before it'}`,
          runId: last.run.id,
        },
      ];
    const wait = blocked.get(model);
    if (wait !== undefined) return [{ ...base, status: 'waiting', detail: wait.reason }];
    const { unit, freshness } = snapshot.schedule;
    if (isOlder(base.filledUntil, freshness, request.executionTime))
      return [{ ...base, status: 'stale', detail: `its data is older than ${freshness}` }];
    if (!due.has(model)) return [{ ...base, status: 'fine' }];
    const isLate = filledUntil !== undefined && filledUntil < addUnits(unit, request.executionTime, -2);
    return [{ ...base, status: isLate ? 'late' : 'due' }];
  });
  const holder = held.get(`environment:${environment.name}`);
  const lastRun = runs[0];
  return {
    environment,
    models,
    ...(holder === undefined ? {} : { holder }),
    ...(lastRun === undefined ? {} : { lastRun }),
  };
}

/** Loading has checked the duration. */
function isOlder(until: number | undefined, freshness: string | undefined, now: number): boolean {
  return (
    until !== undefined &&
    freshness !== undefined &&
    addDuration(until, parseDuration(freshness) as Duration) < now
  );
}

const COMPLETE: ReadonlySet<Run['kind']> = new Set(['plan', 'rollback', 'run']);

/** A plan that was not promoted concerns tables that the environment does not show: it is in `lastRun`, and its models are not broken. */
function isAboutShown({ kind, status: end, planId }: Run, environment: Environment): boolean {
  return (kind !== 'plan' && kind !== 'rollback') || end === 'succeeded' || planId === environment.planId;
}

/** What became of a model when it was last tried. */
function lastResult(
  runs: readonly Run[],
  model: string,
): { readonly run: Run; readonly result: ModelResult } | undefined {
  for (const run of runs) {
    const result = run.models.find(({ name }) => name === model);
    if (result !== undefined) return { run, result };
    // It looked at everything and had nothing to do here: what was broken before has been dealt with.
    if (run.status === 'succeeded' && COMPLETE.has(run.kind) && run.selection === undefined) return undefined;
  }
  return undefined;
}
