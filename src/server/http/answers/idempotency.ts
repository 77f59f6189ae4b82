/*
 * `Idempotency-Key` on POST: for a day a key stands for the first request of its principal to its address.
 *
 *   same key, same body ─▶ the first answer again (waits for it when this process works on it)
 *   same key, other body ─▶ 422
 *   begun, and no answer kept ─▶ 409; where to repeat it does no harm, it is done again
 *
 * Kept in the state of the product (the platform's in the first), so that a restart forgets nothing. Only what succeeded
 * is kept: what failed has changed nothing, and may be asked again. Secrets are never kept.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AnswerStore, KeptAnswer } from '../../../domain/answer-store.ts';
import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import { hash128 } from '../../../foundation/hash128.ts';
import type { Route } from '../route.ts';
import { Problem } from './problem.ts';

interface Running {
  readonly asked: string;
  readonly answer: Promise<KeptAnswer | undefined>;
  readonly settle: (answer: KeptAnswer | undefined) => void;
}

interface Own {
  readonly name: string;
  readonly store: AnswerStore;
  readonly hasSecret: boolean;
}

/** Who asks what where. */
interface KeyedExchange {
  readonly principal: string;
  readonly store: AnswerStore;
  readonly route: Pick<Route, 'hasSecret' | 'canRepeat'>;
  /** False when the request has to be handled again, whatever was answered. Throws when the caller has no permission for the answer any longer. */
  readonly mayRepeat: (answer: KeptAnswer) => Promise<boolean>;
}

const KEPT_MS = 24 * 3_600_000;
const ANSWER_MAX = 262_144;
const BYTES_MAX = 256 * 1_048_576;
/** How long the answer of another process is waited for, and how often it is looked for. */
const OTHERS_MS = 2_000;
const OTHERS_STEP_MS = 50;
const SWEEP_MS = 600_000;
const SWEEP_AFTER = 1_000;
const KEY = /^[\x21-\x7e]{1,255}$/;
/** Headers that belong to the answer and not to the exchange. */
const HEADERS = ['content-type', 'location', 'etag'];

export class Idempotency {
  readonly #running = new Map<string, Running>();
  readonly #own = new WeakMap<FastifyRequest, Own>();
  readonly #swept = new WeakMap<AnswerStore, { at: number; begun: number }>();
  readonly #now: () => number;
  readonly #worker: string;
  readonly #onProblem: (error: unknown) => void;

  /** `worker` names this process; `onProblem` hears of answers that could not be kept. */
  constructor(now: () => number, worker: string, onProblem: (error: unknown) => void) {
    this.#now = now;
    this.#worker = worker;
    this.#onProblem = onProblem;
  }

  /** Answers a repeated request; undefined when it is to be handled. */
  async replay(request: FastifyRequest, reply: FastifyReply, asking: KeyedExchange): Promise<unknown> {
    const key = keyOf(request);
    if (key === undefined) return undefined;
    const name = hash128(asking.principal, request.method, request.url, key);
    const asked = hash128(JSON.stringify(request.body ?? null));
    for (let running = this.#running.get(name); running !== undefined; running = this.#running.get(name)) {
      if (running.asked !== asked) throw new Problem(422, diagnostic('http.key-reused', {}));
      const answer = await running.answer;
      if (answer !== undefined) return again(reply, answer, asking);
    }
    const { promise, resolve } = Promise.withResolvers<KeptAnswer | undefined>();
    this.#running.set(name, { asked, answer: promise, settle: resolve });
    const answer = await this.#begin(name, asked, asking);
    if (answer !== undefined) return again(reply, answer, asking);
    this.#own.set(request, { name, store: asking.store, hasSecret: asking.route.hasSecret === true });
    return undefined;
  }

  /** Keeps the answer of a request that came with a key, before it is sent. */
  async keep(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<void> {
    const own = this.#own.get(request);
    if (own === undefined) return;
    this.#own.delete(request);
    const answer = answerOf(reply, payload, own);
    try {
      if (answer === undefined) await own.store.drop(own.name, this.#worker);
      else await own.store.keep(own.name, this.#worker, answer);
    } catch (error) {
      // The work is done, and its answer goes out; a repeated request gets the answer that it was begun.
      this.#onProblem(error);
    } finally {
      this.#settle(own.name, answer);
    }
  }

  async #begin(
    name: string,
    asked: string,
    { store, route }: KeyedExchange,
  ): Promise<KeptAnswer | undefined> {
    const at = this.#now();
    let answer: KeptAnswer | undefined;
    let isBegun = false;
    try {
      const begin = (canRepeat: boolean) =>
        store.begin({ name, asked, worker: this.#worker, at }, { canRepeat, since: at - KEPT_MS });
      // Another process may be about to answer it, and this one cannot tell whether it lives: it gets a moment.
      let outcome = await begin(false);
      for (let left = OTHERS_MS / OTHERS_STEP_MS; outcome.kind === 'unfinished' && left > 0; left--) {
        await sleep(OTHERS_STEP_MS);
        outcome = await begin(false);
      }
      if (outcome.kind === 'unfinished' && route.canRepeat === true) outcome = await begin(true);
      this.#sweep(store, at);
      if (outcome.kind === 'other') throw new Problem(422, diagnostic('http.key-reused', {}));
      if (outcome.kind === 'unfinished') throw new Problem(409, diagnostic('http.key-unfinished', {}));
      if (outcome.kind === 'kept') answer = outcome.answer;
      else isBegun = true;
      return answer;
    } finally {
      if (!isBegun) this.#settle(name, answer);
    }
  }

  #settle(name: string, answer: KeptAnswer | undefined): void {
    const running = this.#running.get(name);
    this.#running.delete(name);
    running?.settle(answer);
  }

  /** The caller does not wait for it. */
  #sweep(store: AnswerStore, now: number): void {
    const last = this.#swept.get(store) ?? { at: 0, begun: 0 };
    last.begun++;
    this.#swept.set(store, last);
    if (now - last.at < SWEEP_MS && last.begun < SWEEP_AFTER) return;
    this.#swept.set(store, { at: now, begun: 0 });
    store.sweep({ since: now - KEPT_MS, bytesMax: BYTES_MAX }).catch(this.#onProblem);
  }
}

function keyOf({ headers }: FastifyRequest): string | undefined {
  const given = headers['idempotency-key'];
  if (given === undefined) return undefined;
  if (typeof given === 'string' && KEY.test(given)) return given;
  throw new Problem(422, diagnostic('http.invalid', { count: 'one thing' }), {
    errors: [{ path: 'headers/idempotency-key', message: 'must be 1 to 255 visible ASCII characters' }],
  });
}

async function again(
  reply: FastifyReply,
  answer: KeptAnswer,
  { route, mayRepeat }: Pick<KeyedExchange, 'route' | 'mayRepeat'>,
): Promise<FastifyReply | undefined> {
  const { status, headers, text } = answer;
  const { location } = headers;
  if (!(await mayRepeat(answer))) return undefined;
  if (route.hasSecret === true)
    throw new Problem(409, diagnostic('http.secret-shown', {}), {
      headers: location === undefined ? {} : { location },
    });
  return reply.code(status).headers(headers).header('idempotency-replayed', 'true').send(text);
}

/** Undefined: it is not kept. */
function answerOf(reply: FastifyReply, payload: unknown, { hasSecret }: Own): KeptAnswer | undefined {
  const { statusCode: status } = reply;
  if (status >= 400 || typeof payload !== 'string' || payload.length > ANSWER_MAX) return undefined;
  const headers = Object.fromEntries(
    HEADERS.flatMap((header) => {
      const value = reply.getHeader(header);
      return value === undefined ? [] : [[header, String(value)]];
    }),
  );
  return { status, headers, text: hasSecret ? '' : payload };
}
