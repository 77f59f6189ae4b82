import { seenChange } from '../../compiler/plan/seen-change.ts';
import { withoutRollups } from '../../compiler/plan/without-rollups.ts';
import { permits } from '../../domain/permissions.ts';
import type { PlanOutline } from '../../domain/plan.ts';
import type { Identity } from '../../domain/principal.ts';
import { mayAsk } from '../access/callers.ts';
import type { ProductReader } from '../product-reader.ts';
import { appliedIfAny } from './applied-product.ts';
import { visibleProduct } from './visible-product.ts';
import { visibleSql } from './visible-sql.ts';

/** A plan as a caller may see it: without changes of semantics that policies hide, and without SQL that may quote rows which the caller may not read. */
export async function visiblePlan(
  product: ProductReader,
  plan: PlanOutline,
  asker: Identity,
): Promise<PlanOutline> {
  // Names of another environment are shown as far as those of the default one.
  const environment = mayAsk(product, asker, plan.environment) ? plan.environment : undefined;
  const applied = await appliedIfAny(product, asker, environment);
  const seen = applied && (await visibleProduct(product, applied, asker));
  // Who plans has seen the files.
  const mayRun = permits(asker, 'activity:run', product);
  const isWhole = mayRun || (seen !== undefined && seen.isPart !== true);
  const shown = isWhole ? plan : withoutRollups(plan);
  const changes = isWhole ? plan.changes : plan.changes.flatMap((change) => seenChange(change, seen));
  const showsSql = await visibleSql(product, asker, plan.environment);
  return {
    // Policies are for those who apply plans to read.
    ...(mayRun ? shown : { ...shown, widerAccess: [] }),
    changes: changes.map((change) => {
      const { sqlDiff: _, ...rest } = change;
      return showsSql(change.name) ? change : rest;
    }),
  };
}
