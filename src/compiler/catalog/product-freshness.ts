import type { Config } from '../../domain/config.ts';
import type { FreshnessState, ModelClocks, ProductFreshness } from '../../domain/product-health.ts';
import { addDuration, type Duration, parseDuration } from '../../foundation/time/duration.ts';
import { freshnessBudget, newnessSteps } from './freshness-budget.ts';
import { type ClockInput, slowestHop } from './model-clocks.ts';

/** What `slo.freshness` promises and what became of it; undefined when nothing is promised. */
export function productFreshness(
  { freshness }: Config['slo'],
  clocks: ReadonlyMap<string, ModelClocks>,
  { found, runs, now }: ClockInput,
): ProductFreshness | undefined {
  if (freshness === undefined) return undefined;
  const age = parseDuration(freshness.maxAge);
  // Loading has checked it.
  if (age.kind !== 'duration') return undefined;
  const promised = promisedModels(freshness.model, clocks);
  const oldest = promised.toSorted((one, two) => one.newest - two.newest)[0];
  const timed = promised.filter(({ dataTime }) => dataTime !== undefined).map(({ model }) => model);
  const refreshedAt = runs.find((each) => each.status === 'succeeded')?.endedAt;
  const newest = oldest?.newest ?? (freshness.model === undefined ? refreshedAt : undefined);
  const hop = oldest && slowestHop(oldest.model, clocks, { parents: found.parents, now });
  const isMeasurable = timed.length > 0 || (oldest === undefined && freshness.model === undefined);
  const budget = isMeasurable ? freshnessBudget(newnessSteps(runs, timed), age, now) : undefined;
  return {
    state: freshnessState(newest, age, now),
    maxAge: freshness.maxAge,
    ...(oldest === undefined ? {} : { model: oldest.model }),
    ...(newest === undefined ? {} : { newest, ageMs: now - newest }),
    ...(hop === undefined ? {} : { hop }),
    ...(budget === undefined ? {} : { budget }),
  };
}

export function freshnessState(newest: number | undefined, maxAge: Duration, now: number): FreshnessState {
  if (newest === undefined) return 'unknown';
  const due = addDuration(newest, maxAge);
  if (due >= now) return 'fresh';
  return addDuration(due, maxAge) >= now ? 'late' : 'stale';
}

type Timed = ModelClocks & { readonly newest: number };

/** The model that the promise names; else all with a time of their own. */
function promisedModels(
  named: string | undefined,
  clocks: ReadonlyMap<string, ModelClocks>,
): readonly Timed[] {
  const wanted = named?.toLowerCase();
  return [...clocks.values()].filter(
    (clock): clock is Timed =>
      clock.newest !== undefined &&
      (wanted === undefined ? clock.dataTime !== undefined : clock.model.toLowerCase() === wanted),
  );
}
