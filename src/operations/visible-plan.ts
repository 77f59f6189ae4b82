import { permits } from '../domain/permissions.ts';
import type { Change, PlanOutline } from '../domain/plan.ts';
import type { Identity } from '../domain/principal.ts';
import { type AppliedProduct, appliedIfAny, visibleProduct } from './metadata.ts';
import type { Product } from './platform.ts';

/** A plan as somebody may see it: without changes of semantics that policies hide, and without SQL for those who may not read models. */
export async function visiblePlan(
  product: Product,
  plan: PlanOutline,
  asker: Identity,
): Promise<PlanOutline> {
  const applied = await appliedIfAny(product, plan.environment);
  const seen = applied && (await visibleProduct(product, applied, asker));
  const isEditor = permits(asker, 'activity:run', product);
  const changes =
    isEditor || (seen !== undefined && seen === applied)
      ? plan.changes
      : plan.changes.filter((change) => isSeen(change, seen));
  const showsSql = permits(asker, 'query:models', product);
  const { widerAccess: _, ...outline } = plan;
  return {
    // Policies are for those who apply plans to read.
    ...(isEditor ? plan : outline),
    changes: showsSql ? changes : changes.map(({ sqlDiff: _, ...change }) => change),
  };
}

/** What is gone cannot be looked up any more, and tests and checks name members: both are told to those only from whom nothing is hidden. */
export function isSeen({ kind, name }: Change, seen: AppliedProduct | undefined): boolean {
  if (kind === 'semantic') return seen?.semanticModels.some((each) => each.name.value === name) === true;
  if (kind === 'metric') return seen?.metrics.some((each) => each.name.value === name) === true;
  return kind === 'model';
}
