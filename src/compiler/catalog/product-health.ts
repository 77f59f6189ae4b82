import type { CheckResult, Incident } from '../../domain/check-result.ts';
import type { Config } from '../../domain/config.ts';
import type { EnvironmentStatus, ModelStatus } from '../../domain/model-status.ts';
import type { ProductHealth } from '../../domain/product-page.ts';
import type { HeldGroup } from '../../domain/quarantine.ts';
import type { Run } from '../../domain/run.ts';
import { healthOf, healthReasons } from './health-reasons.ts';
import { modelClocks } from './model-clocks.ts';
import { productFreshness } from './product-freshness.ts';

/** What is known of an environment besides the condition of its models. */
export interface ProductRecords {
  /** Newest first. */
  readonly runs: readonly Run[];
  readonly incidents: readonly Incident[];
  readonly results: readonly CheckResult[];
  readonly resultsSince: ReadonlyMap<string, number>;
  readonly held: readonly HeldGroup[];
  readonly now: number;
}

/** What the models of an environment, its runs and its checks say of the product, and of what it promises. */
export function productHealth(
  slo: Config['slo'],
  found: EnvironmentStatus,
  { runs, incidents, results, resultsSince, held, now }: ProductRecords,
): ProductHealth {
  const { environment, models, lastRun } = found;
  const conditions: Partial<Record<ModelStatus['status'], number>> = {};
  for (const model of models) conditions[model.status] = (conditions[model.status] ?? 0) + 1;
  const refreshedAt = runs.find((each) => each.status === 'succeeded')?.endedAt;
  const ends = models.flatMap(({ filledUntil }) => filledUntil ?? []);
  const clocks = modelClocks({ found, runs, now });
  const freshness = productFreshness(slo, clocks, { found, runs, now });
  const input = { found, runs, freshness, incidents, results, resultsSince, held };
  const reasons = healthReasons(input);
  return {
    health: healthOf(reasons, input),
    reasons,
    clocks: [...clocks.values()],
    promotedAt: environment.promotedAt,
    ...(lastRun === undefined ? {} : { lastRun }),
    conditions,
    ...(ends.length === 0 ? {} : { filledUntil: Math.min(...ends) }),
    ...(refreshedAt === undefined ? {} : { refreshedAt }),
    ...(freshness === undefined ? {} : { freshness, isFresh: freshness.state === 'fresh' }),
  };
}
