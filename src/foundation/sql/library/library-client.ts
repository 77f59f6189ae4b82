/**
 * The way to the SQL library, which is slow to load, can loop forever and can overflow its stack.
 *
 *   ask ─▶ queue ─▶ worker thread (64 MB stack) ─▶ answer
 *                     └─ a watchdog ends it when the time is up; the next question starts a new one
 *
 * One question is in the thread at a time, so that the time limit is that question's own. Idle, the thread does not keep the process alive.
 */
import { Worker } from 'node:worker_threads';
import { workerUrl } from '../../worker-url.ts';
import type { SqlError, SqlResult } from '../sql-error.ts';
import type { LibraryAnswer, LibraryRequest } from './library-protocol.ts';

/** Longer texts are refused before the library sees them. */
export const LIBRARY_TEXT_MAX = 1_000_000;

const START_LIMIT_MS = 30_000;
const STACK_MB = 64;

interface Question {
  readonly request: LibraryRequest;
  readonly limitMs: number;
  readonly settle: (result: SqlResult<unknown>) => void;
}

interface Thread {
  readonly worker: Worker;
  isReady: boolean;
}

/** Asks questions of the library, one at a time, each with its own time limit. */
export interface LibraryClient {
  readonly ask: (request: LibraryRequest, limitMs?: number) => Promise<SqlResult<unknown>>;
  /** Ends the thread; the next question starts another. */
  readonly close: () => Promise<void>;
}

/** A client that gives up on the library. */
export interface LimitedClient extends LibraryClient {
  /** Whether questions are no longer passed on. */
  readonly isSpent: () => boolean;
}

/** Passes questions on until the library did not answer in time this often; then it refuses at once, so that waits do not add up. */
export function limitedClient(client: LibraryClient, timeoutsMax = 3): LimitedClient {
  let timeouts = 0;
  const isSpent = (): boolean => timeouts >= timeoutsMax;
  return {
    isSpent,
    ask: async (request, limitMs) => {
      const message = `the SQL library is not asked any more, because it did not answer ${timeoutsMax} times`;
      if (isSpent()) return { ok: false, error: { kind: 'unsupported', message, span: wholeOf(request) } };
      const result = await client.ask(request, limitMs);
      if (!result.ok && result.error.kind === 'timeout') timeouts++;
      return result;
    },
    close: client.close,
  };
}

/** Five seconds, and one more for every 50,000 characters. */
export function timeLimitMs(text: string): number {
  return 5_000 + Math.ceil(text.length / 50);
}

/** The process needs one; tests make their own. */
export function createLibraryClient(): LibraryClient {
  const queue: Question[] = [];
  let thread: Thread | undefined;
  let current: Question | undefined;
  let timer: NodeJS.Timeout | undefined;

  const finish = (result: SqlResult<unknown>): void => {
    clearTimeout(timer);
    const question = current;
    current = undefined;
    question?.settle(result);
    next();
  };

  const endThread = (): Promise<unknown> => {
    const ended = thread;
    thread = undefined;
    return ended === undefined ? Promise.resolve() : ended.worker.terminate();
  };

  const fail = (error: Omit<SqlError, 'span'>): void => {
    void endThread();
    finish({ ok: false, error: { ...error, span: wholeOf(current?.request) } });
  };

  const start = (): Thread => {
    const worker = new Worker(workerUrl('foundation/sql/library/library-worker'), {
      resourceLimits: { stackSizeMb: STACK_MB },
      execArgv: [],
    });
    const started: Thread = { worker, isReady: false };
    worker.on('message', (answer: LibraryAnswer) => {
      if (thread === started) receive(answer, started);
    });
    worker.on('error', (error) => {
      if (thread !== started) return;
      thread = undefined;
      fail({ kind: 'unsupported', message: `the SQL library ended unexpectedly: ${String(error)}` });
    });
    worker.on('exit', () => {
      if (thread !== started) return;
      thread = undefined;
      if (current !== undefined) fail({ kind: 'unsupported', message: 'the SQL library ended unexpectedly' });
    });
    return started;
  };

  const receive = (answer: LibraryAnswer, from: Thread): void => {
    switch (answer.kind) {
      case 'ready':
        from.isReady = true;
        if (current !== undefined) send(current, from);
        return;
      case 'done':
        finish({ ok: true, value: answer.value });
        return;
      case 'refused': {
        const span =
          answer.start === undefined || answer.end === undefined
            ? wholeOf(current?.request)
            : { start: answer.start, end: answer.end };
        finish({ ok: false, error: { kind: 'syntax', message: answer.message, span } });
        return;
      }
      case 'thrown':
        fail(
          answer.isStack
            ? { kind: 'too-deep', message: 'the query is nested too deeply for the SQL library' }
            : { kind: 'unsupported', message: `the SQL library failed: ${answer.message}` },
        );
    }
  };

  const send = (question: Question, to: Thread): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const seconds = (question.limitMs / 1000).toFixed(question.limitMs < 1000 ? 1 : 0);
      fail({ kind: 'timeout', message: `the SQL library did not answer within ${seconds} s` });
    }, question.limitMs);
    to.worker.postMessage(question.request);
  };

  const next = (): void => {
    if (current !== undefined) return;
    current = queue.shift();
    if (current === undefined) {
      thread?.worker.unref();
      return;
    }
    thread ??= start();
    // Only a thread that owes an answer may keep the process alive.
    thread.worker.ref();
    if (thread.isReady) send(current, thread);
    else {
      timer = setTimeout(
        () => fail({ kind: 'timeout', message: 'the SQL library did not start' }),
        START_LIMIT_MS,
      );
    }
  };

  return {
    ask: (request, limitMs = timeLimitMs(request.text)) => {
      if (request.text.length > LIBRARY_TEXT_MAX) {
        const message = `the query has ${request.text.length} characters; the SQL library reads at most ${LIBRARY_TEXT_MAX}`;
        return Promise.resolve({ ok: false, error: { kind: 'too-long', message, span: wholeOf(request) } });
      }
      return new Promise((settle) => {
        queue.push({ request, limitMs, settle });
        next();
      });
    },
    close: async () => {
      await endThread();
      if (current !== undefined) fail({ kind: 'unsupported', message: 'the SQL library was closed' });
    },
  };
}

const wholeOf = (request: LibraryRequest | undefined): { start: number; end: number } => ({
  start: 0,
  end: request?.text.length ?? 0,
});

let shared: LibraryClient | undefined;

/** The process's one client; its thread starts with the first question. */
export function libraryClient(): LibraryClient {
  shared ??= createLibraryClient();
  return shared;
}
