import type { NewEvent } from './event.ts';
import type { Plan } from './plan.ts';

/** The entry of the log for a plan that was made; the changes themselves are in the plan. */
export function planCreated({ id, environment, createdAt, changes, stages }: Plan, who: string): NewEvent {
  const breaking = changes.filter(({ category }) => category === 'breaking').length;
  return {
    at: createdAt,
    event: 'plan.created',
    environment,
    data: { planId: id, who, changes: changes.length, breaking, stages: stages.length },
  };
}
