import { failure } from '../../domain/failure.ts';
import type { Identity } from '../../domain/principal.ts';
import type { Product } from '../platform.ts';
import { changeable } from './changeable.ts';
import { perspectiveEvent } from './perspective-event.ts';

/** With all its versions. */
export async function removePerspective(
  product: Product,
  asker: Identity,
  request: { readonly slug: string; readonly expected?: readonly string[] | undefined },
): Promise<void> {
  const { clock, state } = product.world;
  const perspective = await changeable(product, asker, request);
  const event = perspectiveEvent('perspective.removed', perspective, { at: clock.now() });
  const outcome = await state.perspectives.removePerspective(perspective, [event]);
  const { slug } = request;
  if (outcome === 'missing') throw failure('perspective.unknown', { slug });
  if (outcome !== 'done') throw failure('perspective.changed', { slug });
}
