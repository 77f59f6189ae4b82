/*
 * Unknown credentials, counted by the address that sends them.
 *
 *   as many as the limit in a minute ─▶ looked up, 401
 *   more ─▶ 429, and the credential is not even looked up: who guesses learns nothing from asking faster
 *
 * Except for credentials that were right before: those who use them wait for no neighbour behind the same address.
 */
import { hash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import { Problem } from '../answers/problem.ts';

/** What one address got wrong in a minute at the doors of one tenant. */
export interface FailedCredentials {
  readonly address: string;
  /** As the path of the requests says; undefined where it names none. */
  readonly tenant: string | undefined;
  readonly count: number;
  /** That of the last one. */
  readonly correlationId: string;
}

export interface CredentialGuardOptions {
  /** Wrong credentials of an address in a minute, in bursts of as many. */
  readonly perMinute: number;
  readonly now: () => number;
  /** Told once a minute, when there is something; must not fail. */
  readonly onFailed: (failed: readonly FailedCredentials[]) => Promise<void>;
}

interface Bucket {
  left: number;
  at: number;
}

const MINUTE_MS = 60_000;
/** Right ones are remembered as long as they are used once a day. */
const KNOWN_MS = 24 * 3_600_000;
const KNOWN_MAX = 10_000;
const ADDRESSES_MAX = 100_000;
/** Entries of a minute; what comes from further addresses is counted together. */
const TOLD_MAX = 1_000;

export class CredentialGuard {
  readonly #options: CredentialGuardOptions;
  readonly #buckets = new Map<string, Bucket>();
  /** When they were right last, by their hash: who reads memory finds no credential in it. */
  readonly #known = new Map<string, number>();
  #failed = new Map<string, FailedCredentials>();
  #telling: NodeJS.Timeout | undefined;
  #swept: number;
  /** For the metrics. */
  readonly counts = { invalid: 0, refused: 0 };

  constructor(options: CredentialGuardOptions) {
    this.#options = options;
    this.#swept = options.now();
  }

  /**
   * Lets a credential be looked up: `find` says whose it is, and undefined that it is unknown. Those under way count as
   * wrong until they are found right, so that many at once do not get around the limit.
   */
  async pass<Found>(
    credential: string,
    from: ReturnType<typeof sourceOf>,
    find: () => Promise<Found | undefined>,
  ): Promise<Found | undefined> {
    const now = this.#options.now();
    if (now - this.#swept > MINUTE_MS) this.#sweep(now);
    const address = networkOf(from.address);
    const bucket = this.#bucketOf(address, now);
    const name = hash('sha256', credential, 'base64url');
    const isTaken = !this.#known.has(name);
    if (isTaken) {
      if (bucket.left < 1) throw this.#tooMany(bucket);
      bucket.left -= 1;
    }
    let found: Found | undefined;
    let isWrong = false;
    try {
      found = await find();
      isWrong = found === undefined;
    } finally {
      // Also when the lookup failed: that is not the fault of the caller.
      if (isTaken && !isWrong) bucket.left += 1;
    }
    if (found === undefined) {
      if (!isTaken) bucket.left = Math.max(0, bucket.left - 1);
      this.#known.delete(name);
      this.counts.invalid++;
      this.#remember({ ...from, address });
    } else if (isTaken || now - (this.#known.get(name) ?? 0) > MINUTE_MS) this.#know(name, now);
    return found;
  }

  /** Reports what is not reported yet; resolves when it is. */
  async tell(): Promise<void> {
    clearTimeout(this.#telling);
    this.#telling = undefined;
    const failed = [...this.#failed.values()];
    this.#failed = new Map();
    if (failed.length > 0) await this.#options.onFailed(failed);
  }

  #bucketOf(address: string, now: number): Bucket {
    const { perMinute } = this.#options;
    let bucket = this.#buckets.get(address);
    if (bucket === undefined) {
      bucket = { left: perMinute, at: now };
      this.#buckets.set(address, bucket);
      const [oldest] = this.#buckets.keys();
      if (this.#buckets.size > ADDRESSES_MAX && oldest !== undefined) this.#buckets.delete(oldest);
    }
    bucket.left = Math.min(perMinute, bucket.left + ((now - bucket.at) / MINUTE_MS) * perMinute);
    bucket.at = now;
    return bucket;
  }

  #tooMany({ left }: Bucket): Problem {
    const { perMinute } = this.#options;
    this.counts.refused++;
    const seconds = Math.ceil(((1 - left) * 60) / perMinute);
    return new Problem(429, diagnostic('auth.too-many', { limit: perMinute }), {
      headers: { 'retry-after': String(Math.max(1, seconds)) },
    });
  }

  #know(name: string, now: number): void {
    // Again at the end: the first is the one that was not used for longest.
    this.#known.delete(name);
    this.#known.set(name, now);
    const [oldest] = this.#known.keys();
    if (this.#known.size > KNOWN_MAX && oldest !== undefined) this.#known.delete(oldest);
  }

  #remember({ address, tenant, correlationId }: Omit<FailedCredentials, 'count'>): void {
    let key = `${tenant ?? ''} ${address}`;
    const isOther = !this.#failed.has(key) && this.#failed.size >= TOLD_MAX;
    if (isOther) key = '';
    const count = (this.#failed.get(key)?.count ?? 0) + 1;
    this.#failed.set(
      key,
      isOther
        ? { address: 'other addresses', tenant: undefined, count, correlationId }
        : { address, tenant, count, correlationId },
    );
    this.#telling ??= setTimeout(() => void this.tell(), MINUTE_MS).unref();
  }

  #sweep(now: number): void {
    this.#swept = now;
    // No lookup takes that long, so none is full by mistake.
    for (const [address, { at }] of this.#buckets) if (now - at > MINUTE_MS) this.#buckets.delete(address);
    for (const [name, at] of this.#known) if (now - at > KNOWN_MS) this.#known.delete(name);
  }
}

/** Where a request comes from, and where it goes. */
export const sourceOf = ({ raw, params, id }: FastifyRequest) => ({
  address: raw.socket.remoteAddress,
  tenant: (params as { readonly tenant?: string } | undefined)?.tenant,
  correlationId: id,
});

/** A host with IPv6 has at least 2^64 addresses: its network is counted. */
export function networkOf(address = 'unknown'): string {
  if (!isIPv6(address)) return address;
  const [, v4] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? [];
  if (v4 !== undefined) return v4;
  const [head = '', tail] = (address.split('%')[0] as string).toLowerCase().split('::');
  const [before, after] = [head, tail ?? ''].map((part) => (part === '' ? [] : part.split(':')));
  const missing = tail === undefined ? 0 : 8 - (before as string[]).length - (after as string[]).length;
  const groups = [
    ...(before as string[]),
    ...Array<string>(Math.max(0, missing)).fill('0'),
    ...(after as string[]),
  ];
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}
