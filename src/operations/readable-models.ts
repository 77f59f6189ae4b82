import { accessOf } from '../compiler/semantic/policies.ts';
import { modelsBelow } from '../compiler/semantic/rollups/rollup-shape.ts';
import { type Failure, failure } from '../domain/failure.ts';
import { permits, productRoleOf } from '../domain/permissions.ts';
import type { Identity } from '../domain/principal.ts';
import type { Caller } from '../domain/semantic-query.ts';
import type { Product } from './platform.ts';
import { indexOf, type Semantics } from './query.ts';

/** Somebody as policies see them. */
export function callerOf({ kind, isPlatformAdmin, groups }: Identity): Caller {
  return { groups, isUnrestricted: kind === 'local-admin' || isPlatformAdmin };
}

/** Why somebody may not read the rows of a model itself; undefined when they may. It needs a right of its own, and goes around no policy, except for those who keep the product. */
export function readRefusal(
  {
    product,
    asker,
    semantics,
  }: { readonly product: Product; readonly asker: Identity; readonly semantics: Semantics },
  model: string,
  isRollup: boolean,
): Failure | undefined {
  const caller = callerOf(asker);
  if (caller.isUnrestricted) return undefined;
  if (!permits(asker, 'query:models', product)) return failure('policy.no-access', { name: model });
  const role = productRoleOf(asker, product);
  if (role === 'owner' || role === 'editor') return undefined;
  if (isRollup) return failure('policy.no-access', { name: model });
  const index = indexOf(semantics);
  const below = modelsBelow(index, model);
  for (const semantic of index.models.values()) {
    if (!below.includes(semantic.model)) continue;
    const { isDenied, rows, masked } = accessOf(semantic, caller);
    if (isDenied || rows !== undefined || masked.size > 0)
      return failure('policy.model-restricted', { name: model, semantic: semantic.name });
  }
  return undefined;
}
