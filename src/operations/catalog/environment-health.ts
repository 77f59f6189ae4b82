import { productHealth } from '../../compiler/catalog/product-health.ts';
import { Failure } from '../../domain/failure.ts';
import type { EnvironmentStatus } from '../../domain/model-status.ts';
import type { ProductHealth } from '../../domain/product-page.ts';
import type { HeldGroup } from '../../domain/quarantine.ts';
import type { Run } from '../../domain/run.ts';
import { listQuarantine } from '../change/list-quarantine.ts';
import { runs } from '../change/runs.ts';
import type { OpenedWorldReader } from '../open-world.ts';

/** Enough to know when each model was last written. */
const RUNS_MAX = 100;
/** Enough for a budget of thirty days of runs that are an hour apart. */
const BUDGET_RUNS_MAX = 1_000;
const INCIDENTS_MAX = 1_000;

/** How an environment is doing, and why: its models, its runs, its checks, and what it promises. `known`: its runs, newest first. */
export async function environmentHealth(
  world: OpenedWorldReader,
  found: EnvironmentStatus,
  known?: readonly Run[],
): Promise<ProductHealth> {
  const environment = found.environment.name;
  const { slo } = world.config;
  const { quality } = world.state;
  const limit = slo.freshness === undefined ? RUNS_MAX : BUDGET_RUNS_MAX;
  const [allRuns, incidents, results, resultsSince, held] = await Promise.all([
    known ?? runs(world, { environment, limit }),
    quality.incidents({ environment, isOpen: true, limit: INCIDENTS_MAX }),
    quality.latestResults({ environment }),
    quality.outcomesSince({ environment }),
    heldNow(world, environment),
  ]);
  return productHealth(slo, found, {
    ...{ runs: allRuns, incidents, results, resultsSince, held },
    now: world.clock.now(),
  });
}

/** The state alone says how a product is doing when its warehouse does not answer. */
async function heldNow(world: OpenedWorldReader, environment: string): Promise<readonly HeldGroup[]> {
  try {
    return await listQuarantine(world, { environment });
  } catch (error) {
    if (error instanceof Failure) return [];
    throw error;
  }
}
