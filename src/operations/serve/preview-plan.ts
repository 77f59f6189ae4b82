import type { PlanOptions } from '../../domain/plan.ts';
import { environmentOf } from '../open-world.ts';
import type { Product } from '../platform.ts';
import { executionTimeOf } from './execution-time-of.ts';
import { planElsewhere } from './plan-elsewhere.ts';

/** Plans what the folder has now; changes nothing, and is stored for `startPlan`. `signal`: the caller has disconnected. */
export async function previewPlan(
  product: Product,
  request: {
    readonly environment: string | undefined;
    readonly options: PlanOptions;
    readonly who: string;
    readonly signal: AbortSignal;
  },
): ReturnType<typeof planElsewhere> {
  const executionTime = executionTimeOf(product);
  const { workspace, world } = product;
  const work = {
    folder: workspace.folder,
    gateway: workspace.gateway,
    // Past the watch over what is read of them: nothing is read here.
    variables: Object.fromEntries(
      Object.entries(Object.getOwnPropertyDescriptors(workspace.variables)).map(([name, { value }]) => [
        name,
        value as string | undefined,
      ]),
    ),
    executionTime,
    who: request.who,
    environment: environmentOf(world.config, request.environment),
    options: request.options,
  };
  return planElsewhere(product, work, request.signal);
}
