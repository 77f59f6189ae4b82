import { failure } from '../../domain/failure.ts';
import { targetKey, targetOf } from '../../domain/follower.ts';
import type { Identity } from '../../domain/principal.ts';
import { appliedIfAny } from '../catalog/applied-product.ts';
import { visibleProduct } from '../catalog/visible-product.ts';
import { perspectiveIfAny } from '../perspectives/find-perspective.ts';
import { viewerOf } from '../perspectives/viewer-of.ts';
import type { Product } from '../platform.ts';

/** Throws `notification.no-target` for what the caller may not see, too. */
export async function knownTarget(product: Product, asker: Identity, written: string): Promise<string> {
  const target = targetOf(written);
  if (target === undefined) throw failure('notification.no-target', { target: written });
  if (target.kind === 'product') return targetKey(target);
  if (target.kind === 'perspective') {
    const found = await perspectiveIfAny(product, viewerOf(product, asker), target.name);
    if (found === undefined) throw failure('notification.no-target', { target: written });
    return targetKey({ kind: 'perspective', name: found.id });
  }
  const applied = await appliedIfAny(product, asker, undefined);
  const seen = applied && (await visibleProduct(product, applied, asker));
  const isKnown =
    target.kind === 'model'
      ? seen?.models.some(({ name }) => name === target.name)
      : target.kind === 'metric' && seen?.metrics.some(({ name }) => name.value === target.name);
  if (isKnown !== true) throw failure('notification.no-target', { target: written });
  return targetKey(target);
}
