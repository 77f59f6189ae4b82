import type { Plan } from '../../domain/plan.ts';
import { planCreated } from '../../domain/plan-created.ts';
import { widerAccessOf } from '../access/wider-access.ts';
import type { OpenedWorld } from '../open-world.ts';

/** Stores a plan, with what it lets callers see more of, and the event that it was made. */
export async function storePlan(world: OpenedWorld, drafted: Plan, who: string): Promise<Plan> {
  const wider = await widerAccessOf(world, drafted);
  const plan: Plan = { ...drafted, ...(wider.length === 0 ? {} : { widerAccess: wider }) };
  await world.state.snapshots.savePlan(plan, who, [planCreated(plan, who)]);
  return plan;
}
