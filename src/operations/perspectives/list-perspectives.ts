import type { PerspectiveFilter } from '../../domain/perspective-store.ts';
import type { Identity } from '../../domain/principal.ts';
import type { Product } from '../platform.ts';
import { findPerspective } from './find-perspective.ts';
import { headOf, type ShownPerspective, shownPerspective } from './shown-perspective.ts';
import { viewerOf } from './viewer-of.ts';

/** Newest first, without their questions. */
export async function listPerspectives(
  product: Product,
  asker: Identity,
  filter: Omit<PerspectiveFilter, 'viewer'>,
): Promise<readonly ShownPerspective[]> {
  const viewer = viewerOf(product, asker);
  const { perspectives } = product.world.state;
  const found = await perspectives.perspectives({ ...filter, viewer });
  return found.map((each) => headOf(each, viewer));
}

/** One, with its question when the reader may know it. */
export async function getPerspective(
  product: Product,
  asker: Identity,
  slug: string,
): Promise<ShownPerspective> {
  const viewer = viewerOf(product, asker);
  const perspective = await findPerspective(product, viewer, slug);
  return shownPerspective(product, asker, { perspective, viewer });
}

/** Newest first: versions as they were, for readers who could see them as they were. */
export async function perspectiveVersions(
  product: Product,
  asker: Identity,
  {
    slug,
    ...request
  }: { readonly slug: string; readonly before?: number | undefined; readonly limit: number },
): Promise<readonly ShownPerspective[]> {
  const viewer = viewerOf(product, asker);
  const { id } = await findPerspective(product, viewer, slug);
  const { perspectives } = product.world.state;
  const found = await perspectives.perspectiveVersions(id, { viewer, ...request });
  return Promise.all(found.map((perspective) => shownPerspective(product, asker, { perspective, viewer })));
}
