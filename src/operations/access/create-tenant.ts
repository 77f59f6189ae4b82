import { failure } from '../../domain/failure.ts';
import { TENANT_NAME } from '../../domain/names.ts';
import type { Tenant } from '../../domain/principal.ts';
import { type AccessContext, audit, checkName } from './access-context.ts';
import type { Directory } from './directory.ts';
import { listTenants } from './list-tenants.ts';

export async function createTenant(context: AccessContext, name: string): Promise<Tenant> {
  checkName('A tenant', name, TENANT_NAME);
  const tenant = { name, createdAt: context.now };
  if (!(await context.principals.createTenant(tenant, audit(context, name, 'tenant.create', name))))
    throw failure('access.exists', { what: 'The tenant', name });
  return tenant;
}

/** In the folder where what is new to it goes; refused when any folder knows the tenant. */
export async function createTenantAtHome(directory: Directory, name: string): Promise<Tenant> {
  if ((await listTenants(directory)).some((tenant) => tenant.name === name))
    throw failure('access.exists', { what: 'The tenant', name });
  return createTenant(directory.context(directory.homeOf(name)), name);
}
