import type { Clock } from '../../src/domain/clock.ts';

/** A clock that a test moves. */
export interface FakeClock extends Clock {
  /** Moves on, waking sleepers one after another at their times; what they do in between is finished first. */
  advance(ms: number): Promise<void>;
  /** Moves at once, as when a machine was asleep: every sleeper whose time has passed wakes afterwards. */
  jump(ms: number): Promise<void>;
  /** Until nothing more happens by itself. */
  settle(): Promise<void>;
}

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
}

export function fakeClock(start: number): FakeClock {
  let now = start;
  const sleepers = new Set<Sleeper>();
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 6; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  const advance = async (ms: number): Promise<void> => {
    const target = now + ms;
    await settle();
    for (;;) {
      const next = [...sleepers].reduce(
        (least, { until }) => Math.min(least, until),
        Number.POSITIVE_INFINITY,
      );
      if (next > target) break;
      now = Math.max(now, next);
      for (const sleeper of [...sleepers]) if (sleeper.until <= now) sleeper.wake();
      await settle();
    }
    now = target;
  };
  return {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted === true) return resolve();
        const sleeper: Sleeper = {
          until: now + ms,
          wake: () => {
            sleepers.delete(sleeper);
            signal?.removeEventListener('abort', sleeper.wake);
            resolve();
          },
        };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', sleeper.wake);
      }),
    advance,
    jump: async (ms) => {
      await settle();
      now += ms;
      await advance(0);
    },
    settle,
  };
}
