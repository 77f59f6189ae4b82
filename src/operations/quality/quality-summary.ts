import { type QualityTotals, qualityTotals } from '../../compiler/quality/quality-totals.ts';
import { DQ_DIMENSIONS, type DqDimension } from '../../domain/dq-pack.ts';
import type { ProductReader } from '../product-reader.ts';
import { knownIncidents } from './known-incidents.ts';
import { knownRules } from './known-rules.ts';
import type { QualityView } from './quality-view.ts';

export interface QualitySummary {
  readonly all: QualityTotals;
  /** Those that have rules. */
  readonly dimensions: readonly { readonly dimension: DqDimension; readonly totals: QualityTotals }[];
  /** When the newest of the results was found. */
  readonly asOf?: number;
  readonly openIncidents: number;
}

const INCIDENTS_MAX = 10_000;

/** How an environment's data is, or was at a time, by the newest result of each check that its packs define. */
export async function qualitySummary(
  product: ProductReader,
  view: QualityView,
  asked: { readonly at?: number } = {},
): Promise<QualitySummary> {
  const { at } = asked;
  const rules = (await knownRules(product, view, asked)).filter(({ rule }) => rule.isEnabled);
  const incidents = (
    await knownIncidents(product, view, {
      ...(at === undefined ? { isOpen: true } : {}),
      limit: INCIDENTS_MAX,
    })
  ).filter(
    ({ openedAt, closedAt = Number.POSITIVE_INFINITY }) =>
      at === undefined || (openedAt <= at && closedAt > at),
  );
  const checks = new Set(rules.flatMap(({ latest }) => latest.map(({ check }) => check)));
  const asOf = Math.max(...rules.flatMap(({ latest }) => latest.map(({ at }) => at)));
  return {
    all: qualityTotals(rules),
    dimensions: DQ_DIMENSIONS.flatMap((dimension) => {
      const own = rules.filter(({ rule }) => rule.dimension === dimension);
      return own.length === 0 ? [] : [{ dimension, totals: qualityTotals(own) }];
    }),
    ...(Number.isFinite(asOf) ? { asOf } : {}),
    openIncidents: incidents.filter(({ check }) => checks.has(check)).length,
  };
}
