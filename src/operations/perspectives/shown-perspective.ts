/*
 * A perspective as one reader may see it. Its words name members and hold values, so they are for
 *
 *   who wrote them                       they know them
 *   readers who could ask it now         as with statements: what counts is who reads, and what policies say at that time
 *
 * To others it is there, with its name and description, and without its question.
 */

import { permits } from '../../domain/permissions.ts';
import { mayChange, type Perspective, type PerspectiveViewer } from '../../domain/perspective.ts';
import type { Identity } from '../../domain/principal.ts';
import type { Product } from '../platform.ts';
import { problemsOfAsking } from './perspective-question.ts';

export interface ShownPerspective extends Omit<Perspective, 'query' | 'params'> {
  /** Absent: withheld from this reader. */
  readonly question?: Pick<Perspective, 'query' | 'params'>;
  readonly isOwn: boolean;
  /** Those who may change it see with whom it is shared. */
  readonly canChange: boolean;
}

/** Without its question: what a list shows. */
export function headOf(perspective: Perspective, viewer: PerspectiveViewer): ShownPerspective {
  const { query: _, params: __, ...head } = perspective;
  return {
    ...head,
    isOwn: perspective.owner.id === viewer.principalId,
    canChange: mayChange(perspective, viewer),
  };
}

export async function shownPerspective(
  product: Product,
  asker: Identity,
  { perspective, viewer }: { readonly perspective: Perspective; readonly viewer: PerspectiveViewer },
): Promise<ShownPerspective> {
  const head = headOf(perspective, viewer);
  const { query, params, writtenBy } = perspective;
  const mayKnow =
    writtenBy === asker.principalId ||
    (permits(asker, 'query:read', product) &&
      (await problemsOfAsking(product, asker, perspective)).length === 0);
  return mayKnow ? { ...head, question: { query, params } } : head;
}
