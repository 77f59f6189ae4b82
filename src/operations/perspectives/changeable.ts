import { isExpected, perspectiveTag } from '../../domain/entity-tag.ts';
import { failure } from '../../domain/failure.ts';
import { mayChange, type Perspective } from '../../domain/perspective.ts';
import type { Identity } from '../../domain/principal.ts';
import type { Product } from '../platform.ts';
import { findPerspective } from './find-perspective.ts';
import { viewerOf } from './viewer-of.ts';

/** A perspective that the caller may change, as it is; throws `access.forbidden`, and `perspective.changed` when it is not as expected. */
export async function changeable(
  product: Product,
  asker: Identity,
  { slug, expected }: { readonly slug: string; readonly expected?: readonly string[] | undefined },
): Promise<Perspective> {
  const viewer = viewerOf(product, asker);
  const before = await findPerspective(product, viewer, slug);
  if (!mayChange(before, viewer)) throw failure('access.forbidden', {});
  if (!isExpected(perspectiveTag(before), expected)) throw failure('perspective.changed', { slug });
  return before;
}
