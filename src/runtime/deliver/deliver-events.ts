/*
 * Deals out the log of a product and sends what comes of it, for as long as it is not stopped. One process at a time does it, by lease;
 * when it dies, the next goes on from the state:
 *
 *   lease ─▶ deal out ─▶ claim ─▶ send, several subscribers side by side, each in order
 *     ▲                                │
 *     └───────── heartbeat ────────────┘  lost: nothing is claimed any more, and what was claimed is the successor's
 */
import { HEARTBEAT_MS } from '../../domain/lease.ts';
import type { StateStore } from '../../domain/state-store.ts';
import { type DealingWorld, dealOut } from './deal-out.ts';
import { type SendingWorld, sendQueue } from './send-queue.ts';

export interface DeliveryWorld extends DealingWorld, Pick<SendingWorld, 'chance' | 'open'> {
  readonly state: Pick<StateStore, 'events' | 'notifications'> & {
    readonly journal: Pick<StateStore['journal'], 'takeLease' | 'releaseLease'>;
  };
  /** Where the log was dealt out to; undefined: it is not for this process to do. Asked again with each lease. */
  readonly attend: () => Promise<number | undefined>;
}

export interface DeliverRequest {
  readonly holder: string;
  readonly who: string;
  readonly signal: AbortSignal;
  /** Something cannot be done for now; it is tried again. */
  readonly onProblem: (error: unknown) => void;
}

export const DELIVER_LEASE = 'deliver';

const LOOK_MS = 500;
const AFTER_PROBLEM_MS = 5_000;
const SUBSCRIBERS_AT_ONCE = 8;
const DELIVERIES_AT_ONCE = 20;

/** Ends with the signal. */
export async function deliverEvents(world: DeliveryWorld, request: DeliverRequest): Promise<void> {
  const { state, clock } = world;
  const { who, signal, onProblem } = request;
  for (let turn = 1; !signal.aborted; turn++) {
    // Each turn is a holder of its own: what a turn that failed had claimed has a smaller token, and is claimed again.
    const holder = `${request.holder}/${turn}`;
    try {
      const answer = await state.journal.takeLease({ name: DELIVER_LEASE, holder, who, now: clock.now() });
      if (answer.kind === 'granted') {
        await lead(world, { ...request, holder }, answer.leases[0]?.token ?? 0).finally(() =>
          state.journal.releaseLease(DELIVER_LEASE, holder),
        );
      }
      if (!signal.aborted) await clock.sleep(HEARTBEAT_MS, signal);
    } catch (error) {
      onProblem(error);
      if (!signal.aborted) await clock.sleep(AFTER_PROBLEM_MS, signal);
    }
  }
}

/** Until it is stopped, or the lease is lost. */
async function lead(world: DeliveryWorld, request: DeliverRequest, token: number): Promise<void> {
  const lost = new AbortController();
  const signal = AbortSignal.any([request.signal, lost.signal]);
  const beating = keepLease(world, request, lost, signal);
  const sending = new Set<Promise<void>>();
  let problem: { readonly error: unknown } | undefined;
  const start = (work: Promise<void>): void => {
    const ended = work
      .catch((error: unknown) => {
        problem ??= { error };
      })
      .finally(() => sending.delete(ended));
    sending.add(ended);
  };
  try {
    let cursor = await world.attend();
    while (cursor !== undefined && !signal.aborted && problem === undefined) {
      const dealt = await dealOut(world, cursor);
      if (dealt.kind === 'overtaken') break;
      if (dealt.kind === 'dealt') cursor = dealt.to;
      const begun = await claimAndSend(world, {
        token,
        signal,
        room: SUBSCRIBERS_AT_ONCE - sending.size,
        start,
      });
      if (dealt.kind === 'dealt' && begun > 0) continue;
      if (begun > 0 || sending.size >= SUBSCRIBERS_AT_ONCE) await nextEnd(world, sending, signal);
      else if (dealt.kind === 'idle') await nextEnd(world, sending, signal);
    }
  } finally {
    lost.abort();
    await Promise.all([...sending, beating]);
  }
  if (problem !== undefined) throw (problem as { readonly error: unknown }).error;
}

async function claimAndSend(
  { state, clock, chance, open }: DeliveryWorld,
  {
    token,
    signal,
    room,
    start,
  }: {
    readonly token: number;
    readonly signal: AbortSignal;
    readonly room: number;
    readonly start: (work: Promise<void>) => void;
  },
): Promise<number> {
  if (room <= 0) return 0;
  const { notifications } = state;
  const claimed = await notifications.claim({
    token,
    now: clock.now(),
    subscribers: room,
    each: DELIVERIES_AT_ONCE,
  });
  for (const queue of claimed)
    start(sendQueue({ notifications, clock, chance, open }, queue, { token, signal }));
  return claimed.length;
}

/** Until one of those that are sent to is through, or it is time to look again. */
async function nextEnd(
  { clock }: DeliveryWorld,
  sending: ReadonlySet<Promise<void>>,
  signal: AbortSignal,
): Promise<void> {
  const woken = new AbortController();
  await Promise.race([...sending, clock.sleep(LOOK_MS, AbortSignal.any([signal, woken.signal]))]);
  woken.abort();
}

/** Says that this process is alive; when another one has the lease, or the state does not answer, it is lost. */
async function keepLease(
  { state, clock }: DeliveryWorld,
  { holder, who }: DeliverRequest,
  lost: AbortController,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(HEARTBEAT_MS, signal);
    if (signal.aborted) return;
    try {
      const answer = await state.journal.takeLease({ name: DELIVER_LEASE, holder, who, now: clock.now() });
      if (answer.kind === 'held') lost.abort();
    } catch {
      // What the work itself asks of the state fails too, and is reported there.
      lost.abort();
    }
  }
}
