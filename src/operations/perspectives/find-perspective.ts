import { failure } from '../../domain/failure.ts';
import { PERSPECTIVE_ID, type Perspective, type PerspectiveViewer } from '../../domain/perspective.ts';
import type { ProductReader } from '../product-reader.ts';

/** What a slug or an id means to a viewer, if anything. Throws `perspective.ambiguous`. */
export async function perspectiveIfAny(
  { world }: ProductReader,
  viewer: PerspectiveViewer,
  slug: string,
): Promise<Perspective | undefined> {
  const { perspectives } = world.state;
  if (PERSPECTIVE_ID.test(slug)) return perspectives.perspective(slug, viewer);
  const [first, ...others] = await perspectives.perspectivesNamed(slug, viewer);
  if (first === undefined || others.length === 0) return first;
  const isFirst = first.owner.id === viewer.principalId || first.visibility.kind === 'product';
  if (isFirst) return first;
  const ids = [first, ...others].map(({ id }) => id).join(', ');
  throw failure('perspective.ambiguous', { slug, ids });
}

/** Throws `perspective.unknown` too, the same for what is not there and what the viewer may not see. */
export async function findPerspective(
  product: ProductReader,
  viewer: PerspectiveViewer,
  slug: string,
): Promise<Perspective> {
  const found = await perspectiveIfAny(product, viewer, slug);
  if (found === undefined) throw failure('perspective.unknown', { slug });
  return found;
}
