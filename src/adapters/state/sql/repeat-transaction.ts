/** How transactions on a server are repeated that raced with others, or lost their connection. */
import { setTimeout as sleep } from 'node:timers/promises';

/** What becomes of a transaction that failed: it is repeated at once, on another connection, or not at all. */
export type Failing = 'raced' | 'lost' | 'busy' | 'refused';

export interface Repeating {
  failingOf(error: unknown): Failing;
  /** How long a server may be gone, or full, before its failure is thrown. */
  readonly lostAfterMs: number;
}

const TOGETHER_MAX = 2;
const PAUSE_MS = 50;
const PAUSE_MAX_MS = 500;

/** After its last race an attempt is made alone, and must not race. */
export async function repeatTransaction<Result>(
  attempt: (isAlone: boolean) => Promise<Result>,
  { failingOf, lostAfterMs }: Repeating,
): Promise<Result> {
  const until = performance.now() + lostAfterMs;
  let races = 0;
  let pauseMs = PAUSE_MS;
  for (;;) {
    try {
      return await attempt(races >= TOGETHER_MAX);
    } catch (error) {
      const failing = failingOf(error);
      if (failing === 'raced' && races++ < TOGETHER_MAX) continue;
      if ((failing !== 'lost' && failing !== 'busy') || performance.now() >= until) throw error;
    }
    await sleep(pauseMs * (0.5 + Math.random()));
    pauseMs = Math.min(pauseMs * 2, PAUSE_MAX_MS);
  }
}
