import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from '../../src/domain/engine.ts';
import { Failure } from '../../src/domain/failure.ts';
import { MUST_NEVER_BE_SEEN } from './kill-project.ts';

/** What a reader saw from when it began until it was stopped. */
export interface Sight {
  readonly answered: number;
  /** Time in which a keeper was there to answer: none is while a killed one is being replaced. */
  readonly ms: number;
  readonly seen: Readonly<Record<string, unknown>>;
}

const LANES = 2;

/** Asks again and again, as a client of the keeper like every other, whether something is seen that must never be seen. */
export function startReader(engine: Engine): { stop(): Promise<Sight> } {
  const seen = new Map<string, unknown>();
  let answered = 0;
  let deafMs = 0;
  let isOver = false;
  const begun = performance.now();

  async function ask(from: number): Promise<void> {
    for (let at = from; !isOver; at++) {
      const asked = performance.now();
      try {
        const { rows } = await engine.query(MUST_NEVER_BE_SEEN[at % MUST_NEVER_BE_SEEN.length] as string);
        answered++;
        for (const [what, count] of rows) if (!seen.has(String(what))) seen.set(String(what), count);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        // Before the first promotion there are no views, and that is an answer.
        if (error.code !== 'engine.statement-failed') deafMs += (performance.now() - asked) / LANES;
        else if (/does not exist/i.test(error.message)) answered++;
        else seen.set('an error', error.message);
        await sleep(3);
      }
    }
  }

  const lanes = Promise.all(Array.from({ length: LANES }, (_, lane) => ask(lane * 4)));
  // Told by `stop`.
  lanes.catch(() => {});
  return {
    async stop() {
      isOver = true;
      await lanes;
      return {
        answered,
        ms: Math.max(1, performance.now() - begun - deafMs),
        seen: Object.fromEntries(seen),
      };
    },
  };
}
