import { momentOf } from '../../domain/clock.ts';
import type { PlanOptions } from '../../domain/plan.ts';
import { environmentOf } from '../open-world.ts';
import type { Product } from '../platform.ts';
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
  const { workspace, world } = product;
  const executionTime = momentOf(world.clock);
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
