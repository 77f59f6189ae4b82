/*
 * Memory for answers that are under way, of all doors, products and tenants of the process.
 *
 *   text    ─▶ takes its length      ┐
 *   stream  ─▶ takes what it holds   ┴─▶ room ─▶ given back when the answer is out or its caller has gone
 *
 * A caller has at most half of it. What does not fit is refused before its first byte. Short texts are not counted.
 * A caller that stops to read loses its connection after a while, and so its room.
 */
import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import { knownRequest } from '../known-request.ts';
import { Problem } from './problem.ts';

const SHORT_BYTES = 65_536;
/** What is read, made and not yet taken of a stream, with the buffers of its connection. */
const STREAM_BYTES = 1_048_576;

/** An answer of which nothing was taken is looked at so often before its time is over. */
const LOOKS = 10;

interface Destroyable {
  destroy(): void;
}

export class AnswerRoom {
  readonly #bytesMax: number;
  #bytes = 0;
  readonly #byCaller = new Map<string, number>();

  readonly #stallMs: number;

  /** `stallMs`: how long an answer may stand still. */
  constructor(bytesMax: number, stallMs: number) {
    this.#bytesMax = bytesMax;
    this.#stallMs = stallMs;
  }

  /** Makes room for an answer until it is out; throws 429 when there is none. */
  admit(request: FastifyRequest, reply: FastifyReply, payload: unknown): void {
    // Nothing of it is sent, so nothing of it is made.
    if (request.method === 'HEAD' && isStream(payload)) payload.destroy();
    const bytes = request.method === 'HEAD' ? 0 : bytesOf(reply, payload);
    if (bytes === 0) return;
    const { identity } = knownRequest(request);
    try {
      const giveBack = this.take(identity === undefined ? '' : identity.principalId, bytes);
      reply.raw.once('close', giveBack);
      this.#endWhenStalled(reply.raw);
    } catch (error) {
      if (isStream(payload)) payload.destroy();
      throw error;
    }
  }

  /** An answer that is alone always fits, however large it is. */
  take(caller: string, bytes: number): () => void {
    const own = this.#byCaller.get(caller) ?? 0;
    if (own > 0 && own + bytes > this.#bytesMax / 2) throw this.#full('of this caller take half');
    if (this.#bytes > 0 && this.#bytes + bytes > this.#bytesMax) throw this.#full('take all');
    this.#bytes += bytes;
    this.#byCaller.set(caller, own + bytes);
    return () => {
      this.#bytes -= bytes;
      const left = (this.#byCaller.get(caller) ?? 0) - bytes;
      if (left > 0) this.#byCaller.set(caller, left);
      else this.#byCaller.delete(caller);
    };
  }

  #endWhenStalled(answer: ServerResponse): void {
    const { socket } = answer;
    let written = -1;
    let looks = 0;
    const timer = setInterval(() => {
      const isStill = socket?.bytesWritten === written && (socket?.writableLength ?? 0) > 0;
      looks = isStill ? looks + 1 : 0;
      written = socket?.bytesWritten ?? -1;
      if (looks >= LOOKS) socket?.destroy();
    }, this.#stallMs / LOOKS).unref();
    answer.once('close', () => clearInterval(timer));
  }

  #full(what: string): Problem {
    return new Problem(429, diagnostic('http.too-many-answers', { what, limit: this.#bytesMax }), {
      headers: { 'retry-after': '1' },
    });
  }
}

const isStream = (payload: unknown): payload is Destroyable =>
  typeof (payload as { readonly pipe?: unknown } | null | undefined)?.pipe === 'function';

function bytesOf(reply: FastifyReply, payload: unknown): number {
  if (typeof payload === 'string' || Buffer.isBuffer(payload))
    return payload.length > SHORT_BYTES ? payload.length : 0;
  // Who listens to events holds next to nothing, and for long.
  if (!isStream(payload) || reply.getHeader('content-type') === 'text/event-stream') return 0;
  return STREAM_BYTES;
}
