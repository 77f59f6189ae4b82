import type { ModelResult, Run } from '../../domain/run.ts';
import { runs } from '../change/runs.ts';
import type { OpenedWorldReader } from '../open-world.ts';

/** What became of one model in an environment: when it was last tried, when it was last built, and how often it failed since. */
export interface ModelActivity {
  readonly model: string;
  readonly environment: string;
  readonly last: ModelResult;
  readonly lastRun: Run;
  readonly builtAt?: number;
  readonly builtRows?: number;
  /** Tries that failed, one after the other, up to the last one. */
  readonly failures: number;
}

/** As many runs as are looked through. */
const RUNS_MAX = 1000;

/** Sorted by model, then environment. */
export async function modelActivity(
  world: OpenedWorldReader,
  filters: { readonly environment?: string },
): Promise<readonly ModelActivity[]> {
  const found = new Map<string, ModelActivity>();
  const settled = new Set<string>();
  for (const run of await runs(world, { ...filters, limit: RUNS_MAX }))
    for (const result of run.models) {
      const key = `${result.name}\0${run.environment}`;
      const known: ModelActivity = found.get(key) ?? {
        model: result.name,
        environment: run.environment,
        last: result,
        lastRun: run,
        failures: 0,
      };
      const isBuilt = result.status === 'built';
      const at = run.endedAt ?? run.startedAt;
      found.set(key, {
        ...known,
        failures: known.failures + (result.status === 'failed' && !settled.has(key) ? 1 : 0),
        ...(isBuilt && known.builtAt === undefined ? { builtAt: at, builtRows: result.rows } : {}),
      });
      // One that was looked at and had nothing to do ends a row of failures, and wrote nothing.
      if (isBuilt || result.status === 'up-to-date') settled.add(key);
    }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, activity]) => activity);
}
