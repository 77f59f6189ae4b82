import type { Grant, ProductRole } from '../../domain/principal.ts';
import type { Product } from '../platform.ts';
import { type AccessContext, audit, checkName, eventsOf, settled } from './access-context.ts';
import type { Directory } from './directory.ts';
import { findPrincipal } from './find-principal.ts';

/** `principal` is a name, or `group:NAME`. A role on a product, or, without one, in the tenant. */
export async function grantRole(
  context: AccessContext,
  request: {
    readonly tenant: string;
    readonly product: string;
    readonly principal: string;
    readonly role: ProductRole;
    readonly expiresAt?: number | undefined;
  },
  expected?: readonly string[] | 'none' | undefined,
): Promise<Grant> {
  const { tenant, product, principal, role, expiresAt } = request;
  if (principal.startsWith('group:')) checkName('A group', principal.slice('group:'.length));
  else await findPrincipal(context, tenant, principal);
  const until = expiresAt === undefined ? {} : { expiresAt };
  const grant: Grant = { tenant, product, principal, role, createdAt: context.now, ...until };
  const reported = {
    audit: audit(context, tenant, `grant.${role}`, `${principal} on ${product}`),
    events: eventsOf(context, tenant, 'grant.given', { principal, product, role }),
  };
  settled(await context.principals.grant(grant, reported, expected), 'grant to', principal);
  return grant;
}

/** Into the state that has the principal, since that one is asked whose a token is; for a group, into all of the tenant. */
export async function grantRoleAtHome(
  directory: Directory,
  { tenant, slug }: Pick<Product, 'tenant' | 'slug'>,
  {
    expected,
    ...given
  }: Pick<Grant, 'principal' | 'role'> & {
    readonly expiresAt?: number | undefined;
    readonly expected?: readonly string[] | 'none' | undefined;
  },
): Promise<Grant> {
  const request = { tenant, product: slug, ...given };
  if (!given.principal.startsWith('group:')) {
    const { home } = await directory.located(tenant, given.principal);
    return grantRole(directory.context(home), request, expected);
  }
  const made = await Promise.all(
    directory.speakersFor(tenant).map((home) => grantRole(directory.context(home), request, expected)),
  );
  return made[0] as Grant;
}
