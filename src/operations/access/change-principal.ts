import type { PrincipalChange } from '../../domain/access-store.ts';
import { failure } from '../../domain/failure.ts';
import type { Principal, TenantRole } from '../../domain/principal.ts';
import { type AccessContext, audit, checkName, settled } from './access-context.ts';
import type { Directory } from './directory.ts';
import { findPrincipal } from './find-principal.ts';
import { isHome } from './trust.ts';

/** `expected`: tags of which it must have one, as `If-Match` gives them. */
type ExpectedChange = PrincipalChange & { readonly expected?: readonly string[] | undefined };

/** Role, groups and administration of the platform; what is absent stays. */
export async function changePrincipal(
  context: AccessContext,
  before: Principal,
  { expected, ...change }: ExpectedChange,
): Promise<Principal> {
  for (const group of change.groups ?? []) checkName('A group', group);
  const { tenant, name } = before;
  const entry = audit(context, tenant, changeWords(change), name);
  settled(
    await context.principals.changePrincipal(before.id, { ...change, expected }, entry),
    'user',
    before.name,
  );
  const { role, ...rest } = before;
  const after = change.role === undefined ? role : (change.role ?? undefined);
  return {
    ...rest,
    ...(after === undefined ? {} : { role: after }),
    groups: change.groups ?? before.groups,
    isPlatformAdmin: change.isPlatformAdmin ?? before.isPlatformAdmin,
  };
}

/** One change of a role alone reads as before: `role.admin`. */
function changeWords({ role, groups, isPlatformAdmin }: PrincipalChange): string {
  const words = [
    ...(role === undefined ? [] : [`role.${role ?? 'none'}`]),
    ...(isPlatformAdmin === undefined ? [] : [`platform-admin.${isPlatformAdmin ? 'give' : 'take'}`]),
    ...(groups === undefined ? [] : [`groups.${groups.join(',')}`]),
  ];
  return words.length === 1 ? (words[0] as string) : `principal.change ${words.join(' ')}`.trim();
}

export async function changeRole(
  context: AccessContext,
  request: { readonly tenant: string; readonly principal: string; readonly role: TenantRole },
): Promise<Principal> {
  const { tenant, principal, role } = request;
  return changePrincipal(context, await findPrincipal(context, tenant, principal), { role });
}

/** In the folder that keeps the principal. Throws `access.admin-elsewhere`. */
export async function changePrincipalAtHome(
  directory: Directory,
  { tenant, name }: Pick<Principal, 'tenant' | 'name'>,
  change: ExpectedChange,
): Promise<Principal> {
  const { home, principal } = await directory.located(tenant, name);
  if (change.isPlatformAdmin === true && !isHome(directory.platform, home))
    throw failure('access.admin-elsewhere', { tenant });
  return changePrincipal(directory.context(home), principal, change);
}
