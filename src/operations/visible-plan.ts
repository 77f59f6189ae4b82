import { isRollup } from '../domain/environment.ts';
import { permits } from '../domain/permissions.ts';
import type { Change, PlanOutline, Stage } from '../domain/plan.ts';
import type { Identity } from '../domain/principal.ts';
import { mayAsk } from './callers.ts';
import { type AppliedProduct, appliedIfAny, visibleProduct } from './metadata.ts';
import type { Product } from './platform.ts';

/** A plan as somebody may see it: without changes of semantics that policies hide, and without SQL for those who may not read models. */
export async function visiblePlan(
  product: Product,
  plan: PlanOutline,
  asker: Identity,
): Promise<PlanOutline> {
  // Names of another environment are told as far as those of the default one.
  const environment = mayAsk(product, asker, plan.environment) ? plan.environment : undefined;
  const applied = await appliedIfAny(product, asker, environment);
  const seen = applied && (await visibleProduct(product, applied, asker));
  // Who plans has seen the files.
  const mayRun = permits(asker, 'activity:run', product);
  const isWhole = mayRun || (seen !== undefined && seen.isPart !== true);
  const shown = isWhole ? plan : withoutRollups(plan);
  const changes = isWhole ? plan.changes : plan.changes.filter((change) => isSeen(change, seen));
  const showsSql = permits(asker, 'query:models', product);
  return {
    // Policies are for those who apply plans to read.
    ...(mayRun ? shown : { ...shown, widerAccess: [] }),
    changes: showsSql ? changes : changes.map(({ sqlDiff: _, ...change }) => change),
  };
}

/** Rollups are called like semantic models, which may be hidden. */
function withoutRollups(plan: PlanOutline): PlanOutline {
  const rollups = new Set(plan.target.entries.filter(isRollup).map(({ model }) => model));
  if (rollups.size === 0) return plan;
  const isOther = (model: string): boolean => !rollups.has(model);
  const names = [...rollups].map((name) => JSON.stringify(name));
  const stages = plan.stages.flatMap((stage): readonly Stage[] => {
    if (stage.kind === 'promote')
      return [
        {
          ...stage,
          views: stage.views.filter(({ entry }) => isOther(entry.model)),
          removed: stage.removed.filter(isOther),
        },
      ];
    const text = JSON.stringify(stage);
    return names.some((name) => text.includes(name)) ? [] : [stage];
  });
  const ids = new Set(stages.map(({ id }) => id));
  return {
    ...plan,
    missing: plan.missing.filter(({ model }) => isOther(model)),
    restatements: plan.restatements.filter(({ table }) => isOther(table.model)),
    stages: stages.map((stage) => ({ ...stage, needs: stage.needs.filter((id) => ids.has(id)) })),
  };
}

/** What is gone cannot be looked up any more, and tests and checks name members: both are told to those only from whom nothing is hidden. */
export function isSeen({ kind, name }: Change, seen: AppliedProduct | undefined): boolean {
  if (kind === 'semantic') return seen?.semanticModels.some((each) => each.name.value === name) === true;
  if (kind === 'metric') return seen?.metrics.some((each) => each.name.value === name) === true;
  return kind === 'model';
}
