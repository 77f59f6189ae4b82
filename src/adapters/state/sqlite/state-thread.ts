/*
 * The caller's side of the thread: questions go out with a number, answers come back with it. Idle, the thread does not
 * keep the process alive.
 */
import { Worker } from 'node:worker_threads';
import { workerUrl } from '../../../foundation/worker-url.ts';
import type { OperationName } from '../sql/operations.ts';
import { StateProblem } from '../sql/state-problem.ts';
import type { StateReply, StateRequest, StateThreadData } from './state-thread-protocol.ts';

export interface StateThread {
  /** The file is open; rejected when the thread could not start. */
  readonly ready: Promise<void>;
  ask(name: OperationName, given: readonly unknown[]): Promise<unknown>;
  /** After everything asked is answered. */
  close(): Promise<void>;
  /** At once: for a thread that nothing was asked of. */
  abandon(): Promise<void>;
}

export function startStateThread(data: StateThreadData): StateThread {
  const worker = new Worker(workerUrl('adapters/state/sqlite/sqlite-state-worker'), {
    workerData: data,
    name: 'plinth-state',
  });
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: unknown) => void }>();
  let lastId = 0;
  let lost: Error | undefined;
  let outgoing: StateRequest[] = [];
  worker.unref();

  const post = (requests: readonly StateRequest[]): void => {
    try {
      worker.postMessage(requests);
    } catch (error) {
      // Something in it cannot be copied: whose it is is found by sending each alone.
      if (requests.length > 1) for (const request of requests) post([request]);
      else for (const { id } of requests) settle({ kind: 'bug', id, error });
    }
  };
  const flush = (): void => {
    const requests = outgoing;
    outgoing = [];
    post(requests);
  };

  const send = (make: (id: number) => StateRequest): Promise<unknown> => {
    if (lost !== undefined) return Promise.reject(lost);
    const id = ++lastId;
    return new Promise((resolve, reject) => {
      // Only unanswered questions keep the process alive.
      if (waiting.size === 0) worker.ref();
      waiting.set(id, { resolve, reject });
      // After all that goes on in this turn: the end of one statement and the beginning of the next are one message.
      if (outgoing.push(make(id)) === 1) process.nextTick(flush);
    });
  };
  const settle = (reply: Exclude<StateReply, { kind: 'ready' }>): void => {
    const question = waiting.get(reply.id);
    waiting.delete(reply.id);
    if (waiting.size === 0) worker.unref();
    if (reply.kind === 'answer') question?.resolve(reply.value);
    else if (reply.kind === 'bug') question?.reject(reply.error);
    else question?.reject(new StateProblem(reply.code, reply.parameters));
  };

  const ready = new Promise<void>((resolve, reject) => {
    const fail = (error: Error): void => {
      lost = error;
      for (const question of waiting.values()) question.reject(error);
      waiting.clear();
      reject(error);
    };
    worker.on('message', (replies: readonly StateReply[]) => {
      for (const reply of replies)
        if (reply.kind === 'ready') resolve();
        else settle(reply);
    });
    worker.on('error', fail);
    worker.on('exit', () => fail(new Error('the thread of the state store has ended')));
  });
  return {
    ready,
    ask: (name, given) => send((id) => ({ kind: 'ask', id, name, given })),
    close: async () => {
      await send((id) => ({ kind: 'close', id }));
      await worker.terminate();
    },
    abandon: async () => {
      await worker.terminate();
    },
  };
}
