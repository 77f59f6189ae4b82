/** Who is to blame when the process grows too large: only what was there while it grew. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { KeeperSession } from './keeper-session.ts';
import { watchMemory } from './keeper-watch.ts';
import type { WireError } from './keeper-wire.ts';

const LIMIT = 1_000;
let resident = 0;
let sessions: readonly KeeperSession[] = [];
let stops: WireError[] = [];

/** A session that runs a query; its next call is another's. */
function session(): KeeperSession {
  return {
    running: {},
    isReading: true,
    stop: (error: WireError) => stops.push(error),
    blame: () => undefined,
  } as unknown as KeeperSession;
}
const tick = () => vi.advanceTimersByTime(50);

beforeEach(() => {
  [resident, sessions, stops] = [0, [], []];
  vi.useFakeTimers();
  vi.spyOn(process.memoryUsage, 'rss').mockImplementation(() => resident);
  watchMemory({ residentMax: LIMIT, running: () => sessions, end: () => undefined });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

test('a statement that was alone while it grew may not be done again', () => {
  sessions = [session()];
  tick();
  resident = 2 * LIMIT;
  tick();
  expect(stops.map(({ isRetryable }) => isRetryable)).toEqual([false]);
});

test('one that began when another had just ended is not to blame, also on the session of the other', () => {
  for (const takesOver of [(): KeeperSession => session(), (before: KeeperSession) => before]) {
    [resident, stops] = [0, []];
    const greedy = session();
    sessions = [greedy];
    tick();
    const next = takesOver(greedy);
    Object.assign(next, { running: {} });
    [sessions, resident] = [[next], 2 * LIMIT];
    tick();
    tick();
    expect(stops.map(({ isRetryable }) => isRetryable)).toEqual([true, true]);
  }
});

test('one that came after the process had grown without any is not to blame', () => {
  tick();
  [sessions, resident] = [[session()], 2 * LIMIT];
  tick();
  expect(stops.map(({ isRetryable }) => isRetryable)).toEqual([true]);
});
