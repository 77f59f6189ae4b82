import { isRollup } from '../../domain/environment.ts';
import type { PlanOutline, Stage } from '../../domain/plan.ts';

/** Rollups are called like semantic models, which may be hidden. */
export function withoutRollups(plan: PlanOutline): PlanOutline {
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
