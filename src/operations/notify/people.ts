/*
 * Who is meant by the ids and names that subscriptions hold. A subscription is kept with the product, its principal wherever the
 * word of a folder counts (access/trust.ts); what they may know is decided by their rights at that moment.
 */
import { identityOf } from '../../domain/identity-of.ts';
import { LOCAL_ADMIN } from '../../domain/local-admin.ts';
import { productRoleOf } from '../../domain/permissions.ts';
import type { Grant, Identity } from '../../domain/principal.ts';
import { Directory } from '../access/directory.ts';
import type { Platform, Product } from '../platform.ts';

/** The principals of a product's tenant, as they are now. */
export interface People {
  /** Undefined when the principal is gone. */
  byId(id: string): Identity | undefined;
  /** Ids of members. */
  membersOf(group: string): readonly string[];
  /** Ids of principals with the role of an owner on the product. */
  readonly owners: readonly string[];
  /** Of a user, an app or a group that a model or metric names as its owner. */
  named(owner: string): readonly string[];
}

export async function peopleOf(platform: Platform, product: Product, now: number): Promise<People> {
  const directory = new Directory(platform, { principalId: '', now });
  const found = new Map<string, Identity>([[LOCAL_ADMIN.principalId, LOCAL_ADMIN]]);
  for (const home of directory.speakersFor(product.tenant)) {
    const grants: readonly Grant[] = await home.world.state.principals.grants({ tenant: product.tenant });
    for (const principal of await directory.principalsIn(home, product.tenant))
      if (!found.has(principal.id))
        found.set(principal.id, identityOf(principal, { grants, products: platform.products, now }));
  }
  const all = [...found.values()];
  const membersOf = (group: string): readonly string[] =>
    all.filter(({ groups }) => groups.includes(group)).map(({ principalId }) => principalId);
  return {
    byId: (id) => found.get(id),
    membersOf,
    owners: all
      .filter(
        (each) => productRoleOf(each, product) === 'owner' && each.productRoles[product.slug] === 'owner',
      )
      .map(({ principalId }) => principalId),
    named: (owner) => [
      ...all.filter(({ name }) => name === owner).map(({ principalId }) => principalId),
      ...membersOf(owner.replace(/^group:/, '')),
    ],
  };
}
