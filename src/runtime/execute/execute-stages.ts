import type { Stage } from '../../domain/plan.ts';
import { unreachable } from '../../foundation/unreachable.ts';
import type { World } from '../world.ts';
import { backfill } from './backfill.ts';
import { createSchemas } from './create-schemas.ts';
import { promote } from './promote.ts';

/** Does what a plan says, stage by stage, and yields each when it is done. */
export async function* executeStages(world: World, stages: readonly Stage[]): AsyncGenerator<Stage> {
  for (const stage of stages) {
    await executeStage(world, stage);
    yield stage;
  }
}

function executeStage(world: World, stage: Stage): Promise<void> {
  switch (stage.kind) {
    case 'create-schemas':
      return createSchemas(world, stage);
    case 'backfill':
      return backfill(world, stage);
    case 'promote':
      return promote(world, stage);
    default:
      return unreachable(stage);
  }
}
