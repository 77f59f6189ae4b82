import { Failure, failure } from '../../domain/failure.ts';
import { newId } from '../new-id.ts';
import type { AskedChecks, ChecksEnd } from '../ongoing-work.ts';
import { environmentOf } from '../open-world.ts';
import type { Product } from '../platform.ts';
import { check } from '../quality/check.ts';
import type { WantedChecks } from '../quality/wanted-checks.ts';

/** So many of a product run at a time. */
const AT_ONCE_MAX = 4;
/** So many are remembered; what they found is in state. */
const KEPT_MAX = 100;

/** Begins to evaluate the dq packs of an environment; what is wrong with the request is thrown before anything runs. */
export async function startChecks(
  product: Product,
  request: { readonly [Key in keyof WantedChecks]?: WantedChecks[Key] | undefined },
): Promise<AskedChecks> {
  const { ongoing, world } = product;
  const running = [...ongoing.checks.values()].filter(({ end }) => end === undefined).length;
  if (running >= AT_ONCE_MAX) throw failure('dq.too-many-runs', { count: running });
  const [stop, cancel] = [new AbortController(), new AbortController()];
  const signal = AbortSignal.any([stop.signal, cancel.signal]);
  const startedAt = world.clock.now();
  const [id, environment] = [newId('c', startedAt), environmentOf(world.config, request.environment)];
  const events = check(world, {
    ...{ id, environment, trigger: 'demand', signal },
    ...(request.selection === undefined ? {} : { selection: request.selection }),
    ...(request.packs === undefined ? {} : { packs: request.packs }),
  });
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  // It counts from now on, and is gone when it cannot begin.
  const asked: AskedChecks = { id, environment, models: 0, startedAt, ended };
  ongoing.checks.set(id, asked);
  ongoing.runs.set(id, { stop, cancel, ended });
  try {
    const { value } = await events.next();
    if (value !== undefined && 'models' in value) asked.models = value.models;
  } catch (error) {
    ongoing.checks.delete(id);
    ongoing.runs.delete(id);
    resolve();
    throw error;
  }
  const [oldest] = ongoing.checks.keys();
  if (ongoing.checks.size > KEPT_MAX && oldest !== undefined) ongoing.checks.delete(oldest);
  void followed(product, events, signal).then((end) => {
    asked.end = end;
    ongoing.runs.delete(id);
    resolve();
  });
  return asked;
}

/** Failures are in its record; anything else is a bug, and ends it as well. */
async function followed(
  { world: { clock } }: Product,
  events: ReturnType<typeof check>,
  signal: AbortSignal,
): Promise<ChecksEnd> {
  const [opened, closed]: [string[], string[]] = [[], []];
  try {
    for (let next = await events.next(); ; next = await events.next()) {
      if (next.done === true) {
        const isCut = signal.aborted ? { isInterrupted: true as const } : {};
        return { at: clock.now(), tally: next.value, opened, closed, ...isCut };
      }
      const { value } = next;
      if (value.event === 'incident.opened') opened.push(value.incident.id);
      if (value.event === 'incident.closed') closed.push(value.incident.id);
    }
  } catch (error) {
    const at = clock.now();
    if (signal.aborted) return { at, opened, closed, isInterrupted: true };
    if (error instanceof Failure) return { at, opened, closed, error: error.diagnostic };
    process.emitWarning(error instanceof Error ? error : new Error(String(error)));
    return { at, opened, closed, error: failure('http.bug', {}).diagnostic };
  }
}
