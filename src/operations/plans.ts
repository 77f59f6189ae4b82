import { failure } from '../domain/failure.ts';
import type { Plan } from '../domain/plan.ts';
import type { PlanRecord } from '../domain/state-store.ts';
import type { OpenedWorld } from './open-world.ts';

/** Which plans or runs are listed. */
export interface ListRequest {
  readonly environment?: string;
  readonly limit: number;
}

/** Plans as they were stored, newest first. */
export function plans({ state }: OpenedWorld, request: ListRequest): Promise<readonly PlanRecord[]> {
  return state.snapshots.plans(request);
}

/** One plan by its id, whole. */
export async function storedPlan({ state }: OpenedWorld, id: string): Promise<Plan> {
  const found = await state.snapshots.plan(id);
  if (found === undefined) throw failure('cli.unknown-plan', { id });
  return found;
}
