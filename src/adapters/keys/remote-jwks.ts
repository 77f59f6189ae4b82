/*
 * The keys that an issuer publishes. They are asked for at the one address that the configuration names, never at one that
 * a token or a redirect names, and never more often than a caller who makes tokens up should be able to cause:
 *
 *   older than 5 minutes, or a key is missing ─▶ one fetch for all who wait, no other for 30 s (5 s when it failed)
 *   the issuer cannot be reached              ─▶ what was fetched last counts for an hour, then nothing does
 */

import type { KeySet, PublishedKeys } from '../../domain/published-keys.ts';

const FRESH_MS = 5 * 60_000;
const KEPT_MS = 3_600_000;
const COOLDOWN_MS = 30_000;
const FAILED_COOLDOWN_MS = 5000;
const TIMEOUT_MS = 5000;
const BYTES_MAX = 262_144;
const KEYS_MAX = 100;

export const remoteJwks = (
  url: string,
  now: () => number,
  onProblem: (problem: string) => void,
): PublishedKeys => new RemoteJwks(url, now, onProblem);

class RemoteJwks implements PublishedKeys {
  readonly #url: string;
  readonly #now: () => number;
  readonly #onProblem: (problem: string) => void;
  #keys: KeySet | undefined;
  #fetchedAt = Number.NEGATIVE_INFINITY;
  #quietUntil = Number.NEGATIVE_INFINITY;
  #fetching: Promise<void> | undefined;

  constructor(url: string, now: () => number, onProblem: (problem: string) => void) {
    this.#url = url;
    this.#now = now;
    this.#onProblem = onProblem;
  }

  /** Fetched when what is here is old; undefined when there is nothing that counts. */
  async keys(): Promise<KeySet | undefined> {
    if (this.#age() >= FRESH_MS) await this.#fetch();
    return this.#age() < KEPT_MS ? this.#keys : undefined;
  }

  /** What may have been published since `seen`, in which a key was missing; undefined when nothing has. */
  async newerThan(seen: KeySet): Promise<KeySet | undefined> {
    if (this.#keys === seen) await this.#fetch();
    return this.#keys === seen ? undefined : this.#keys;
  }

  #age(): number {
    return this.#now() - this.#fetchedAt;
  }

  async #fetch(): Promise<void> {
    if (this.#fetching === undefined && this.#now() < this.#quietUntil) return;
    this.#fetching ??= this.#replace().finally(() => {
      this.#fetching = undefined;
    });
    await this.#fetching;
  }

  async #replace(): Promise<void> {
    try {
      this.#keys = await published(this.#url);
      this.#fetchedAt = this.#now();
      this.#quietUntil = this.#now() + COOLDOWN_MS;
    } catch (error) {
      this.#quietUntil = this.#now() + FAILED_COOLDOWN_MS;
      const cause = (error as Error).cause;
      this.#onProblem(
        `the keys at ${this.#url} cannot be had: ${(error as Error).message}${cause instanceof Error ? ` (${cause.message})` : ''}`,
      );
    }
  }
}

async function published(url: string): Promise<KeySet> {
  const answer = await fetch(url, {
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
    headers: { accept: 'application/jwk-set+json, application/json' },
  });
  if (answer.status !== 200) {
    await answer.body?.cancel();
    throw new Error(`the answer is ${answer.status}`);
  }
  const parsed = JSON.parse(await boundedText(answer)) as { readonly keys?: unknown } | null;
  const keys = parsed?.keys;
  if (!Array.isArray(keys) || keys.some((key) => typeof key !== 'object' || key === null))
    throw new Error('the answer is not a set of keys');
  if (keys.length > KEYS_MAX) throw new Error(`the set has more than ${KEYS_MAX} keys`);
  return { keys };
}

/** Ends the connection where a body goes on beyond the bound. */
async function boundedText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > BYTES_MAX) throw new Error(`the answer is longer than ${BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
