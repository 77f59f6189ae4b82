/** Receivers that fail in every way: each event arrives at each subscriber at least once, under one id, in order until an attempt fails. */
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { StateStore } from '../../src/domain/state-store.ts';
import { deliverEvents } from '../../src/runtime/deliver/deliver-events.ts';
import { RETRY_WAITS, retryTime } from '../../src/runtime/deliver/retry-time.ts';
import { describeOnEveryStore } from '../conformance/every-state-store.ts';
import {
  append,
  type Behaviour,
  benchWorld,
  broken,
  happened,
  hurriedClock,
  type Receiver,
  startReceiver,
  until,
  webhookTo,
} from './delivery-bench.ts';

const CHANNELS = ['n_1', 'n_2', 'n_3'];
const SEQUENCES = [1, 2, 3, 4, 5, 6];
const HOUR_MS = 3_600_000;

describeOnEveryStore('deliveries', (name, store) => {
  describe(name, () => {
    let place = '';
    let state: StateStore;
    let receiver: Receiver;
    const problems: unknown[] = [];
    beforeEach(async () => {
      place = store.newPlace();
      state = await store.open(place);
      receiver = await startReceiver();
      problems.length = 0;
    });
    afterEach(async () => {
      await receiver.close();
      await state.close();
    });
    const clock = hurriedClock();
    const open = (channel: string) => webhookTo(receiver.urlOf(channel), true, 300);
    /** Delivers while the test does something. */
    const delivering = async (
      work: () => Promise<void>,
      loops: readonly StateStore[] = [state],
    ): Promise<void> => {
      const stop = new AbortController();
      const running = loops.map((each, index) =>
        deliverEvents(benchWorld(each, { clock, channels: CHANNELS, open }), {
          ...{
            holder: `w${index}`,
            who: 'test',
            signal: stop.signal,
            onProblem: (error) => problems.push(error),
          },
        }),
      );
      try {
        await work();
      } finally {
        stop.abort();
        await Promise.all(running);
      }
    };
    const isDone = async (last = 6): Promise<boolean> => {
      const { sequence, open: left } = await state.notifications.backlog();
      return sequence >= last && left === 0;
    };
    const check = (): void => {
      expect(broken(receiver.arrivals, { channels: CHANNELS, sequences: SEQUENCES })).toEqual([]);
      expect(problems).toEqual([]);
    };

    test('that answers gets each event once, in order', async () => {
      await happened(state, 6);
      await delivering(() => until(isDone, 'six events'));
      check();
      expect(receiver.arrivals).toHaveLength(CHANNELS.length * SEQUENCES.length);
    });

    test.each<readonly [string, Behaviour]>([
      ['answers 500', 500],
      ['asks to wait', 429],
      ['hangs', 'hang'],
      ['drops the connection', 'drop'],
      ['redirects to a private address', { redirectTo: 'http://169.254.169.254/latest' }],
    ])(
      'that %s at first gets the event later, and the events behind it do not wait',
      async (_, behaviour) => {
        receiver.behave = (channel, sequence, time) =>
          channel === 'n_2' && sequence === 2 && time <= 2 ? behaviour : 'ok';
        await happened(state, 6);
        await delivering(async () => {
          await until(
            () => receiver.arrivals.some(({ sequence, channel }) => channel === 'n_2' && sequence === 6),
            'those behind it',
          );
          for (let time = 0; !(await isDone()) && time < 100; time++) {
            clock.jump(20_000);
            await new Promise((resolve) => setTimeout(resolve, 100));
          }
        });
        check();
        expect(
          receiver.arrivals.filter(({ channel, sequence }) => channel === 'n_2' && sequence === 2),
        ).toHaveLength(3);
        expect(
          receiver.arrivals.every(({ channel, answered }) => channel === 'n_2' || answered === 'ok'),
        ).toBe(true);
      },
    );

    test('that is down for a day gets everything when it is back', async () => {
      await receiver.close();
      const url = receiver.urlOf('').replace(/\/$/, '');
      await happened(state, 6);
      const began = clock.now();
      await delivering(async () => {
        for (let hour = 0; hour < 24; hour++) {
          clock.jump(HOUR_MS);
          await new Promise((resolve) => setTimeout(resolve, 60));
        }
        expect((await state.notifications.backlog()).open).toBe(18);
        receiver = await startReceiver();
        expect(receiver.urlOf('')).not.toBe(url);
        for (let hour = 0; hour < 48 && !(await isDone()); hour++) {
          clock.jump(HOUR_MS);
          await new Promise((resolve) => setTimeout(resolve, 60));
        }
      });
      // Every attempt of the day failed, so no order is promised of what comes after it.
      const wrong = broken(receiver.arrivals, { channels: CHANNELS, sequences: SEQUENCES });
      expect(wrong.filter((each) => !each.includes('out of order'))).toEqual([]);
      expect(problems).toEqual([]);
      expect(clock.now() - began).toBeLessThan(73 * HOUR_MS);
    });

    test('that is gone for good is a dead letter, which is sent again under its id', async () => {
      receiver.behave = (channel) => (channel === 'n_1' ? 410 : 'ok');
      await happened(state, 6);
      await delivering(() => until(isDone, 'all ended'));
      const dead = await state.notifications.deliveries({ statuses: ['dead'], limit: 10 });
      expect(dead.map(({ subscriber }) => subscriber)).toEqual(SEQUENCES.map(() => 'channel:n_1'));
      receiver.behave = () => 'ok';
      await delivering(async () => {
        const ids = dead.map(({ id }) => id);
        expect(await state.notifications.revive({ ids, statuses: ['dead'], now: clock.now() })).toHaveLength(
          6,
        );
        await until(isDone, 'redriven');
      });
      expect(broken(receiver.arrivals, { channels: CHANNELS, sequences: SEQUENCES })).toEqual([]);
    });

    test('hears from two processes as from one', async () => {
      await happened(state, 3);
      const other = await store.open(place);
      try {
        await delivering(async () => {
          await append(state, 3);
          await until(isDone, 'six events by two');
        }, [state, other]);
      } finally {
        await other.close();
      }
      check();
      expect(receiver.arrivals).toHaveLength(CHANNELS.length * SEQUENCES.length);
    });

    test.skipIf(!/sqlite/.test(String(store.program)))('hears nothing of what was rolled back', async () => {
      await happened(state, 2);
      const raw = new DatabaseSync(place);
      try {
        await delivering(async () => {
          for (let time = 0; time < 5; time++) {
            raw.exec('BEGIN IMMEDIATE');
            raw.exec(
              'INSERT INTO events (at, event, data) VALUES (1, \'dq.failed\', \'{"check": "rolled/back"}\')',
            );
            raw.exec('ROLLBACK');
            await new Promise((resolve) => setTimeout(resolve, 30));
          }
          await append(state, 4);
          await until(isDone, 'what was committed');
        });
      } finally {
        raw.close();
      }
      check();
      expect(receiver.arrivals).toHaveLength(CHANNELS.length * SEQUENCES.length);
    });
  });
});

describe('the wait after a failed attempt', () => {
  test('grows to a day, has a part by chance, obeys the receiver up to a day, and ends', () => {
    const at = (attempted: number, chance = 0, retryAfterMs?: number) =>
      retryTime(attempted, { now: 0, chance, retryAfterMs });
    expect(RETRY_WAITS.map((_, index) => at(index + 1))).toEqual(RETRY_WAITS);
    expect(RETRY_WAITS.at(-1)).toBe(24 * HOUR_MS);
    expect(at(6, 0.999)).toBeLessThan(HOUR_MS);
    expect(at(6, 0.999)).toBeGreaterThan(0.74 * HOUR_MS);
    expect(at(1, 0, 7_000)).toBe(7_000);
    expect(at(1, 0, 99 * HOUR_MS)).toBe(24 * HOUR_MS);
    expect(at(RETRY_WAITS.length + 1)).toBeUndefined();
  });
});
