import { modelStatuses } from '../../compiler/plan/model-statuses.ts';
import type { EnvironmentStatus } from '../../domain/model-status.ts';
import { recover } from '../../runtime/execute/recover.ts';
import { appliedEnvironment, type OpenedWorld } from '../open-world.ts';
import { runInput } from './run.ts';

const RUNS_LOOKED_AT = 20;

/** What is due, late, stale, running and broken, by applied state alone. */
export async function status(
  world: OpenedWorld,
  request: { readonly environment: string; readonly executionTime: number },
): Promise<EnvironmentStatus> {
  // A state that was lost knows no environment; only the warehouse distinguishes that from a new one.
  if ((await world.state.snapshots.environment(request.environment)) === undefined) await recover(world);
  const environment = await appliedEnvironment(world, request.environment);
  const input = await runInput(world, environment, request);
  const [leases, runs] = await Promise.all([
    world.state.journal.leases(),
    world.state.journal.runs({ environment: environment.name, limit: RUNS_LOOKED_AT }),
  ]);
  const now = world.clock.now();
  const held = new Map(leases.filter(({ expiresAt }) => expiresAt > now).map((lease) => [lease.name, lease]));
  const holder = held.get(`environment:${environment.name}`);
  const lastRun = runs[0];
  return {
    environment,
    models: modelStatuses(input, { held, runs }),
    ...(holder === undefined ? {} : { holder }),
    ...(lastRun === undefined ? {} : { lastRun }),
  };
}
