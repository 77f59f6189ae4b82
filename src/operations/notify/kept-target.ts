import { targetKey, targetOf } from '../../domain/follower.ts';
import type { Identity } from '../../domain/principal.ts';
import { perspectiveIfAny } from '../perspectives/find-perspective.ts';
import { viewerOf } from '../perspectives/viewer-of.ts';
import type { Product } from '../platform.ts';

/** As it is kept: perspectives by their ids. What is not there any more can still be named as it was kept. */
export async function keptTarget(product: Product, asker: Identity, written: string): Promise<string> {
  const target = targetOf(written);
  if (target?.kind !== 'perspective') return target === undefined ? written : targetKey(target);
  const found = await perspectiveIfAny(product, viewerOf(product, asker), target.name);
  return targetKey({ kind: 'perspective', name: found?.id ?? target.name });
}
