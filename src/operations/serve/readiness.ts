import { Failure } from '../../domain/failure.ts';
import type { OpenedWorldReader } from '../open-world.ts';
import type { ProductReader } from '../product-reader.ts';

/** What a server needs and cannot use at present, and the code that says why. */
export interface Outage {
  readonly what: 'state' | 'warehouse';
  readonly code: string;
}

/** One rule for whatever a product lacks, since the start or since a minute ago: the others go on being served. */
export interface Readiness {
  /** Products whose state and warehouse can be used. */
  readonly usable: number;
  /** Some product can be used, and so can the state of the first folder, which has the principals of the platform. */
  readonly isReady: boolean;
  readonly lacking: readonly Outage[];
}

/** What has not answered by then cannot be used. */
const ANSWER_MS = 2_000;

/**
 * Asks state and warehouse of every product whether they can be used: read and written, with files that are still there. Those who
 * ask at the same time get the same answer: however many probers there are, one look at a time is taken.
 */
export function readinessOf({
  products,
}: {
  readonly products: readonly ProductReader[];
}): () => Promise<Readiness> {
  let looking: Promise<Readiness> | undefined;
  return () => {
    looking ??= readinessIn(products.map(({ world }) => world)).finally(() => {
      looking = undefined;
    });
    return looking;
  };
}

async function readinessIn(worlds: readonly OpenedWorldReader[]): Promise<Readiness> {
  const found = await Promise.all(worlds.map(lackingIn));
  const usable = found.filter((lacks) => lacks.length === 0).length;
  const each = new Map(found.flat().map((lack) => [`${lack.what} ${lack.code}`, lack]));
  return {
    usable,
    isReady: usable > 0 && !found[0]?.some(({ what }) => what === 'state'),
    lacking: [...each].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, lack]) => lack),
  };
}

async function lackingIn({ state, engine, clock }: OpenedWorldReader): Promise<readonly Outage[]> {
  const found = await Promise.all([
    reason(() => state.checkUsable(), clock, 'state.locked').then((code) => lacking('state', code)),
    reason(() => engine.checkUsable(), clock, 'engine.timed-out').then((code) => lacking('warehouse', code)),
  ]);
  return found.flat();
}

const lacking = (what: Outage['what'], code: string | undefined): readonly Outage[] =>
  code === undefined ? [] : [{ what, code }];

/** Why it cannot be used; undefined when it can. Callers who ask for data get more than the code. */
async function reason(
  check: () => Promise<void>,
  clock: OpenedWorldReader['clock'],
  tooSlow: string,
): Promise<string | undefined> {
  const ended = new AbortController();
  try {
    return await Promise.race([
      check().then(() => undefined),
      clock.sleep(ANSWER_MS, ended.signal).then(() => tooSlow),
    ]);
  } catch (error) {
    return error instanceof Failure ? error.code : 'http.bug';
  } finally {
    ended.abort();
  }
}
