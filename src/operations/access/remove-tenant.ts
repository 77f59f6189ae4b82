import { failure } from '../../domain/failure.ts';
import { audit, type Desk } from './desk.ts';
import type { Directory } from './directory.ts';

export async function removeTenant(desk: Desk, name: string): Promise<void> {
  const known = (await desk.principals.tenants()).some((tenant) => tenant.name === name);
  if (!known) throw failure('access.not-found', { what: 'tenant', name });
  if (!(await desk.principals.removeTenant(name, audit(desk, name, 'tenant.remove', name))))
    throw failure('access.has-principals', { name });
}

/** Refused while it has principals or products. */
export async function removeTenantAtHome(directory: Directory, name: string): Promise<void> {
  const { products, lost } = directory.platform;
  if ([...products, ...lost].some(({ tenant }) => tenant === name))
    throw failure('access.has-principals', { name });
  await removeTenant(directory.desk(directory.homeOf(name)), name);
}
