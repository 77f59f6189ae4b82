import { type FannedOut, fanOutEvent, type Subscriptions } from '../../compiler/notify/fan-out-event.ts';
import { type Reach, reachedTargets } from '../../compiler/notify/reach.ts';
import type { Clock } from '../../domain/clock.ts';
import type { StoredEvent } from '../../domain/event.ts';
import type { StateStore } from '../../domain/state-store.ts';

/** What dealing out needs to know, as it is at that moment. */
export interface DealingWorld {
  readonly state: Pick<StateStore, 'events' | 'notifications'>;
  readonly clock: Clock;
  /** What was set up. */
  readonly subscriptions: () => Promise<Subscriptions>;
  /** What is made of what, in the environment of an event. */
  readonly reachIn: (environment: string | undefined) => Promise<Reach>;
}

const EVENTS_AT_ONCE = 100;
/** Rows of one transaction, but for one event alone. */
const ROWS_AT_ONCE = 2_000;

export type Dealt =
  | { readonly kind: 'dealt'; readonly to: number }
  /** There is nothing behind the cursor. */
  | { readonly kind: 'idle' }
  /** Another process was faster. */
  | { readonly kind: 'overtaken' };

/** Deals out the next events of the log, in one transaction with the cursor. */
export async function dealOut(world: DealingWorld, from: number): Promise<Dealt> {
  const { state, clock } = world;
  const events = await state.events.events({ after: from, limit: EVENTS_AT_ONCE });
  if (events.length === 0) return { kind: 'idle' };
  const { out, to } = await fanOut(world, events);
  const deliveries = out.flatMap((each) => each.deliveries);
  const inbox = out.flatMap((each) => each.inbox);
  const isDone = await state.notifications.fanOut({ from, to, deliveries, inbox, now: clock.now() });
  return isDone ? { kind: 'dealt', to } : { kind: 'overtaken' };
}

/** As many events as fit into one transaction, one at least. */
async function fanOut(
  world: DealingWorld,
  events: readonly StoredEvent[],
): Promise<{ readonly out: readonly FannedOut[]; readonly to: number }> {
  const subscriptions = await world.subscriptions();
  const now = world.clock.now();
  const out: FannedOut[] = [];
  let [rows, to] = [0, 0];
  for (const event of events) {
    const targets = reachedTargets(event, await world.reachIn(event.environment));
    const own = fanOutEvent(event, { subscriptions, targets, now });
    rows += own.deliveries.length + own.inbox.length;
    if (out.length > 0 && rows > ROWS_AT_ONCE) break;
    out.push(own);
    to = event.sequence;
  }
  return { out, to };
}
