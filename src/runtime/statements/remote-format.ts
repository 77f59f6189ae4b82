/*
 * Formats of long results are made by a few threads, so that those who are answered by this one do not wait for the rows of others.
 *
 *   stream ─ lines ─▶ thread ─ one piece ─▶ stream       a stream asks for its next piece when the one before was taken
 *
 * A thread answers in the order of the questions, and each stream has one question at a time: streams take turns. Threads start with
 * the first long result; idle, they do not keep the process alive. One that dies fails its streams, and the next stream starts another.
 */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { workerUrl } from '../../foundation/worker-url.ts';
import type { FormattedLines } from './format.ts';
import type { FormatSpec } from './format-of.ts';
import type { FormatQuestion, FormatReply } from './format-protocol.ts';

const THREADS_MAX = 2;
/** A larger nursery would only keep dead buffers for longer. */
const NURSERY_MB = 4;

/** A format that is made elsewhere. */
export interface RemoteFormat {
  look(lines: Buffer): Promise<boolean>;
  begin(): Promise<readonly Uint8Array[]>;
  write(lines?: Buffer): Promise<FormattedLines>;
  end(): Promise<readonly Uint8Array[]>;
  /** Forgets it; must be called. */
  drop(): void;
}

type FormatRequest = FormatQuestion extends infer Each
  ? Each extends unknown
    ? Omit<Each, 'id'>
    : never
  : never;

class FormatThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, (reply: FormatReply) => void>();
  #lastId = 0;
  #streams = 0;
  isLost = false;

  constructor() {
    this.#worker = new Worker(workerUrl('runtime/statements/format-worker'), {
      name: 'plinth-format',
      resourceLimits: { maxYoungGenerationSizeMb: NURSERY_MB },
    });
    this.#worker.unref();
    this.#worker.on('message', (reply: FormatReply) => this.#settle(reply));
    this.#worker.on('error', (error) => this.#lose(error));
    this.#worker.on('exit', () => this.#lose(new Error('the thread of formats has ended')));
  }

  get streams(): number {
    return this.#streams;
  }

  open(spec: FormatSpec): RemoteFormat {
    const id = ++this.#lastId;
    if (this.#streams++ === 0) this.#worker.ref();
    const ask = (requested: FormatRequest, lines?: Buffer): Promise<FormatReply> => {
      if (this.isLost) return Promise.reject(new Error('the thread of formats has ended'));
      return new Promise((resolve, reject) => {
        this.#waiting.set(id, (reply) => (reply.error === undefined ? resolve(reply) : reject(reply.error)));
        // A copy: who reads may still need what lies behind these lines in the same memory.
        const own = lines && new Uint8Array(lines);
        this.#post({ id, ...requested, ...(own && { lines: own }) } as FormatQuestion, own?.buffer);
      });
    };
    this.#post({ id, kind: 'open', spec });
    return {
      look: async (lines) => (await ask({ kind: 'look', lines }, lines)).isWanting === true,
      begin: async () => (await ask({ kind: 'begin' })).pieces,
      write: async (lines) => {
        const { isSpent = true, ...written } = await ask({ kind: 'write' }, lines);
        return { ...written, isSpent };
      },
      end: async () => (await ask({ kind: 'end' })).pieces,
      drop: () => {
        this.#waiting.delete(id);
        this.#post({ id, kind: 'drop' });
        if (--this.#streams === 0) this.#worker.unref();
      },
    };
  }

  #post(question: FormatQuestion, memory?: ArrayBuffer): void {
    this.#worker.postMessage(question, memory === undefined ? [] : [memory]);
  }

  #settle(reply: FormatReply): void {
    const settle = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    settle?.(reply);
  }

  #lose(error: Error): void {
    this.isLost = true;
    for (const id of [...this.#waiting.keys()]) this.#settle({ id, pieces: [], error });
  }
}

const threads: FormatThread[] = [];

/** By the thread that has fewest. */
export function remoteFormat(spec: FormatSpec): RemoteFormat {
  threads.splice(0, threads.length, ...threads.filter(({ isLost }) => !isLost));
  const least = threads.toSorted((one, other) => one.streams - other.streams)[0];
  const most = Math.max(1, Math.min(THREADS_MAX, availableParallelism() - 1));
  if (least !== undefined && (least.streams === 0 || threads.length >= most)) return least.open(spec);
  const started = new FormatThread();
  threads.push(started);
  return started.open(spec);
}
