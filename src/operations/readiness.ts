import type { OpenedWorld } from './open-world.ts';
import type { Platform } from './platform.ts';

/** What a server needs and cannot use at present. */
export type Lacking = 'state' | 'warehouse';

/** What has not answered by then cannot be used. */
const ANSWER_MS = 2_000;

/**
 * Asks state and warehouse of every product whether they can be used: read and written, with files that are still there. Those who
 * ask at the same time are told the same: however many probers there are, one look at a time is taken.
 */
export function readinessOf({ products }: Pick<Platform, 'products'>): () => Promise<readonly Lacking[]> {
  let looking: Promise<readonly Lacking[]> | undefined;
  return () => {
    looking ??= lackingIn(products.map(({ world }) => world)).finally(() => {
      looking = undefined;
    });
    return looking;
  };
}

async function lackingIn(worlds: readonly OpenedWorld[]): Promise<readonly Lacking[]> {
  const found = await Promise.all(
    worlds.flatMap(({ state, engine, clock }) => [
      isUsable(() => state.checkUsable(), clock).then((is): readonly Lacking[] => (is ? [] : ['state'])),
      isUsable(() => engine.checkUsable(), clock).then((is): readonly Lacking[] => (is ? [] : ['warehouse'])),
    ]),
  );
  return [...new Set(found.flat())].sort();
}

async function isUsable(check: () => Promise<void>, clock: OpenedWorld['clock']): Promise<boolean> {
  const ended = new AbortController();
  try {
    return await Promise.race([
      check().then(() => true),
      clock.sleep(ANSWER_MS, ended.signal).then(() => false),
    ]);
  } catch {
    // Why is told to those who ask for data; a prober only learns that it cannot be had.
    return false;
  } finally {
    ended.abort();
  }
}
