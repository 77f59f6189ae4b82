import { type Identity, PRODUCT_ROLES, type ProductRole, type Scope, type TenantRole } from './principal.ts';

/** The least role on a product that may do what a scope names. */
const LEAST_ROLE: Readonly<Record<Scope, ProductRole>> = {
  'query:read': 'consumer',
  'query:models': 'consumer',
  'query:read-all': 'owner',
  'metadata:read': 'consumer',
  'activity:read': 'consumer',
  'activity:run': 'editor',
  'quality:run': 'editor',
  'notifications:manage': 'consumer',
  'perspectives:write': 'consumer',
  'tokens:manage': 'consumer',
  admin: 'owner',
};

const RANK: Readonly<Record<ProductRole, number>> = { consumer: 1, editor: 2, owner: 3 };

/** The role that a text names, if any; config.yaml calls a consumer a viewer as well. */
export const roleNamed = (text: string): ProductRole | undefined =>
  text === 'viewer' ? 'consumer' : PRODUCT_ROLES.find((role) => role === text);

/** Whether a role on a product includes all that another one does. */
export const includesRole = (role: ProductRole, other: ProductRole): boolean => RANK[role] >= RANK[other];

/** The role on each product of a tenant that a role in the tenant includes. */
const ROLE_OF_TENANT: Readonly<Record<TenantRole, ProductRole>> = {
  viewer: 'consumer',
  developer: 'editor',
  admin: 'owner',
};

/** Whether a caller has permission for an action on a product; a token never has more rights than its owner, and scopes only limit it. */
export function permits(
  identity: Identity,
  scope: Scope,
  product: { readonly tenant: string; readonly slug: string },
): boolean {
  if (!isInScope(identity, scope)) return false;
  if (identity.isPlatformAdmin) return true;
  const role = productRoleOf(identity, product);
  return role !== undefined && includesRole(role, LEAST_ROLE[scope]);
}

/** The higher of the role granted on the product and the one that the role in its tenant includes. */
export function productRoleOf(
  identity: Identity,
  { tenant, slug }: { readonly tenant: string; readonly slug: string },
): ProductRole | undefined {
  if (identity.tenant !== tenant) return undefined;
  const granted = identity.productRoles[slug];
  const inherited = identity.tenantRole === undefined ? undefined : ROLE_OF_TENANT[identity.tenantRole];
  if (granted === undefined || inherited === undefined) return granted ?? inherited;
  return includesRole(granted, inherited) ? granted : inherited;
}

/** Whether a caller may read (`viewer`) or change (`admin`) what belongs to a tenant. */
export function permitsTenant(identity: Identity, tenant: string, needed: 'viewer' | 'admin'): boolean {
  if (identity.scopes !== undefined && needed === 'admin' && !identity.scopes.includes('admin')) return false;
  if (identity.isPlatformAdmin) return true;
  if (identity.tenant !== tenant) return false;
  return needed === 'viewer' || identity.tenantRole === 'admin';
}

export function isInScope({ scopes }: Identity, scope: Scope): boolean {
  return scopes === undefined || scopes.includes(scope) || scopes.includes('admin');
}
