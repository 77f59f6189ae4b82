import type { RunInput } from '../../compiler/plan/make-run.ts';
import type { Environment } from '../../domain/environment.ts';
import type { OpenedWorldReader } from '../open-world.ts';
import { selectedModels } from './selected-models.ts';

/** Enough for environments that are run more often than planned. */
const RUNS_LOOKED_AT = 20;
const RUNS_MAX = 10_000;

export interface RunRequest {
  readonly environment: string;
  readonly executionTime: number;
  readonly selection?: string;
  /** Also what the selected models read, as far up as there are models. */
  readonly withUpstream?: boolean;
  /** Nothing outside of these instants; a table that stands goes on from where it ends. */
  readonly start?: number;
  readonly end?: number;
  /** Every interval that has ended, whatever the crons say. */
  readonly ignoreCron?: boolean;
  /** Also tables that another environment owns, where the rows would be the same. */
  readonly isShared?: boolean;
}

/** Everything about an environment that decides what is due. */
export async function runInput(
  world: OpenedWorldReader,
  environment: Environment,
  request: Omit<RunRequest, 'environment'>,
): Promise<Omit<RunInput, 'ready'>> {
  const { executionTime, selection, withUpstream = false, start, end, isShared = false } = request;
  const { snapshots, journal } = world.state;
  const [environments, known, intervals, restatements, lastRunAt] = await Promise.all([
    snapshots.environments(),
    snapshots.snapshots(),
    journal.intervals(),
    journal.restatements(),
    lastRunTime(world, environment.name),
  ]);
  return {
    environment,
    environments,
    snapshots: new Map(known.map((snapshot) => [snapshot.fingerprint, snapshot])),
    intervals,
    restatements,
    executionTime,
    isShared,
    bounds: { ...(start === undefined ? {} : { start }), ...(end === undefined ? {} : { end }) },
    ignoreCron: request.ignoreCron ?? false,
    beforeAll: environment.hooks?.beforeAll ?? [],
    afterAll: environment.hooks?.afterAll ?? [],
    naming: (name) => world.naming(name),
    concurrency: world.config.run.maxParallel,
    ...(lastRunAt === undefined ? {} : { lastRunAt }),
    ...(selection === undefined
      ? {}
      : { selected: await selectedModels(world, environment, selection, { withUpstream }) }),
  };
}

/**
 * Since when the ticks of automatic restatements wait: the last run that looked at everything, else the first plan. A plan,
 * or a run of selected models or times, does not restate by itself, so what it would have done must still come.
 */
async function lastRunTime({ state }: OpenedWorldReader, environment: string): Promise<number | undefined> {
  for (const limit of [RUNS_LOOKED_AT, RUNS_MAX]) {
    const runs = await state.journal.runs({ environment, status: 'succeeded', limit });
    const last = runs.find(
      ({ kind, selection, isPart }) => kind === 'run' && selection === undefined && isPart !== true,
    );
    if (last !== undefined) return last.executionTime;
    if (runs.length < limit) return runs.findLast(({ kind }) => kind === 'plan')?.executionTime;
  }
  return undefined;
}
