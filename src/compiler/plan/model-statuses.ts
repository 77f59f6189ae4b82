import type { Environment } from '../../domain/environment.ts';
import type { Lease } from '../../domain/lease.ts';
import { endOfTime, type ModelStatus } from '../../domain/model-status.ts';
import { tableKey } from '../../domain/relation.ts';
import type { ModelResult, Run } from '../../domain/run.ts';
import { addDuration, type Duration, parseDuration } from '../../foundation/time/duration.ts';
import { addUnits } from '../../foundation/time/interval-unit.ts';
import { makeRun, type RunInput } from './make-run.ts';

/** How each model of an environment is doing; `held` has the leases that are valid now, and `runs` the last ones. */
export function modelStatuses(
  input: Omit<RunInput, 'ready'>,
  { held, runs }: { readonly held: ReadonlyMap<string, Lease>; readonly runs: readonly Run[] },
): readonly ModelStatus[] {
  const { environment, executionTime } = input;
  const { missing, waiting } = makeRun(input);
  const reported = runs.filter((run) => isAboutShown(run, environment));
  const due = new Map(missing.map(({ model, ranges }) => [model, ranges]));
  const blocked = new Map(waiting.map((each) => [each.model, each]));
  return environment.entries.flatMap(({ model, version, fingerprint }): readonly ModelStatus[] => {
    const snapshot = input.snapshots.get(fingerprint);
    if (version === undefined || snapshot === undefined) return [];
    const key = tableKey({ model, version });
    const filledUntil = (input.intervals.get(key) ?? []).at(-1)?.end;
    const until = endOfTime(input.intervals.get(key));
    const base = {
      model,
      kind: snapshot.kind,
      missing: due.get(model) ?? blocked.get(model)?.ranges ?? [],
      ...(until === undefined ? {} : { filledUntil: until }),
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
    if (isOlder(base.filledUntil, freshness, executionTime))
      return [{ ...base, status: 'stale', detail: `its data is older than ${freshness}` }];
    if (!due.has(model)) return [{ ...base, status: 'fine' }];
    const isLate = filledUntil !== undefined && filledUntil < addUnits(unit, executionTime, -2);
    return [{ ...base, status: isLate ? 'late' : 'due' }];
  });
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
