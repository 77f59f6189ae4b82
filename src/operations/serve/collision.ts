import { basename, isAbsolute } from 'node:path';
import { type Failure, failure } from '../../domain/failure.ts';
import { type Product, productIn } from '../platform.ts';
import { realPlace, statePlace } from '../workspace.ts';

/** What keeps two folders from being served together: statements, events and people of one state are those of one product. */
export function collision(products: readonly Product[], product: Product): Failure | undefined {
  const same = productIn(products)(product.tenant, product.slug);
  const [shared] = products.filter((each) => stateOf(each) === stateOf(product));
  const second = basename(product.workspace.folder);
  if (same !== undefined)
    return failure('server.same-product', {
      product: product.slug,
      first: basename(same.workspace.folder),
      second,
    });
  if (shared === undefined) return undefined;
  return failure('server.same-state', { first: basename(shared.workspace.folder), second });
}

function stateOf({ workspace, world }: Product): string {
  const place = statePlace(world.gateway, workspace.folder);
  return isAbsolute(place) ? (realPlace(place) ?? place) : place;
}
