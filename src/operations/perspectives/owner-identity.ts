import { identityOf } from '../../domain/identity-of.ts';
import { LOCAL_ADMIN } from '../../domain/local-admin.ts';
import type { Identity } from '../../domain/principal.ts';
import { trusted } from '../access/trust.ts';
import type { Platform, Product } from '../platform.ts';

/** A principal with the rights that they have now; undefined for one who is gone. */
export async function ownerIdentity(
  platform: Platform,
  { tenant, world }: Product,
  id: string,
): Promise<Identity | undefined> {
  // Perspectives of commands, and of servers without authentication.
  if (id === LOCAL_ADMIN.principalId) return LOCAL_ADMIN;
  const { products } = platform;
  for (const product of products) {
    const { principals } = product.world.state;
    const kept = (await principals.principals({ tenant })).find((each) => each.id === id);
    const principal = kept && trusted(platform, product, kept);
    if (principal === undefined) continue;
    const grants = await principals.grants({ tenant });
    return identityOf(principal, { grants, products, now: world.clock.now() });
  }
  return undefined;
}
