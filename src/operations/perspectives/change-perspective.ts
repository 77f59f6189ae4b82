import { failure } from '../../domain/failure.ts';
import { namesOf, type Perspective } from '../../domain/perspective.ts';
import type { Identity } from '../../domain/principal.ts';
import type { Directory } from '../access/directory.ts';
import type { Product } from '../platform.ts';
import { changeable } from './changeable.ts';
import { perspectiveEvent } from './perspective-event.ts';
import {
  checkDefinition,
  type PerspectiveAnswer,
  type PerspectiveFields,
  visibilityOf,
} from './perspective-fields.ts';
import { problemsOfAsking } from './perspective-question.ts';
import { newOwner } from './shared-with.ts';
import { takenSlug } from './taken-slug.ts';
import { withFields } from './with-fields.ts';

/** Fields that are absent stay. A new question must be one that the caller can ask now. `owner`: the name of a new one. */
export async function changePerspective(
  directory: Directory,
  { product, asker }: { readonly product: Product; readonly asker: Identity },
  {
    slug,
    expected,
    fields,
    owner,
  }: {
    readonly slug: string;
    readonly expected?: readonly string[] | undefined;
    readonly fields: PerspectiveFields;
    readonly owner?: string | undefined;
  },
): Promise<PerspectiveAnswer> {
  const before = await changeable(product, asker, { slug, expected });
  const { clock, state } = product.world;
  const now = clock.now();
  const { query, params } = fields;
  const isAsked = query !== undefined || params !== undefined;
  const kept = withFields(before, fields);
  const to = owner === undefined ? before.owner : await newOwner(directory, product, owner);
  const isTransferred = to.id !== before.owner.id;
  const next: Perspective = {
    ...kept,
    ...(isAsked ? { writtenBy: asker.principalId } : {}),
    ...(fields.visibility === undefined && fields.principals === undefined
      ? {}
      : {
          visibility: await visibilityOf(directory, product, {
            kind: fields.visibility ?? before.visibility.kind,
            principals: fields.principals,
            before: before.visibility,
          }),
        }),
    owner: to,
    version: before.version + 1,
    changedAt: now,
  };
  // Among the names of another owner a slug may be taken, which is not for the caller to know: it is always another one there.
  const moved =
    isTransferred && namesOf(next) !== ''
      ? { ...next, slug: `${next.slug.slice(0, 60)}-${next.id.slice(2)}` }
      : next;
  checkDefinition(moved);
  const diagnostics = isAsked ? await problemsOfAsking(product, asker, moved) : [];
  if (diagnostics.length > 0) return { kind: 'refused', diagnostics };
  const events = isTransferred
    ? [perspectiveEvent('perspective.transferred', moved, { at: now, more: { from: before.owner } })]
    : [perspectiveEvent('perspective.changed', moved, { at: now })];
  const outcome = await state.perspectives.changePerspective(moved, events);
  if (outcome === 'done') return { kind: 'done', perspective: moved };
  if (outcome === 'taken') return takenSlug(product, moved);
  throw outcome === 'missing'
    ? failure('perspective.unknown', { slug })
    : failure('perspective.changed', { slug });
}
