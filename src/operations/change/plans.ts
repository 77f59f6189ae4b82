import { failure } from '../../domain/failure.ts';
import type { Plan, PlanOutline } from '../../domain/plan.ts';
import type { PlanRecord } from '../../domain/state-store.ts';
import type { OpenedWorldReader } from '../open-world.ts';

/** Which plans or runs are listed. */
export interface HistoryRequest {
  readonly environment?: string;
  /** Only those with a smaller id. */
  readonly before?: string;
  readonly limit: number;
}

/** One plan by its id with what is known of it besides, for doors that know no files: `plan.not-found` when there is none. */
export async function shownPlan(
  { state }: OpenedWorldReader,
  id: string,
): Promise<{ readonly plan: PlanOutline; readonly record: PlanRecord }> {
  const [[record], plan] = await Promise.all([
    state.snapshots.plans({ id, limit: 1 }),
    state.snapshots.planOutline(id),
  ]);
  if (plan === undefined || record === undefined) throw failure('plan.not-found', { id });
  return { plan, record };
}

/** The same, whole: to be applied. */
export async function knownPlan({ state }: OpenedWorldReader, id: string): Promise<Plan> {
  const found = await state.snapshots.plan(id);
  if (found === undefined) throw failure('plan.not-found', { id });
  return found;
}

/** Plans as they were stored, newest first. */
export function plans(
  { state }: OpenedWorldReader,
  request: HistoryRequest & { readonly status?: PlanRecord['status'] },
): Promise<readonly PlanRecord[]> {
  return state.snapshots.plans(request);
}

/** One plan by its id, whole. */
export async function storedPlan({ state }: OpenedWorldReader, id: string): Promise<Plan> {
  const found = await state.snapshots.plan(id);
  if (found === undefined) throw failure('cli.unknown-plan', { id });
  return found;
}
