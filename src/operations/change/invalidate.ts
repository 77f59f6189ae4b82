import type { Environment } from '../../domain/environment.ts';
import { failure } from '../../domain/failure.ts';
import { appliedEnvironment, type OpenedWorld } from '../open-world.ts';

/** Marks an environment for the janitor. Refused for prod and pinned ones: those must be taken out of the configuration first. */
export async function invalidate(world: OpenedWorld, name: string): Promise<Environment> {
  await appliedEnvironment(world, name);
  if (name === 'prod' || world.config.environments.pinned.includes(name))
    throw failure('cli.environment-pinned', { environment: name });
  const at = world.clock.now();
  await world.state.snapshots.invalidate(name, at, [
    { at, event: 'environment.invalidated', environment: name, data: {} },
  ]);
  return appliedEnvironment(world, name);
}
