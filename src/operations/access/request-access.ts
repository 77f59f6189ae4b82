/*
 * Asking for a role on a product, and deciding (decide-request.ts).
 *
 *   request ─▶ pending ─▶ approved: a grant beside those given directly, with an end when one was asked or set
 *                    └──▶ denied
 *
 * A request lies in the folder that keeps its principal, since the grant it may become belongs there, in the same
 * transaction. A decision is made once: to repeat it changes nothing, another one is refused.
 */
import { failure } from '../../domain/failure.ts';
import { identityOf } from '../../domain/identity-of.ts';
import { includesRole, productRoleOf } from '../../domain/permissions.ts';
import type { AccessRequest, ProductRole } from '../../domain/principal.ts';
import { newId } from '../new-id.ts';
import type { Product } from '../platform.ts';
import { audit } from './access-context.ts';
import type { Directory } from './directory.ts';
import { requestEvents } from './request-events.ts';

/** What is asked for. */
export interface RequestedAccess {
  readonly principalId: string;
  readonly role: ProductRole;
  readonly reason?: string | undefined;
  readonly durationMs?: number | undefined;
}

/** The same wish that waits already is answered with, not kept twice. Throws `access.has-role`. */
export async function requestAccess(
  directory: Directory,
  product: Product,
  { principalId, role, reason, durationMs }: RequestedAccess,
): Promise<{ readonly request: AccessRequest; readonly isNew: boolean }> {
  const { tenant, slug } = product;
  const { principal, home } = await directory.located(tenant, principalId);
  const context = directory.context(home);
  const { state } = home.world;
  const lasting = (await state.principals.grants({ tenant })).filter(
    ({ expiresAt }) => expiresAt === undefined,
  );
  const products = directory.speakersFor(tenant);
  const identity = identityOf(principal, { grants: lasting, products, now: context.now });
  const has = principal.isPlatformAdmin ? 'owner' : productRoleOf(identity, product);
  if (has !== undefined && includesRole(has, role))
    throw failure('access.has-role', { principal: principal.name, role: has, product: slug });
  const request: AccessRequest = {
    id: newId('a', context.now),
    tenant,
    product: slug,
    principalId: principal.id,
    principal: principal.name,
    role,
    ...(reason === undefined ? {} : { reason }),
    ...(durationMs === undefined ? {} : { durationMs }),
    createdAt: context.now,
    status: 'pending',
  };
  const waiting = await state.access.createRequest(request, {
    audit: audit(context, tenant, `access.request.${role}`, `${principal.name} on ${slug}`),
    events: requestEvents(context, home, { event: 'access.requested', request }),
  });
  return { request: waiting ?? request, isNew: waiting === undefined };
}
