import { Failure, failure } from '../../domain/failure.ts';
import type { Product } from '../platform.ts';
import type { PlanAnswer, PlanWork } from './plan-work.ts';

/** Plans of one product are made one after the other; more than so many do not wait. */
const WAITING_MAX = 8;

/** Plans in its own process, when those before it are done; the process ends with the plan, or when the caller has disconnected. */
export async function planElsewhere(
  { ongoing: { plans }, workspace }: Product,
  work: PlanWork,
  signal: AbortSignal,
): Promise<Extract<PlanAnswer, { kind: 'planned' | 'refused' }>> {
  if (plans.length >= WAITING_MAX) throw failure('activity.too-many-plans', { count: plans.length });
  const found = await plans.run(() =>
    workspace.askProcess('operations/serve/plan-worker', work, { folder: work.folder, signal }),
  );
  if ('lastWords' in found) throw new Error(`the process that plans: ${found.lastWords}`);
  const answer = found.answer as PlanAnswer;
  if (answer.kind === 'failed') throw new Failure(answer.diagnostic);
  if (answer.kind === 'bug') throw new Error(`the process that plans: ${answer.detail}`);
  return answer;
}
