import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from '../../src/domain/engine.ts';
import { Failure } from '../../src/domain/failure.ts';
import { MUST_NEVER_BE_SEEN } from './kill-project.ts';

/** What a reader saw from when it began until it was stopped. */
export interface Sight {
  readonly asked: number;
  readonly answered: number;
  /** All the time. */
  readonly ms: number;
  /** The part of it in which no keeper was there to answer, because it had been killed and the next had not yet answered. */
  readonly deafMs: number;
  readonly seen: Readonly<Record<string, unknown>>;
}

const LANES = 3;

/** Asks again and again, as a client of the keeper like every other, whether something is seen that must never be seen. */
export function startReader(
  engine: Engine,
  { mayBeEmpty }: { readonly mayBeEmpty: boolean },
): { keeperDied(): void; stop(): Promise<Sight> } {
  const seen = new Map<string, unknown>();
  let asked = 0;
  let answered = 0;
  let deafMs = 0;
  let deafSince: number | undefined;
  let isOver = false;
  const begun = performance.now();
  const hear = (): void => {
    answered++;
    if (deafSince !== undefined) deafMs += performance.now() - deafSince;
    deafSince = undefined;
  };

  async function ask(from: number): Promise<void> {
    for (let at = from; !isOver; at++) {
      asked++;
      try {
        const { rows } = await engine.query(MUST_NEVER_BE_SEEN[at % MUST_NEVER_BE_SEEN.length] as string);
        hear();
        for (const [what, count] of rows) if (!seen.has(String(what))) seen.set(String(what), count);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        if (error.code === 'engine.statement-failed') {
          // Before the first promotion there are no views, and that is an answer.
          if (mayBeEmpty && /does not exist/i.test(error.message)) hear();
          else seen.set('an error', error.message);
        }
        await sleep(3);
      }
    }
  }

  const lanes = Promise.all(Array.from({ length: LANES }, (_, lane) => ask(lane * 4)));
  // Told by `stop`.
  lanes.catch(() => {});
  return {
    keeperDied() {
      deafSince ??= performance.now();
    },
    async stop() {
      isOver = true;
      await lanes;
      if (deafSince !== undefined) deafMs += performance.now() - deafSince;
      return {
        asked,
        answered,
        ms: Math.max(1, performance.now() - begun),
        deafMs,
        seen: Object.fromEntries(seen),
      };
    },
  };
}
