import type { HealthReason, ProductFreshness } from '../../domain/product-health.ts';
import { isoInstantShort } from '../../foundation/time/iso.ts';
import { ageText } from './intervals.ts';

export const timeOrNull = (at: number | undefined): string | null =>
  at === undefined ? null : isoInstantShort(at);

/** A reason as `status --json` has it. */
export const reasonJson = (reason: HealthReason) => ({
  kind: reason.kind,
  effect: reason.effect,
  message: reason.words,
  model: reason.model ?? null,
  check: reason.check ?? null,
  incident_id: reason.incidentId ?? null,
  run_id: reason.runId ?? null,
  since: timeOrNull(reason.since),
});

export const freshnessJson = (freshness: ProductFreshness | undefined) =>
  freshness === undefined
    ? null
    : {
        state: freshness.state,
        max_age: freshness.maxAge,
        model: freshness.model ?? null,
        newest: timeOrNull(freshness.newest),
        age_ms: freshness.ageMs ?? null,
        slowest_hop:
          freshness.hop === undefined
            ? null
            : {
                model: freshness.hop.model,
                added_ms: freshness.hop.addedMs,
                path: freshness.hop.path,
              },
        budget:
          freshness.budget === undefined
            ? null
            : {
                since: isoInstantShort(freshness.budget.since),
                broken_ms: freshness.budget.brokenMs,
                allowed_ms: freshness.budget.allowedMs,
                is_spent: freshness.budget.isSpent,
              },
      };

/** What is promised and what became of it, on one line. */
export function freshnessLine({ state, maxAge, model, ageMs, hop, budget }: ProductFreshness): string {
  const age = ageMs === undefined ? '' : `, ${ageText(ageMs)} old`;
  const of = model === undefined ? '' : ` (${model})`;
  const via =
    hop === undefined || hop.addedMs <= 0 ? '' : `; ${hop.model} added ${ageText(hop.addedMs)} of it`;
  const broken =
    budget === undefined
      ? ''
      : budget.brokenMs === 0
        ? '; never broken'
        : `; broken for ${ageText(budget.brokenMs)} of ${ageText(budget.allowedMs)} allowed`;
  const since = budget === undefined ? '' : ` since ${isoInstantShort(budget.since)}`;
  return `freshness ${state}: ${maxAge} promised${age}${of}${via}${broken}${since}`;
}
