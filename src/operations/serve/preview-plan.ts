import type { PlanOptions } from '../../domain/plan.ts';
import { environmentOf } from '../open-world.ts';
import type { Product } from '../platform.ts';
import { planElsewhere } from './plan-elsewhere.ts';
import { servedFolder } from './served-folder.ts';

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
  const work = {
    ...servedFolder(product),
    who: request.who,
    environment: environmentOf(product.world.config, request.environment),
    options: request.options,
  };
  return planElsewhere(product, work, request.signal);
}
