import type { JanitorOutcome } from '../../compiler/plan/janitor-stages.ts';
import type { OpenedWorld } from '../open-world.ts';
import { janitorWork } from './janitor-work.ts';

/** Everything that plans and runs made, prod included: the environments end now, and nothing is kept for a rollback. */
export async function destroyWork(world: OpenedWorld, executionTime: number): Promise<JanitorOutcome> {
  const at = world.clock.now();
  for (const { name } of await world.state.snapshots.environments())
    await world.state.snapshots.invalidate(name, at, [
      { at, event: 'environment.invalidated', environment: name, data: {} },
    ]);
  return janitorWork(world, executionTime, { keeps: 'nothing' });
}
