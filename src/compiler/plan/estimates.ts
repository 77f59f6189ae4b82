import type { Estimate, MissingIntervals } from '../../domain/plan.ts';
import type { Run } from '../../domain/run.ts';
import { totalLength } from '../../foundation/time/ranges.ts';

/** Longer than any table's history: the range of what is built as a whole. */
const WHOLE_MS = 100 * 365 * 86_400_000;

/** Estimates of the models that earlier runs built, by name; others have none. Kinds that are rebuilt take what they took last time. */
export function estimatesOf(
  runs: readonly Run[],
  missing: readonly MissingIntervals[],
): ReadonlyMap<string, Estimate> {
  const estimates = new Map<string, Estimate>();
  for (const { model, ranges } of missing) {
    const wanted = totalLength(ranges);
    for (const run of runs) {
      const before = run.models.find(({ name, status }) => name === model && status === 'built');
      const filled = totalLength(before?.intervals ?? []);
      if (before === undefined || filled === 0) continue;
      const share = wanted > WHOLE_MS || filled > WHOLE_MS ? 1 : wanted / filled;
      estimates.set(model, { rows: Math.round(before.rows * share), ms: Math.round(before.ms * share) });
      break;
    }
  }
  return estimates;
}
