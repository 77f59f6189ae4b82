/** What every channel must do, whatever the receiver does. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import type { Reaching } from '../../src/adapters/channels/connection/guarded-connection.ts';
import type { Channel, SendOutcome } from '../../src/domain/channel.ts';
import { AT, exampleMessage } from '../support/receivers/example-message.ts';
import type { Behaviour } from '../support/receivers/http-receiver.ts';

export interface AnyReceiver {
  readonly port: number;
  readonly received: readonly unknown[];
  readonly connections: { readonly made: number; readonly open: number };
  close(): Promise<void>;
}

export interface ChannelKit {
  receiver(behaviour: Behaviour, location?: string): Promise<AnyReceiver>;
  open(port: number, reaching: Reaching): Channel;
  /** Texts that no outcome may hold. */
  readonly secrets: readonly string[];
  /** Whether the status alone says that the message is there. */
  readonly statusCounts: boolean;
  /** Behaviours that the protocol does not have. */
  readonly lacks: readonly Behaviour[];
}

const TOTAL_MS = 3000;
const MEMORY_MAX = 60e6;

export function channelConformance({ receiver, open, secrets, statusCounts, lacks }: ChannelKit): void {
  const running: AnyReceiver[] = [];
  afterEach(async () => {
    for (const each of running.splice(0)) await each.close();
  });
  const start = async (behaviour: Behaviour, location?: string): Promise<AnyReceiver> => {
    const started = await receiver(behaviour, location);
    running.push(started);
    return started;
  };
  const sendTo = async (
    { port }: AnyReceiver,
    {
      signal = new AbortController().signal,
      ...reaching
    }: Partial<Reaching> & { readonly signal?: AbortSignal } = {},
  ): Promise<SendOutcome> => {
    const channel = open(port, { allowPrivate: true, totalMs: TOTAL_MS, ...reaching });
    const outcome = await channel.send(exampleMessage(), { signal, at: AT });
    for (const secret of [...secrets, 'hunter2']) expect(JSON.stringify(outcome)).not.toContain(secret);
    return outcome;
  };
  const closed = async (target: AnyReceiver): Promise<void> => {
    for (let left = 100; left > 0 && target.connections.open > 0; left--) await sleep(20);
    expect(target.connections.open).toBe(0);
  };
  const testOf = (behaviour: Behaviour) => test.skipIf(lacks.includes(behaviour));
  const why = (behaviour: Behaviour): string =>
    lacks.includes(behaviour) ? ': the protocol has nothing like it' : '';

  test('a receiver that takes the message gets it once', async () => {
    const target = await start('takes');
    expect(await sendTo(target)).toMatchObject({ kind: 'delivered', status: expect.any(Number) });
    expect(target.received).toHaveLength(1);
    await closed(target);
  });

  test('one that fails is tried again later, and what it says is not repeated', async () => {
    const target = await start('fails');
    expect(await sendTo(target)).toMatchObject({
      kind: 'failed',
      status: expect.any(Number),
      isPermanent: false,
    });
    await closed(target);
  });

  test('one that hangs is left after its time', async () => {
    const target = await start('hangs');
    expect(await sendTo(target, { totalMs: 300 })).toEqual({
      kind: 'failed',
      reason: 'there was no answer within 0.3 s',
      isPermanent: false,
    });
    await closed(target);
  });

  test('one that hangs is left at once when the server stops', async () => {
    const target = await start('hangs');
    const stop = new AbortController();
    // Longer than the test may take, so that only the signal ends it.
    const outcome = sendTo(target, { signal: stop.signal, totalMs: 900_000 });
    for (let left = 100; left > 0 && target.connections.made === 0; left--) await sleep(20);
    stop.abort();
    expect(await outcome).toEqual({
      kind: 'failed',
      reason: 'the attempt was interrupted',
      isPermanent: false,
    });
    await closed(target);
  });

  test('one that drops the connection is tried again later', async () => {
    const target = await start('drops');
    expect(await sendTo(target)).toMatchObject({ kind: 'failed', isPermanent: false });
  });

  test('one that is not there is tried again later', async () => {
    const target = await start('takes');
    await target.close();
    const outcome = await sendTo(target);
    expect(outcome).toMatchObject({ kind: 'failed', isPermanent: false });
    expect(JSON.stringify(outcome)).toContain('ECONNREFUSED');
  });

  describe('one that never ends its answer', () => {
    test.each(['drips', 'floods'] as const)('and %s costs a bounded time and memory', async (behaviour) => {
      const target = await start(behaviour);
      const before = process.memoryUsage().rss;
      const outcome = await sendTo(target);
      expect(outcome).toMatchObject(
        statusCounts ? { kind: 'delivered' } : { kind: 'failed', isPermanent: false },
      );
      expect(process.memoryUsage().rss - before).toBeLessThan(MEMORY_MAX);
      await closed(target);
    });
  });

  testOf('redirects')(`one that redirects is not followed${why('redirects')}`, async () => {
    const behind = await start('takes');
    const target = await start('redirects', `http://127.0.0.1:${behind.port}/`);
    expect(await sendTo(target)).toMatchObject({ kind: 'failed', status: 307, isPermanent: false });
    expect(behind.connections.made).toBe(0);
  });

  testOf('asks-to-wait')(`one that asks to wait is listened to${why('asks-to-wait')}`, async () => {
    const target = await start('asks-to-wait');
    expect(await sendTo(target)).toMatchObject({
      kind: 'failed',
      status: 429,
      retryAfterMs: 7000,
      isPermanent: false,
    });
  });

  test('one that is gone is not tried again', async () => {
    expect(await sendTo(await start('is-gone'))).toMatchObject({ kind: 'failed', isPermanent: true });
  });

  test('one at a private address gets no connection unless the server allows it', async () => {
    const target = await start('takes');
    expect(await sendTo(target, { allowPrivate: false })).toMatchObject({
      kind: 'failed',
      isPermanent: true,
    });
    expect(target.connections.made).toBe(0);
  });

  test('one behind a name that leads to a private address gets none either', async () => {
    const target = await start('takes');
    const asked: string[] = [];
    const outcome = await sendTo(target, {
      lookup: async (host) => {
        asked.push(host);
        return ['93.184.215.14', '127.0.0.1'];
      },
      allowPrivate: true,
      mayReach: (address) => address !== '127.0.0.1',
    });
    expect(outcome).toMatchObject({ kind: 'failed', reason: 'the host does not have a public address' });
    expect(target.connections.made).toBe(0);
    expect(asked.length).toBeLessThanOrEqual(1);
  });
}
