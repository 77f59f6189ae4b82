import type { EnvironmentStatus } from '../../domain/model-status.ts';
import { recover } from '../../runtime/execute/recover.ts';
import { appliedEnvironment, type OpenedWorld } from '../open-world.ts';
import { environmentStatus } from './environment-status.ts';

/** The status of an environment by its name. */
export async function status(
  world: OpenedWorld,
  request: { readonly environment: string; readonly executionTime: number },
): Promise<EnvironmentStatus> {
  // A state that was lost knows no environment; only the warehouse distinguishes that from a new one.
  if ((await world.state.snapshots.environment(request.environment)) === undefined) await recover(world);
  return environmentStatus(world, await appliedEnvironment(world, request.environment), request);
}
