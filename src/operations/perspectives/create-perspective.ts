import { failure } from '../../domain/failure.ts';
import { type Perspective, slugOf } from '../../domain/perspective.ts';
import { OWNED_MAX } from '../../domain/perspective-store.ts';
import type { Identity } from '../../domain/principal.ts';
import type { Directory } from '../access/directory.ts';
import { newId } from '../new-id.ts';
import type { Product } from '../platform.ts';
import { perspectiveEvent } from './perspective-event.ts';
import {
  checkDefinition,
  type PerspectiveAnswer,
  type PerspectiveFields,
  visibilityOf,
} from './perspective-fields.ts';
import { problemsOfAsking } from './perspective-question.ts';
import { questionOfStatement } from './question-of-statement.ts';
import { takenSlug } from './taken-slug.ts';

/** A new perspective of the caller, from a question or from a statement of theirs. They must be able to ask it now. */
export async function createPerspective(
  directory: Directory,
  { product, asker }: { readonly product: Product; readonly asker: Identity },
  fields: PerspectiveFields & { readonly name: string; readonly statementId?: string | undefined },
): Promise<PerspectiveAnswer> {
  const { clock, state } = product.world;
  const now = clock.now();
  const asked = await questionOf(product, asker, fields);
  const { name, slug = slugOf(name) ?? '', description, visibility: kind = 'private' } = fields;
  const { principals, tags = [], isRefreshed = false } = fields;
  const perspective: Perspective = {
    id: newId('x', now),
    slug,
    name,
    ...(description === undefined || description === null ? {} : { description }),
    ...asked,
    visibility: await visibilityOf(directory, product, { kind, principals }),
    tags: [...new Set(tags)],
    isRefreshed,
    owner: { id: asker.principalId, name: asker.name },
    version: 1,
    createdAt: now,
    changedAt: now,
    writtenBy: asker.principalId,
  };
  checkDefinition(perspective);
  const diagnostics = await problemsOfAsking(product, asker, perspective);
  if (diagnostics.length > 0) return { kind: 'refused', diagnostics };
  const events = [perspectiveEvent('perspective.created', perspective, { at: now })];
  const outcome = await state.perspectives.createPerspective(perspective, events);
  if (outcome === 'taken') return takenSlug(product, perspective);
  if (outcome === 'full') throw failure('perspective.too-many', { owner: asker.name, max: OWNED_MAX });
  return { kind: 'done', perspective };
}

async function questionOf(
  product: Product,
  asker: Identity,
  { query, params, statementId }: PerspectiveFields & { readonly statementId?: string | undefined },
): Promise<Pick<Perspective, 'query' | 'params'>> {
  if ((query === undefined) === (statementId === undefined))
    throw failure('perspective.bad-definition', {
      detail: 'it needs either a query or the id of a statement',
    });
  if (query !== undefined) return { query, params: params ?? [] };
  const asked = await questionOfStatement(product, asker, statementId ?? '');
  return { ...asked, ...(params === undefined ? {} : { params }) };
}
