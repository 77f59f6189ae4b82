import type { JanitorOutcome } from '../../compiler/plan/janitor-stages.ts';
import type { Run, RunEvent } from '../../domain/run.ts';
import { executeStages } from '../../runtime/execute/execute-stages.ts';
import { newId } from '../new-id.ts';
import type { OpenedWorld } from '../open-world.ts';
import type { ActOptions } from './apply.ts';

/** The janitor works on no environment in particular; no environment can have this name. */
export const EVERYWHERE = '*';

/** Removes what `janitorWork` found, and yields what was dropped and what had to stay. */
export async function* janitor(
  world: OpenedWorld,
  { stages }: Pick<JanitorOutcome, 'stages'>,
  { who, waitMs, signal, executionTime }: ActOptions & { readonly executionTime: number },
): AsyncGenerator<RunEvent, Run> {
  const startedAt = world.clock.now();
  return yield* executeStages(world, {
    run: {
      id: newId('r', startedAt),
      kind: 'janitor',
      environment: EVERYWHERE,
      who,
      startedAt,
      executionTime,
      status: 'running',
      models: [],
    },
    stages,
    entries: [],
    naming: (name) => world.naming(name),
    maxParallel: 1,
    executionTime,
    ...(waitMs === undefined ? {} : { waitMs }),
    ...(signal === undefined ? {} : { signal }),
  });
}
