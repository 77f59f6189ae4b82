/** A state with events and subscribers, the real loop that delivers them, and a real receiver on this machine. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openChannel } from '../../src/adapters/channels/open-channel.ts';
import type { Subscriptions } from '../../src/compiler/notify/fan-out-event.ts';
import type { Channel } from '../../src/domain/channel.ts';
import type { Clock } from '../../src/domain/clock.ts';
import { cloudEventOf } from '../../src/domain/cloud-event.ts';
import type { Delivery } from '../../src/domain/delivery.ts';
import { newSigningKey } from '../../src/domain/signing-key.ts';
import type { StateStore } from '../../src/domain/state-store.ts';
import type { DeliveryWorld } from '../../src/runtime/deliver/deliver-events.ts';
import { channelNamed, ruleNamed } from '../conformance/notification-store-fixtures.ts';

/** What a receiver does with one request. */
export type Behaviour = 'ok' | 500 | 429 | 410 | 'hang' | 'drop' | { readonly redirectTo: string };

export interface Arrival {
  readonly channel: string;
  readonly id: string;
  readonly sequence: number;
  readonly answered: Behaviour;
}

export interface Receiver {
  readonly arrivals: Arrival[];
  behave: (channel: string, sequence: number, time: number) => Behaviour;
  urlOf(channel: string): string;
  close(): Promise<void>;
}

/** Listens on loopback; `/<channel>` is where one subscriber is reached. */
export async function startReceiver(): Promise<Receiver> {
  const arrivals: Arrival[] = [];
  const times = new Map<string, number>();
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const channel = (request.url ?? '').slice(1);
      const { sequence } = JSON.parse(body) as { readonly sequence: string };
      const key = `${channel} ${sequence}`;
      const time = (times.get(key) ?? 0) + 1;
      times.set(key, time);
      const answered = receiver.behave(channel, Number(sequence), time);
      arrivals.push({
        channel,
        id: String(request.headers['webhook-id']),
        sequence: Number(sequence),
        answered,
      });
      answer(response, answered);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    arrivals,
    behave: () => 'ok',
    urlOf: (channel) => `http://127.0.0.1:${port}/${channel}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return receiver;
}

function answer(response: ServerResponse, behaviour: Behaviour): void {
  if (behaviour === 'hang') return;
  if (behaviour === 'drop') {
    response.socket?.destroy();
    return;
  }
  if (behaviour === 'ok') response.writeHead(204).end();
  else if (typeof behaviour === 'number') response.writeHead(behaviour).end();
  else response.writeHead(302, { location: behaviour.redirectTo }).end();
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

/** Real time that a test can set forward; it never sleeps long. */
export interface HurriedClock extends Clock {
  jump(ms: number): void;
}

export function hurriedClock(): HurriedClock {
  let ahead = 0;
  return {
    now: () => Date.now() + ahead,
    jump: (ms) => {
      ahead += ms;
    },
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted === true) return resolve();
        const end = (): void => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', end);
          resolve();
        };
        const timer = setTimeout(end, Math.min(ms, 20));
        signal?.addEventListener('abort', end);
      }),
  };
}

const PRODUCT = { tenant: 'acme', slug: 'acme-shop' };

/** Every channel hears of every event, by a rule of its own. */
export function subscriptionsTo(channels: readonly string[]): Subscriptions {
  return {
    product: PRODUCT.slug,
    defaultEnvironment: 'prod',
    channels: new Map(channels.map((id) => [id, channelNamed(id)])),
    rules: channels.map((id) => ({
      ...ruleNamed(`r_${id}`, { filter: {}, audience: { channels: [id] } }),
      since: 0,
    })),
    followers: [],
    preferences: new Map(),
    configured: [],
    membersOf: () => [],
    ownersOf: () => [],
  };
}

/** The world of the loop over a state; messages are CloudEvents of what the log says. */
export function benchWorld(
  state: Pick<StateStore, 'events' | 'notifications' | 'journal'>,
  {
    clock,
    channels,
    open,
  }: {
    readonly clock: Clock;
    readonly channels: readonly string[];
    readonly open: (channel: string) => Channel;
  },
): DeliveryWorld {
  const subscriptions = subscriptionsTo(channels);
  return {
    ...{ state, clock, chance: () => 0 },
    attend: async () =>
      (await state.notifications.attend({ home: 'here', claims: true, targets: [] }))?.sequence,
    subscriptions: async () => subscriptions,
    reachIn: async () => ({ models: [], semanticModels: [], metrics: [], perspectives: [] }),
    open: async (subscriber) => ({
      channel: open(subscriber.slice('channel:'.length)),
      message: async ([delivery]) => delivery && messageFor(state, delivery),
    }),
  };
}

async function messageFor(state: Pick<StateStore, 'events'>, { id, sequence, severity }: Delivery) {
  const [event] = await state.events.events({ after: sequence - 1, limit: 1 });
  if (event?.sequence !== sequence) throw new Error(`event ${sequence} is gone`);
  const body = { kind: 'event', event: cloudEventOf(event, PRODUCT, id) } as const;
  return { id, severity, title: event.event, text: '', links: [], body };
}

/** A signed webhook to a receiver; `allowPrivate` because it listens on loopback. */
export function webhookTo(url: string, allowPrivate = true, totalMs = 1_000): Channel {
  const key = newSigningKey('hmac', { id: 'k', random: new Uint8Array(32).fill(7), at: 0 });
  return openChannel({ kind: 'webhook', url, signingKeys: [key] }, { allowPrivate, totalMs });
}

/** Before the loop first looks: the log begins where the first rule came. */
export async function happened(state: StateStore, count: number): Promise<void> {
  await state.notifications.putSetting('rule', ruleNamed('first'), { most: 9, events: [] });
  await append(state, count);
}

export async function append(state: StateStore, count: number): Promise<void> {
  const events = Array.from({ length: count }, (_, index) => ({
    at: index,
    event: 'dq.failed',
    data: { check: 'p/c' },
  }));
  await state.snapshots.invalidate('none', 1, events);
}

export async function until(
  isSo: () => boolean | Promise<boolean>,
  what: string,
  ms = 30_000,
): Promise<void> {
  const end = Date.now() + ms;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`it took too long: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** What the promise does not hold of, one line each: at least once under one id, in order until an attempt fails. */
export function broken(
  arrivals: readonly Arrival[],
  { channels, sequences }: { readonly channels: readonly string[]; readonly sequences: readonly number[] },
): readonly string[] {
  const wrong: string[] = [];
  for (const channel of channels) {
    const own = arrivals.filter((each) => each.channel === channel);
    for (const sequence of sequences) {
      const of = own.filter((each) => each.sequence === sequence);
      if (!of.some(({ answered }) => answered === 'ok')) wrong.push(`${channel} never had ${sequence}`);
      if (new Set(of.map(({ id }) => id)).size > 1)
        wrong.push(`${channel} had ${sequence} under several ids`);
    }
    const unknown = own.filter(({ sequence }) => !sequences.includes(sequence));
    for (const { sequence } of unknown) wrong.push(`${channel} had ${sequence}, which never happened`);
    const failedAt = own.findIndex(({ answered }) => answered !== 'ok');
    const first = (failedAt === -1 ? own : own.slice(0, failedAt)).map(({ sequence }) => sequence);
    const fresh = first.filter((sequence, index) => first.indexOf(sequence) === index);
    if (fresh.some((sequence, index) => index > 0 && sequence < (fresh[index - 1] ?? 0)))
      wrong.push(`${channel} had them out of order: ${first.join()}`);
  }
  return wrong;
}
