import type { Environment } from '../../domain/environment.ts';
import type { Identity } from '../../domain/principal.ts';
import type { CheckReader } from '../../domain/visible-check.ts';
import { activityAccess } from '../catalog/activity-access.ts';
import { appliedProduct } from '../catalog/applied-product.ts';
import type { ProductReader } from '../product-reader.ts';
import { checkReader } from './check-reader.ts';

/** Quality of one environment, as one caller may know it. */
export interface QualityView {
  readonly environment: Environment;
  readonly reader: CheckReader;
  /** Whether the caller may know that there is such a model. */
  isNamed(model: string): boolean;
}

/** What is hidden from a reader of each model. */
export const hiddenFrom =
  ({ isOpen, hidden }: CheckReader): CheckReader['hidden'] =>
  (model) =>
    isOpen ? 'none' : hidden(model);

/** `environment.unknown` when nothing was ever applied, `policy.environment` to callers who may not query it. */
export async function qualityView(
  product: ProductReader,
  asker: Identity,
  written: string | undefined,
): Promise<QualityView> {
  const { environment } = await appliedProduct(product, asker, written);
  const [{ isNamed }, reader] = await Promise.all([
    activityAccess(product, asker, { environments: [environment.name], runs: [] }),
    checkReader(product, asker, environment.name),
  ]);
  return { environment, reader, isNamed };
}
