import type { Plan, Stage } from '../domain/plan.ts';
import { executeStages } from '../runtime/execute/execute-stages.ts';
import type { World } from '../runtime/world.ts';

/** Does what a plan says and yields each stage when it is done. */
export function apply(world: World, { stages }: Plan): AsyncGenerator<Stage> {
  return executeStages(world, stages);
}
