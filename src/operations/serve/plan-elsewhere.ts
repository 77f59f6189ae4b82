import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { Failure, failure } from '../../domain/failure.ts';
import { NODE_FLAGS } from '../../foundation/node-flags.ts';
import { workerUrl } from '../../foundation/worker-url.ts';
import type { Product } from '../platform.ts';
import type { PlanAnswer, PlanWork } from './plan-request.ts';

/** Plans of one product are made one after the other; more than so many do not wait. */
const WAITING_MAX = 8;

const queues = new WeakMap<Product, { last: Promise<unknown>; length: number }>();

/** Plans in its own process, when those before it are done; the process ends with the plan, or when the caller has disconnected. */
export async function planElsewhere(
  product: Product,
  work: PlanWork,
  signal: AbortSignal,
): Promise<Extract<PlanAnswer, { kind: 'planned' | 'refused' }>> {
  const queue = queues.get(product) ?? { last: Promise.resolve(), length: 0 };
  queues.set(product, queue);
  if (queue.length >= WAITING_MAX) throw failure('activity.too-many-plans', { count: queue.length });
  queue.length++;
  const answer = queue.last.then(() => planned(work, signal)).finally(() => queue.length--);
  // Its failure is for who asked for it, below; the next one begins all the same.
  queue.last = answer.catch(() => undefined);
  const found = await answer;
  if (found.kind === 'failed') throw new Failure(found.diagnostic);
  if (found.kind === 'bug') throw new Error(`the process that plans: ${found.detail}`);
  return found;
}

async function planned(work: PlanWork, signal: AbortSignal): Promise<PlanAnswer> {
  signal.throwIfAborted();
  const child = spawn(
    process.execPath,
    [...NODE_FLAGS, fileURLToPath(workerUrl('operations/serve/plan-worker'))],
    {
      cwd: work.folder,
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      signal,
      killSignal: 'SIGKILL',
    },
  );
  let answer: PlanAnswer | undefined;
  child.once('message', (message) => {
    answer = message as PlanAnswer;
  });
  const ended = new Promise<void>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', () => resolve());
  });
  // It may have ended before it could be asked: then it has no answer.
  child.send(work, () => undefined);
  const [words] = await Promise.all([child.stderr === null ? '' : text(child.stderr), ended]);
  const end = `it ended with ${child.exitCode ?? child.signalCode}`;
  return answer ?? { kind: 'bug', detail: words.trim() || end };
}
