/*
 * How new the rows of each model are. Ages add up on the way:
 *
 *   raw.orders ──▶ staging.orders ──▶ marts.revenue ──▶ reader
 *        how old      how much older than its input        now
 */
import type { EnvironmentStatus, ModelStatus } from '../../domain/model-status.ts';
import type { FreshnessHop, ModelClocks } from '../../domain/product-health.ts';
import type { Run } from '../../domain/run.ts';

/** What clocks are read from. */
export interface ClockInput {
  readonly found: Pick<EnvironmentStatus, 'parents'> & {
    readonly environment: Pick<EnvironmentStatus['environment'], 'promotedAt'>;
    readonly models: readonly Pick<ModelStatus, 'model' | 'kind' | 'filledUntil'>[];
  };
  /** Newest first. */
  readonly runs: readonly Run[];
  readonly now: number;
}

/** Models whose rows have no time: what files say, and what others fill. */
const TIMELESS: ReadonlySet<ModelStatus['kind']> = new Set(['seed', 'external']);

export function modelClocks({ found, runs, now }: ClockInput): ReadonlyMap<string, ModelClocks> {
  const statuses = new Map(found.models.map((each) => [each.model, each]));
  const loaded = loadTimes(runs);
  const clocks = new Map<string, ModelClocks>();
  const of = (model: string): ModelClocks | undefined => {
    const known = clocks.get(model);
    const parents = found.parents.get(model);
    if (known !== undefined || parents === undefined) return known;
    const inputs = parents.flatMap((parent) => of(parent)?.newest ?? []);
    const status = statuses.get(model);
    const own = clocksOf(model, { status, loadTime: loaded.get(model), inputs });
    const clock = {
      ...own,
      publishTime: publishTime(own.loadTime, found.environment.promotedAt),
      servedTime: now,
    };
    clocks.set(model, clock);
    return clock;
  };
  for (const model of found.parents.keys()) of(model);
  return clocks;
}

function clocksOf(
  model: string,
  {
    status,
    loadTime,
    inputs,
  }: {
    readonly status: ClockInput['found']['models'][number] | undefined;
    readonly loadTime: number | undefined;
    readonly inputs: readonly number[];
  },
): Pick<ModelClocks, 'model' | 'dataTime' | 'sourceTime' | 'loadTime' | 'newest'> {
  const sourceTime = inputs.length === 0 ? undefined : Math.min(...inputs);
  const dataTime = status?.filledUntil;
  const seen = [sourceTime, loadTime].flatMap((each) => each ?? []);
  const isTimeless = status !== undefined && TIMELESS.has(status.kind);
  const newest = dataTime ?? (isTimeless || seen.length === 0 ? undefined : Math.min(...seen));
  return {
    model,
    ...(dataTime === undefined ? {} : { dataTime }),
    ...(sourceTime === undefined ? {} : { sourceTime }),
    ...(loadTime === undefined ? {} : { loadTime }),
    ...(newest === undefined ? {} : { newest }),
  };
}

const publishTime = (loadTime: number | undefined, promotedAt: number): number =>
  loadTime === undefined ? promotedAt : Math.max(loadTime, promotedAt);

/** When each model was last written by a run that is known. */
function loadTimes(runs: readonly Run[]): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const { models, endedAt } of runs)
    for (const { name, status } of models)
      if (status === 'built' && endedAt !== undefined)
        times.set(name, Math.max(endedAt, times.get(name) ?? 0));
  return times;
}

/** Which model on the way added most of the age; undefined when the age is not known. */
export function slowestHop(
  model: string,
  clocks: ReadonlyMap<string, ModelClocks>,
  { parents, now }: { readonly parents: ReadonlyMap<string, readonly string[]>; readonly now: number },
): FreshnessHop | undefined {
  const way = oldestWay(model, clocks, parents);
  const times = way.map((each) => clocks.get(each)?.newest ?? now);
  let slowest: { readonly model: string; readonly addedMs: number } | undefined;
  for (const [index, each] of way.entries()) {
    const input = index === 0 ? now : (times[index - 1] ?? now);
    const addedMs = Math.max(0, input - (times[index] ?? now));
    if (slowest === undefined || addedMs > slowest.addedMs) slowest = { model: each, addedMs };
  }
  return slowest && { ...slowest, path: way };
}

/** From the first model with a time to this one, at each step over the input that is least new. */
function oldestWay(
  model: string,
  clocks: ReadonlyMap<string, ModelClocks>,
  parents: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const way: string[] = [];
  for (let at: string | undefined = model; at !== undefined; ) {
    if (clocks.get(at)?.newest === undefined) break;
    way.unshift(at);
    let next: { readonly name: string; readonly newest: number } | undefined;
    for (const name of parents.get(at) ?? []) {
      const newest = clocks.get(name)?.newest;
      if (newest !== undefined && (next === undefined || newest < next.newest)) next = { name, newest };
    }
    at = next?.name;
  }
  return way;
}
