/** Who may use a product, and the tokens by which they show it. Every change is in the audit log. */

import { randomBytes } from 'node:crypto';
import type { ChangeOutcome, PrincipalChange } from '../../domain/access-store.ts';
import type { NewEvent } from '../../domain/event.ts';
import { failure } from '../../domain/failure.ts';
import { PRINCIPAL_NAME, TENANT_NAME } from '../../domain/names.ts';
import type {
  AuditEntry,
  Grant,
  Principal,
  ProductRole,
  Scope,
  TenantRole,
  Token,
} from '../../domain/principal.ts';
import type { PrincipalStore } from '../../domain/principal-store.ts';
import { tokenHash, tokenText } from '../../domain/token-text.ts';
import { newId } from '../new-id.ts';

/** Where principals are kept, who acts and when. */
export interface Desk {
  readonly principals: PrincipalStore;
  /** The tenant whose product the log of events is about: it says nothing of the people of others. */
  readonly eventsOf: string;
  /** Principal id, or who sits at the command line. */
  readonly actor: string;
  readonly now: number;
  readonly correlationId?: string;
}

/** An entry of the audit log about a change that the desk makes. */
export const audit = (desk: Desk, tenant: string, action: string, target: string): AuditEntry => ({
  at: desk.now,
  tenant,
  actor: desk.actor,
  action,
  target,
  outcome: 'done',
  ...(desk.correlationId === undefined ? {} : { correlationId: desk.correlationId }),
});

/** Throws `access.bad-name`. */
export function checkName(what: string, name: string, pattern = PRINCIPAL_NAME): void {
  if (!pattern.test(name))
    throw failure('access.bad-name', { what, name: JSON.stringify(name.slice(0, 80)) });
}

export async function createTenant(desk: Desk, name: string): Promise<{ readonly name: string }> {
  checkName('A tenant', name, TENANT_NAME);
  const tenant = { name, createdAt: desk.now };
  if (!(await desk.principals.createTenant(tenant, audit(desk, name, 'tenant.create', name))))
    throw failure('access.exists', { what: 'The tenant', name });
  return tenant;
}

export async function removeTenant(desk: Desk, name: string): Promise<void> {
  const known = (await desk.principals.tenants()).some((tenant) => tenant.name === name);
  if (!known) throw failure('access.not-found', { what: 'tenant', name });
  if (!(await desk.principals.removeTenant(name, audit(desk, name, 'tenant.remove', name))))
    throw failure('access.has-principals', { name });
}

export interface NewPrincipal {
  readonly tenant: string;
  readonly name: string;
  readonly kind: Principal['kind'];
  readonly role?: TenantRole | undefined;
  readonly isPlatformAdmin?: boolean;
  readonly groups: readonly string[];
}

export async function createPrincipal(desk: Desk, request: NewPrincipal): Promise<Principal> {
  checkName('A tenant', request.tenant, TENANT_NAME);
  checkName('A user', request.name);
  for (const group of request.groups) checkName('A group', group);
  const { role, isPlatformAdmin = false, ...rest } = request;
  const principal: Principal = {
    id: newId('u', desk.now),
    ...rest,
    ...(role === undefined ? {} : { role }),
    isPlatformAdmin,
    createdAt: desk.now,
  };
  const entry = audit(desk, request.tenant, 'principal.create', request.name);
  if (!(await desk.principals.createPrincipal(principal, entry)))
    throw failure('access.exists', { what: `In ${request.tenant} the user`, name: request.name });
  return principal;
}

/** By name; by id too. */
export async function findPrincipal(desk: Desk, tenant: string, name: string): Promise<Principal> {
  const found = (await desk.principals.principals({ tenant })).find(
    (each) => each.name === name || each.id === name,
  );
  if (found === undefined) throw failure('access.not-found', { what: 'user', name });
  return found;
}

/** `expected`: tags of which it must have one, as `If-Match` gives them. */
export async function removePrincipal(
  desk: Desk,
  { tenant, name }: Pick<Principal, 'tenant' | 'name'>,
  expected?: readonly string[] | undefined,
): Promise<void> {
  const { id } = await findPrincipal(desk, tenant, name);
  const entry = audit(desk, tenant, 'principal.remove', name);
  settled(await desk.principals.removePrincipal(id, entry, expected), 'user', name);
}

/** Role, groups and administration of the platform; what is absent stays. */
export async function changePrincipal(
  desk: Desk,
  before: Principal,
  { expected, ...change }: PrincipalChange & { readonly expected?: readonly string[] | undefined },
): Promise<Principal> {
  for (const group of change.groups ?? []) checkName('A group', group);
  const { tenant, name } = before;
  const entry = audit(desk, tenant, changeWords(change), name);
  settled(
    await desk.principals.changePrincipal(before.id, { ...change, expected }, entry),
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

/** A change that did not happen is a failure of the request. */
export function settled(outcome: ChangeOutcome, what: string, name: string): void {
  if (outcome === 'missing') throw failure('access.not-found', { what, name });
  if (outcome === 'differs') throw failure('access.changed', { what, name });
}

export interface NewToken {
  readonly principal: Principal;
  readonly name: string;
  readonly scopes?: readonly Scope[] | undefined;
  readonly expiresAt?: number | undefined;
  /** The token by which it is made. */
  readonly parentId?: string | undefined;
}

/** The only time the text of the token is known. */
export async function createToken(
  desk: Desk,
  { principal, name, scopes, expiresAt, parentId }: NewToken,
): Promise<{ readonly token: Token; readonly text: string }> {
  const text = tokenText(randomBytes(20));
  const token: Token = {
    id: newId('k', desk.now),
    principalId: principal.id,
    name,
    hash: tokenHash(text),
    ...(parentId === undefined ? {} : { parentId }),
    ...(scopes === undefined ? {} : { scopes }),
    createdAt: desk.now,
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
  await desk.principals.createToken(
    token,
    audit(desk, principal.tenant, 'token.create', token.id),
    eventsOf(desk, principal.tenant, 'token.created', { id: token.id, principal: principal.name, name }),
  );
  return { token, text };
}

/** None when the log is about the product of another tenant. */
export function eventsOf(
  desk: Desk,
  tenant: string,
  event: string,
  data: Readonly<Record<string, unknown>>,
): readonly NewEvent[] {
  return tenant === desk.eventsOf ? [{ at: desk.now, event, data }] : [];
}

export async function revokeToken(desk: Desk, tenant: string, id: string): Promise<void> {
  const isRevoked = await desk.principals.revokeToken(
    { tenant, id, at: desk.now },
    audit(desk, tenant, 'token.revoke', id),
    eventsOf(desk, tenant, 'token.revoked', { id }),
  );
  if (!isRevoked) throw failure('access.not-found', { what: 'valid token', name: id });
}

/** `principal` is a name, or `group:NAME`. A role on a product, or, without one, in the tenant. */
export async function grantRole(
  desk: Desk,
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
  else await findPrincipal(desk, tenant, principal);
  const until = expiresAt === undefined ? {} : { expiresAt };
  const grant: Grant = { tenant, product, principal, role, createdAt: desk.now, ...until };
  const reported = {
    audit: audit(desk, tenant, `grant.${role}`, `${principal} on ${product}`),
    events: eventsOf(desk, tenant, 'grant.given', { principal, product, role }),
  };
  settled(await desk.principals.grant(grant, reported, expected), 'grant to', principal);
  return grant;
}

export async function revokeGrant(
  desk: Desk,
  request: { readonly tenant: string; readonly product: string; readonly principal: string },
  expected?: readonly string[] | undefined,
): Promise<void> {
  const { tenant, product, principal } = request;
  const reported = {
    audit: audit(desk, tenant, 'grant.revoke', `${principal} on ${product}`),
    events: eventsOf(desk, tenant, 'grant.revoked', { principal, product }),
  };
  settled(await desk.principals.revokeGrant(request, reported, expected), 'grant to', principal);
}

export async function changeRole(
  desk: Desk,
  request: { readonly tenant: string; readonly principal: string; readonly role: TenantRole },
): Promise<Principal> {
  const { tenant, principal, role } = request;
  return changePrincipal(desk, await findPrincipal(desk, tenant, principal), { role });
}
