import { memberLabels } from '../../compiler/plan/semantic-changes.ts';
import { isRollup } from '../../domain/environment.ts';
import { permits } from '../../domain/permissions.ts';
import type { Change, PlanOutline, Stage } from '../../domain/plan.ts';
import type { Identity } from '../../domain/principal.ts';
import { mayAsk } from '../access/callers.ts';
import type { Product } from '../platform.ts';
import { type AppliedProduct, appliedIfAny, visibleProduct } from './metadata.ts';
import { visibleSql } from './visible-sql.ts';

/** A plan as a caller may see it: without changes of semantics that policies hide, and without SQL that may quote rows which the caller may not read. */
export async function visiblePlan(
  product: Product,
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

/** What is gone cannot be looked up any more, and tests and checks name members: both are shown only to callers from whom nothing is hidden. */
export function seenChange(change: Change, seen: AppliedProduct | undefined): readonly Change[] {
  const { kind, name, columns } = change;
  if (kind === 'metric')
    return seen?.metrics.some((each) => each.name.value === name) === true ? [change] : [];
  if (kind !== 'semantic') return kind === 'model' ? [change] : [];
  const semantic = seen?.semanticModels.find((each) => each.name.value === name);
  if (semantic === undefined) return [];
  // Rollups and policies are for callers from whom nothing is hidden.
  const labels = new Set(memberLabels(semantic));
  const isKnown = (label: string): boolean => labels.has(label);
  return [
    {
      ...change,
      columns: {
        added: columns.added.filter(isKnown),
        removed: [],
        changed: columns.changed.filter(isKnown),
      },
    },
  ];
}
