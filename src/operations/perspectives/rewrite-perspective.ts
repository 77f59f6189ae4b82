import { brokenPerspectives } from '../../compiler/semantic/perspectives/broken-perspectives.ts';
import type { RenamedMember } from '../../compiler/semantic/perspectives/renamed-members.ts';
import { failure } from '../../domain/failure.ts';
import type { PerspectiveQuery } from '../../domain/perspective.ts';
import type { Identity } from '../../domain/principal.ts';
import { askedSideOf } from '../../runtime/execute/asked-side.ts';
import type { Directory } from '../access/directory.ts';
import { environmentOf } from '../open-world.ts';
import type { Product } from '../platform.ts';
import { changePerspective } from './change-perspective.ts';
import { changeable } from './changeable.ts';
import type { PerspectiveAnswer } from './perspective-fields.ts';

/** How many promotions are looked back for one by which the perspective could be asked. */
const PROMOTIONS_LOOKED_AT = 50;

export interface Rewrite {
  readonly answer: PerspectiveAnswer;
  readonly query: PerspectiveQuery;
  readonly renames: readonly RenamedMember[];
}

/** Gives a perspective that a rename broke the new names. Throws `perspective.not-broken` when no rename explains it. */
export async function rewritePerspective(
  directory: Directory,
  { product, asker }: { readonly product: Product; readonly asker: Identity },
  slug: string,
): Promise<Rewrite> {
  const perspective = await changeable(product, asker, { slug });
  const { world } = product;
  const name = environmentOf(world.config, undefined);
  const [present, ...earlier] = await world.state.snapshots.promotions(name, PROMOTIONS_LOOKED_AT);
  const after = present && (await askedSideOf(world, present.environment));
  for (const { environment } of after === undefined ? [] : earlier) {
    const before = await askedSideOf(world, environment);
    if (before === undefined || after === undefined) continue;
    const [broken] = brokenPerspectives([perspective], { before, after });
    if (broken?.rewrite === undefined) continue;
    const { query, renames } = broken.rewrite;
    const answer = await changePerspective(directory, { product, asker }, { slug, fields: { query } });
    return { answer, query, renames };
  }
  throw failure('perspective.not-broken', { slug });
}
