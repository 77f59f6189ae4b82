import type { PlanOutcome } from './plan-input.ts';
import type { PreparedPlan, Unsettled } from './prepare-plan.ts';

/**
 * Prepares and makes a plan until it stands: a table that is not built, or rows that stay behind, change what those who read
 * them are compared with. Each round keeps at least one more model as it is, so there is an end; mostly it is the first.
 */
export async function settledPlan(
  prepare: (unsettled: Unsettled) => PreparedPlan,
  make: (prepared: PreparedPlan) => Promise<PlanOutcome>,
): Promise<{ readonly prepared: PreparedPlan; readonly outcome: PlanOutcome }> {
  let unsettled: Unsettled = { unbuilt: new Map(), behind: new Set() };
  for (;;) {
    const prepared = prepare(unsettled);
    const outcome = await make(prepared);
    const found = outcome.unsettled;
    const before = unsettled.unbuilt.size + unsettled.behind.size;
    unsettled = {
      unbuilt: new Map([...unsettled.unbuilt, ...(found?.unbuilt ?? [])]),
      behind: new Set([...unsettled.behind, ...(found?.behind ?? [])]),
    };
    if (unsettled.unbuilt.size + unsettled.behind.size === before) return { prepared, outcome };
  }
}
