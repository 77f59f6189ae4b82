import type { Principal } from '../../domain/principal.ts';
import { type AccessContext, audit, settled } from './access-context.ts';
import type { Directory } from './directory.ts';
import { findPrincipal } from './find-principal.ts';

/** `expected`: tags of which it must have one, as `If-Match` gives them. */
export async function removePrincipal(
  context: AccessContext,
  { tenant, name }: Pick<Principal, 'tenant' | 'name'>,
  expected?: readonly string[] | undefined,
): Promise<void> {
  const { id } = await findPrincipal(context, tenant, name);
  const entry = audit(context, tenant, 'principal.remove', name);
  settled(await context.principals.removePrincipal(id, entry, expected), 'user', name);
}

/** In the folder that keeps the principal. */
export async function removePrincipalAtHome(
  directory: Directory,
  { tenant, name }: Pick<Principal, 'tenant' | 'name'>,
  expected?: readonly string[] | undefined,
): Promise<void> {
  const { home } = await directory.located(tenant, name);
  await removePrincipal(directory.context(home), { tenant, name }, expected);
}
