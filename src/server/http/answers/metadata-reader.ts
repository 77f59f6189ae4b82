import type { AppliedProduct } from '../../../domain/applied-product.ts';
import { appliedProduct } from '../../../operations/catalog/applied-product.ts';
import { visibleProduct } from '../../../operations/catalog/visible-product.ts';
import type { JsonSchema, ProductCall, Route } from '../route.ts';
import { ENVIRONMENT } from '../schemas/name-schemas.ts';

const ASKED: JsonSchema = { ...ENVIRONMENT, description: 'the default one when absent' };

/** The environment that was asked about. */
export const environmentIn = ({ query }: ProductCall): string | undefined =>
  query['environment'] as string | undefined;

/** The product as it was applied, whatever the caller may see of it. */
export const appliedBy = (call: ProductCall): Promise<AppliedProduct> =>
  appliedProduct(call.product, call.identity, environmentIn(call));

/** As much of the product as the caller may see. */
export async function seenBy(call: ProductCall): Promise<AppliedProduct> {
  const applied = await appliedBy(call);
  return visibleProduct(call.product, applied, call.identity);
}

/** A question of the metadata group, about the default environment or the one that is named. */
export const reader = (
  path: string,
  about: Pick<Route<ProductCall>, 'operationId' | 'summary' | 'answers' | 'query'>,
  handle: Route<ProductCall>['handle'],
): Route<ProductCall> => ({
  method: 'GET',
  path,
  ...about,
  query: { ...about.query, environment: ASKED },
  tag: 'metadata',
  access: 'metadata:read',
  handle,
});
