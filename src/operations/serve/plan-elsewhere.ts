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

/** Plans in its own process, when those before it are done; the process ends with the plan, or when the caller has disconnected. */
export async function planElsewhere(
  product: Product,
  work: PlanWork,
  signal: AbortSignal,
): Promise<Extract<PlanAnswer, { kind: 'planned' | 'refused' }>> {
  const { plans } = product.underway;
  if (plans.length >= WAITING_MAX) throw failure('activity.too-many-plans', { count: plans.length });
  const found = await plans.run(() => planned(work, signal));
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
