import { namesOf, type Perspective, slugsLike } from '../../domain/perspective.ts';
import type { Product } from '../platform.ts';
import type { PerspectiveAnswer } from './perspective-fields.ts';

const SUGGESTED = 3;

/** For a caller who may see all that has a slug among the names of the perspective. */
export async function takenSlug(
  { world }: Product,
  perspective: Perspective,
): Promise<Extract<PerspectiveAnswer, { readonly kind: 'taken' }>> {
  const { slug, owner } = perspective;
  const wanted = slugsLike(slug, owner.name);
  const gone = await world.state.perspectives.takenSlugs(namesOf(perspective), wanted);
  return { kind: 'taken', slug, free: wanted.filter((each) => !gone.includes(each)).slice(0, SUGGESTED) };
}
