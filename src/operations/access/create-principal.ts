import { failure } from '../../domain/failure.ts';
import { TENANT_NAME } from '../../domain/names.ts';
import type { Principal, TenantRole } from '../../domain/principal.ts';
import { newId } from '../new-id.ts';
import { type AccessContext, audit, checkName } from './access-context.ts';
import type { Directory } from './directory.ts';
import { listPrincipals } from './list-principals.ts';
import { isHome } from './trust.ts';

export interface NewPrincipal {
  readonly tenant: string;
  readonly name: string;
  readonly kind: Principal['kind'];
  readonly role?: TenantRole | undefined;
  readonly isPlatformAdmin?: boolean;
  readonly groups: readonly string[];
}

export async function createPrincipal(context: AccessContext, request: NewPrincipal): Promise<Principal> {
  checkName('A tenant', request.tenant, TENANT_NAME);
  checkName('A user', request.name);
  for (const group of request.groups) checkName('A group', group);
  const { role, isPlatformAdmin = false, ...rest } = request;
  const principal: Principal = {
    id: newId('u', context.now),
    ...rest,
    ...(role === undefined ? {} : { role }),
    isPlatformAdmin,
    createdAt: context.now,
  };
  const entry = audit(context, request.tenant, 'principal.create', request.name);
  if (!(await context.principals.createPrincipal(principal, entry)))
    throw failure('access.exists', { what: `In ${request.tenant} the user`, name: request.name });
  return principal;
}

/** In the folder that keeps the people of the tenant. Throws `access.admin-elsewhere`. */
export async function createPrincipalAtHome(directory: Directory, request: NewPrincipal): Promise<Principal> {
  const { tenant, name } = request;
  if ((await listPrincipals(directory, tenant)).some((principal) => principal.name === name))
    throw failure('access.exists', { what: `In ${tenant} the user`, name });
  const home = directory.homeOf(tenant);
  if (request.isPlatformAdmin === true && !isHome(directory.platform, home))
    throw failure('access.admin-elsewhere', { tenant });
  return createPrincipal(directory.context(home), request);
}
