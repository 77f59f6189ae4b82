import type { Config } from '../../domain/config.ts';
import type { EnvironmentStatus, ModelStatus } from '../../domain/model-status.ts';
import type { ProductPage } from '../../domain/product-page.ts';
import type { Run } from '../../domain/run.ts';
import { addDuration, parseDuration } from '../../foundation/time/duration.ts';

/** What the models of an environment and its runs, newest first, say of the product, and of what it promises. */
export function productHealth(
  slo: Config['slo'],
  { environment, models, lastRun }: EnvironmentStatus,
  { runs, now }: { readonly runs: readonly Run[]; readonly now: number },
): Omit<ProductPage, 'environment' | 'owners' | 'statements' | 'ran' | 'readme' | 'usage'> {
  const conditions: Partial<Record<ModelStatus['status'], number>> = {};
  for (const model of models) conditions[model.status] = (conditions[model.status] ?? 0) + 1;
  const refreshedAt = runs.find((each) => each.status === 'succeeded')?.endedAt;
  const ends = models.flatMap(({ filledUntil }) => filledUntil ?? []);
  const isDegraded = (conditions.broken ?? 0) > 0 || lastRun?.status === 'failed';
  return {
    health: isDegraded ? 'degraded' : 'healthy',
    promotedAt: environment.promotedAt,
    ...(lastRun === undefined ? {} : { lastRun }),
    conditions,
    ...(ends.length === 0 ? {} : { filledUntil: Math.min(...ends) }),
    ...(refreshedAt === undefined ? {} : { refreshedAt }),
    ...freshnessOf(slo, promisedUntil(slo, models) ?? refreshedAt, now),
  };
}

/** Where the filled time ends that the promise is about: of the model it names, else of the one furthest behind; undefined without such times. */
function promisedUntil(
  slo: Config['slo'],
  models: readonly Pick<ModelStatus, 'model' | 'filledUntil'>[],
): number | undefined {
  const named = slo.freshness?.model?.toLowerCase();
  const ends = models
    .filter(({ model }) => named === undefined || model.toLowerCase() === named)
    .flatMap(({ filledUntil }) => filledUntil ?? []);
  return ends.length === 0 ? undefined : Math.min(...ends);
}

function freshnessOf(
  slo: Config['slo'],
  until: number | undefined,
  now: number,
): { readonly isFresh?: boolean } {
  const { maxAge } = slo.freshness ?? {};
  const age = maxAge === undefined ? undefined : parseDuration(maxAge);
  if (age === undefined || age.kind !== 'duration') return {};
  return { isFresh: until !== undefined && until >= addDuration(now, age, -1) };
}
