import { failure } from '../../domain/failure.ts';
import { type AccessContext, audit } from './access-context.ts';
import type { Directory } from './directory.ts';

export async function removeTenant(context: AccessContext, name: string): Promise<void> {
  const known = (await context.principals.tenants()).some((tenant) => tenant.name === name);
  if (!known) throw failure('access.not-found', { what: 'tenant', name });
  if (!(await context.principals.removeTenant(name, audit(context, name, 'tenant.remove', name))))
    throw failure('access.has-principals', { name });
}

/** Refused while it has principals or products. */
export async function removeTenantAtHome(directory: Directory, name: string): Promise<void> {
  const { products, lost } = directory.platform;
  if ([...products, ...lost].some(({ tenant }) => tenant === name))
    throw failure('access.has-principals', { name });
  await removeTenant(directory.context(directory.homeOf(name)), name);
}
