import type { Config } from './config.ts';
import { includesRole, roleNamed } from './permissions.ts';
import {
  type Grant,
  type Identity,
  isActive,
  type Principal,
  type ProductRole,
  type Scope,
} from './principal.ts';

/** A product, as far as its config.yaml gives roles and groups. */
interface GivingProduct {
  readonly tenant: string;
  readonly slug: string;
  readonly world: { readonly config: Pick<Config, 'users' | 'access'> };
}

/** All that a principal may, from grants and from what the projects' own config.yaml says. */
export function identityOf(
  principal: Principal,
  {
    grants,
    products,
    now,
    scopes,
  }: {
    readonly grants: readonly Grant[];
    readonly products: readonly GivingProduct[];
    /** Grants that have ended by then do not count. */
    readonly now: number;
    readonly scopes?: readonly Scope[] | undefined;
  },
): Identity {
  const own = products.filter(({ tenant }) => tenant === principal.tenant);
  const groups = new Set(principal.groups);
  for (const { world } of own)
    for (const user of world.config.users)
      if (user.username === principal.name) for (const group of user.groups) groups.add(group);
  const names = new Set([principal.name, ...[...groups].map((group) => `group:${group}`)]);
  const productRoles: Record<string, ProductRole> = {};
  const add = (slug: string, text: string): void => {
    const role = roleNamed(text);
    const before = productRoles[slug];
    if (role !== undefined && (before === undefined || includesRole(role, before))) productRoles[slug] = role;
  };
  for (const grant of grants)
    if (grant.tenant === principal.tenant && names.has(grant.principal) && isActive(grant, now))
      add(grant.product, grant.role);
  // config.yaml names users and groups alike.
  for (const { world, slug } of own)
    for (const access of world.config.access)
      if (access.role !== undefined && (names.has(access.principal) || groups.has(access.principal)))
        add(slug, access.role);
  return {
    principalId: principal.id,
    name: principal.name,
    kind: principal.kind,
    tenant: principal.tenant,
    isPlatformAdmin: principal.isPlatformAdmin,
    ...(principal.role === undefined ? {} : { tenantRole: principal.role }),
    productRoles,
    groups: [...groups],
    ...(scopes === undefined ? {} : { scopes }),
  };
}
