import type { Run, RunEvent } from '../../domain/run.ts';
import { executeStages } from '../../runtime/execute/execute-stages.ts';
import { newId } from '../new-id.ts';
import type { OpenedWorld } from '../open-world.ts';
import type { ActOptions } from './apply.ts';
import type { DueWork } from './due-work.ts';

/** Fills what is due; without anything due it is still a run, with a record. */
export async function* run(
  world: OpenedWorld,
  due: DueWork,
  { who, waitMs, signal }: ActOptions,
): AsyncGenerator<RunEvent, Run> {
  yield* due.recovered;
  const startedAt = world.clock.now();
  return yield* executeStages(world, {
    run: {
      id: newId('r', startedAt),
      kind: 'run',
      environment: due.environment.name,
      who,
      startedAt,
      executionTime: due.executionTime,
      ...(due.selection === undefined ? {} : { selection: due.selection }),
      ...(due.isPart ? { isPart: true as const } : {}),
      status: 'running',
      models: [],
    },
    stages: due.stages,
    entries: due.environment.entries,
    ...(due.environment.hooks === undefined ? {} : { hooks: due.environment.hooks }),
    basePromotionId: due.environment.promotionId,
    naming: (environment) => world.naming(environment),
    maxParallel: world.config.run.maxParallel,
    executionTime: due.executionTime,
    ...(waitMs === undefined ? {} : { waitMs }),
    ...(signal === undefined ? {} : { signal }),
  });
}
