/*
 * Which folder is authoritative when one server serves several. The owner of a folder owns its state, and could write any user
 * into it, so what a state says of people counts
 *
 *   of the tenant of its own product      in every folder
 *   of tenants that have no folder here   in the first one, the platform's home
 *   of administrators of the platform     in the first one
 *
 * and nowhere else (docs/decisions/0008-whose-word-counts.md).
 */
import type { Principal } from '../../domain/principal.ts';
import type { Platform, Product } from '../platform.ts';

type Served = Pick<Platform, 'products' | 'lost'>;

/** Whether what a folder keeps about the people of a tenant counts. */
export function speaksFor(served: Served, product: Product, tenant: string): boolean {
  if (product.tenant === tenant) return true;
  // A folder whose state is damaged still has its tenant: no other folder is authoritative for it meanwhile.
  return (
    isHome(served, product) && [...served.products, ...served.lost].every((each) => each.tenant !== tenant)
  );
}

/** The folder that keeps the platform's own administrators. */
export function isHome({ products }: Pick<Served, 'products'>, product: Product): boolean {
  return products[0] === product;
}

/** A principal with the rights that its folder may give; undefined when it may give none. */
export function trusted(served: Served, product: Product, principal: Principal): Principal | undefined {
  if (!speaksFor(served, product, principal.tenant)) return undefined;
  if (!principal.isPlatformAdmin || isHome(served, product)) return principal;
  return { ...principal, isPlatformAdmin: false };
}
