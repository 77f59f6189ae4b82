/*
 * How long a promise of freshness was broken. Between two runs nothing gets newer, so the history of runs says it exactly:
 *
 *   run ends, filled until d ──── d + max age ▓▓▓ broken ▓▓▓ next run ends
 */
import type { FreshnessBudget } from '../../domain/product-health.ts';
import type { Run } from '../../domain/run.ts';
import { DAY_MS } from '../../foundation/time/civil.ts';
import { addDuration, type Duration } from '../../foundation/time/duration.ts';

export const BUDGET_WINDOW_MS = 30 * DAY_MS;
/** A promise that names no share means nearly always. */
const ALLOWED_PERCENT = 1;

/** From then on the rows are as new as that. */
export interface NewnessStep {
  readonly at: number;
  readonly newest: number;
}

/** Undefined when no run says how new the data were. */
export function freshnessBudget(
  steps: readonly NewnessStep[],
  maxAge: Duration,
  now: number,
): FreshnessBudget | undefined {
  const [first] = steps;
  if (first === undefined) return undefined;
  const since = Math.max(first.at, now - BUDGET_WINDOW_MS);
  let brokenMs = 0;
  for (const [index, { at, newest }] of steps.entries()) {
    const end = Math.min(now, steps[index + 1]?.at ?? now);
    brokenMs += Math.max(0, end - Math.max(at, since, addDuration(newest, maxAge)));
  }
  const allowedMs = ((now - since) * ALLOWED_PERCENT) / 100;
  return { since, brokenMs, allowedMs, isSpent: brokenMs > allowedMs };
}

/**
 * How new models were after each run, oldest first: the least new of those that are promised, by the time that runs filled. Without
 * models with times it is when runs that succeeded ended. `runs` are newest first.
 */
export function newnessSteps(runs: readonly Run[], promised: readonly string[]): readonly NewnessStep[] {
  const ended = runs.flatMap((run) => (run.endedAt === undefined ? [] : [{ ...run, endedAt: run.endedAt }]));
  ended.sort((one, two) => one.endedAt - two.endedAt);
  if (promised.length === 0)
    return ended.flatMap(({ status, endedAt }) =>
      status === 'succeeded' ? [{ at: endedAt, newest: endedAt }] : [],
    );
  const wanted = new Set(promised);
  const ends = new Map<string, number>();
  return ended.flatMap(({ endedAt, models }) => {
    for (const { name, status, intervals } of models) {
      const end = intervals.at(-1)?.end;
      if (status === 'built' && wanted.has(name) && end !== undefined)
        ends.set(name, Math.max(end, ends.get(name) ?? 0));
    }
    return ends.size < wanted.size ? [] : [{ at: endedAt, newest: Math.min(...ends.values()) }];
  });
}
