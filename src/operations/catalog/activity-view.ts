import type { StoredEvent } from '../../domain/event.ts';
import type { Identity } from '../../domain/principal.ts';
import type { Run } from '../../domain/run.ts';
import { visibleEvent, visibleRun } from '../../domain/visible-activity.ts';
import { callerOf } from '../access/callers.ts';
import type { ProductReader } from '../product-reader.ts';
import { activityAccess } from './activity-access.ts';

/** What one caller may know, as of when it was made. */
export interface ActivityView {
  /** The event as the caller may know it; undefined when they may not know of it. */
  event(event: StoredEvent): StoredEvent | undefined;
  run(run: Run): Run;
  /** Whether what quotes rows of a model, or of what it is made of, may be shown. */
  mayQuote(model: string): boolean;
}

/** What is to be shown. */
export interface ShownActivity {
  readonly environments?: readonly string[];
  readonly runs?: readonly Run[];
  readonly events?: readonly StoredEvent[];
}

/**
 * For events and runs of one environment, or of several: what one of them or the default environment restricts is restricted. Of
 * environments that the caller may not ask nothing is quoted, and of runs only those that are named here.
 */
export async function activityView(
  product: ProductReader,
  asker: Identity,
  { environments: named = [], runs: shown = [], events = [] }: ShownActivity = {},
): Promise<ActivityView> {
  const environments = [...named, ...[...shown, ...events].flatMap(({ environment }) => environment ?? [])];
  const runs = [...shown, ...(await runsOf(product, asker, events))];
  const access = await activityAccess(product, asker, { environments, runs });
  return {
    mayQuote: (model) => access.mayQuote(model),
    run: (run) => visibleRun(run, access),
    event: (event) => visibleEvent(event, access),
  };
}

/** The runs that events are of; they are not read for callers who may see everything. */
async function runsOf(
  product: ProductReader,
  asker: Identity,
  events: readonly StoredEvent[],
): Promise<readonly Run[]> {
  if (callerOf(product, asker).isUnrestricted) return [];
  const ids = [...new Set(events.flatMap(({ runId }) => runId ?? []))];
  const found = await Promise.all(ids.map((id) => product.world.state.journal.run(id)));
  return found.filter((run) => run !== undefined);
}
