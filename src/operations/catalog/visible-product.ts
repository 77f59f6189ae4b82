import { visibilityOf } from '../../compiler/semantic/access/visibility.ts';
import { visiblePart } from '../../compiler/semantic/access/visible-part.ts';
import { indexOf } from '../../compiler/semantic/semantic-index.ts';
import type { AppliedProduct } from '../../domain/applied-product.ts';
import type { Identity } from '../../domain/principal.ts';
import { callerOf } from '../access/callers.ts';
import { currentContext } from '../ask/statement-contexts.ts';
import { visibleSemantics } from '../ask/visible-semantics.ts';
import type { ProductReader } from '../product-reader.ts';

/** The part that a caller may know of, by the same rules as `visibleSemantics`; the product itself for callers who may see everything. */
export async function visibleProduct(
  product: ProductReader,
  applied: AppliedProduct,
  identity: Identity,
): Promise<AppliedProduct> {
  const { name } = applied.environment;
  const { semantics, isUnreadable } = await currentContext(product, name);
  const caller = callerOf(product, identity);
  if (caller.isUnrestricted) return applied;
  const isPart = isUnreadable || visibilityOf(indexOf(semantics), caller).hidesModels;
  const view = await visibleSemantics(product, identity, applied.environment.name);
  const { parts } = product.caches;
  const before = parts.get(view, (each) => each.applied === applied);
  if (before !== undefined) return before.part;
  const part: AppliedProduct = { ...visiblePart(applied, view), ...(isPart ? { isPart } : {}) };
  parts.set(view, { applied, part });
  return part;
}
