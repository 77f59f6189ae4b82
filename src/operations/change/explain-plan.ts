import { explainStage } from '../../compiler/plan/explain-stage.ts';
import type { Plan } from '../../domain/plan.ts';

/** Each stage in words, in the order of the plan. */
export function explainPlan({ stages }: Plan): readonly string[] {
  return stages.map((stage) => explainStage(stage));
}
