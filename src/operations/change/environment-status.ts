import { modelStatuses } from '../../compiler/plan/model-statuses.ts';
import type { Environment } from '../../domain/environment.ts';
import type { EnvironmentStatus } from '../../domain/model-status.ts';
import type { OpenedWorldReader } from '../open-world.ts';
import { runInput } from './run-input.ts';

const RUNS_LOOKED_AT = 20;

/** What is due, late, stale, running and broken in an environment, by applied state alone. */
export async function environmentStatus(
  world: OpenedWorldReader,
  environment: Environment,
  request: { readonly executionTime: number },
): Promise<EnvironmentStatus> {
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
    parents: new Map(
      environment.entries.map(({ model, fingerprint }) => [
        model,
        input.snapshots.get(fingerprint)?.parents ?? [],
      ]),
    ),
    ...(holder === undefined ? {} : { holder }),
    ...(lastRun === undefined ? {} : { lastRun }),
  };
}
