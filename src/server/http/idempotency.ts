/*
 * `Idempotency-Key` on POST: for a day a key stands for the first request of its principal to its address.
 *
 *   same key, same body ─▶ the first answer again (waits for it when it is not there yet)
 *   same key, other body ─▶ 422
 *
 * Kept in memory of this process, the newest ones; answers that say "later" or that the server failed are not kept.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import { hash128 } from '../../foundation/hash.ts';
import { Problem } from './problem.ts';

interface Kept {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

interface Entry {
  readonly body: string;
  readonly at: number;
  readonly answer: Promise<Kept | undefined>;
  readonly settle: (kept: Kept | undefined) => void;
  bytes: number;
}

const KEPT_MS = 24 * 3_600_000;
const ENTRIES_MAX = 10_000;
const BYTES_MAX = 64 * 1_048_576;
const ANSWER_MAX = 1_048_576;
const KEY = /^[\x21-\x7e]{1,255}$/;
/** Headers that belong to the answer and not to the exchange. */
const HEADERS = ['content-type', 'location', 'etag'];

export class Idempotency {
  readonly #entries = new Map<string, Entry>();
  readonly #own = new WeakMap<FastifyRequest, string>();
  readonly #now: () => number;
  #bytes = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Answers a repeated request; undefined when it is to be handled. */
  async replay(request: FastifyRequest, reply: FastifyReply, principal: string): Promise<unknown> {
    const given = request.headers['idempotency-key'];
    if (given === undefined) return undefined;
    if (typeof given !== 'string' || !KEY.test(given))
      throw new Problem(422, diagnostic('http.invalid', { count: 'one thing' }), {
        errors: [{ path: 'headers/idempotency-key', message: 'must be 1 to 255 visible ASCII characters' }],
      });
    const name = `${principal} ${request.url} ${given}`;
    const body = hash128(JSON.stringify(request.body ?? null));
    const known = this.#entries.get(name);
    if (known !== undefined && this.#now() - known.at < KEPT_MS) {
      if (known.body !== body) throw new Problem(422, diagnostic('http.key-reused', {}));
      const kept = await known.answer;
      if (kept !== undefined)
        return reply
          .code(kept.status)
          .headers(kept.headers)
          .header('idempotency-replayed', 'true')
          .send(kept.text);
    }
    this.#begin(request, name, body);
    return undefined;
  }

  /** Keeps the answer of a request that came with a key. */
  keep(request: FastifyRequest, reply: FastifyReply, payload: unknown): void {
    const name = this.#own.get(request);
    if (name === undefined) return;
    this.#own.delete(request);
    const entry = this.#entries.get(name);
    if (entry === undefined) return;
    const { statusCode: status } = reply;
    const isFinal = status < 500 && status !== 429 && status !== 409;
    if (!isFinal || typeof payload !== 'string' || payload.length > ANSWER_MAX) {
      this.#entries.delete(name);
      entry.settle(undefined);
      return;
    }
    const headers = Object.fromEntries(
      HEADERS.flatMap((header) => {
        const value = reply.getHeader(header);
        return value === undefined ? [] : [[header, String(value)]];
      }),
    );
    entry.bytes = payload.length;
    this.#bytes += payload.length;
    entry.settle({ status, headers, text: payload });
    this.#forget();
  }

  #begin(request: FastifyRequest, name: string, body: string): void {
    const { promise, resolve } = Promise.withResolvers<Kept | undefined>();
    this.#entries.delete(name);
    this.#entries.set(name, { body, at: this.#now(), answer: promise, settle: resolve, bytes: 0 });
    this.#own.set(request, name);
    this.#forget();
  }

  /** The oldest go first; who waits for one of them is told to do the work. */
  #forget(): void {
    for (const [name, entry] of this.#entries) {
      const isOld = this.#now() - entry.at >= KEPT_MS;
      if (!isOld && this.#entries.size <= ENTRIES_MAX && this.#bytes <= BYTES_MAX) return;
      this.#entries.delete(name);
      this.#bytes -= entry.bytes;
      entry.settle(undefined);
    }
  }
}
