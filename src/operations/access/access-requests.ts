/*
 * Asking for a role on a product, and deciding.
 *
 *   request ─▶ pending ─▶ approved: a grant beside those given directly, with an end when one was asked or set
 *                    └──▶ denied
 *
 * A request lies in the folder that keeps its principal, since the grant it may become belongs there, in the same
 * transaction. A decision is made once: to repeat it changes nothing, another one is refused.
 */
import type { AccessRequestFilter } from '../../domain/access-store.ts';
import type { NewEvent } from '../../domain/event.ts';
import { failure } from '../../domain/failure.ts';
import { includesRole, productRoleOf } from '../../domain/permissions.ts';
import type { AccessRequest, Grant, ProductRole } from '../../domain/principal.ts';
import { newId } from '../new-id.ts';
import type { Product } from '../platform.ts';
import { identityOf } from './authenticate.ts';
import type { Directory } from './directory.ts';
import { audit, type Desk, eventsOf } from './principals.ts';

/** What is asked for. */
export interface Wish {
  readonly principalId: string;
  readonly role: ProductRole;
  readonly reason?: string | undefined;
  readonly durationMs?: number | undefined;
}

/** The same wish that waits already is answered with, not kept twice. Throws `access.has-role`. */
export async function requestAccess(
  directory: Directory,
  product: Product,
  { principalId, role, reason, durationMs }: Wish,
): Promise<{ readonly request: AccessRequest; readonly isNew: boolean }> {
  const { tenant, slug } = product;
  const { principal, home } = await directory.located(tenant, principalId);
  const desk = directory.desk(home);
  const { state } = home.world;
  const lasting = (await state.principals.grants({ tenant })).filter(
    ({ expiresAt }) => expiresAt === undefined,
  );
  const products = directory.speakersFor(tenant);
  const identity = identityOf(principal, { grants: lasting, products, now: desk.now });
  const has = principal.isPlatformAdmin ? 'owner' : productRoleOf(identity, product);
  if (has !== undefined && includesRole(has, role))
    throw failure('access.has-role', { principal: principal.name, role: has, product: slug });
  const request: AccessRequest = {
    id: newId('a', desk.now),
    tenant,
    product: slug,
    principalId: principal.id,
    principal: principal.name,
    role,
    ...(reason === undefined ? {} : { reason }),
    ...(durationMs === undefined ? {} : { durationMs }),
    createdAt: desk.now,
    status: 'pending',
  };
  const waiting = await state.access.createRequest(request, {
    audit: audit(desk, tenant, `access.request.${role}`, `${principal.name} on ${slug}`),
    events: requestEvents(desk, home, { event: 'access.requested', request }),
  });
  return { request: waiting ?? request, isNew: waiting === undefined };
}

/** Newest first, of all folders that keep people of the tenant. */
export async function listRequests(
  directory: Directory,
  filter: AccessRequestFilter,
): Promise<{ readonly items: readonly AccessRequest[]; readonly next?: string }> {
  const { limit } = filter;
  const lists = await Promise.all(
    directory
      .speakersFor(filter.tenant)
      .map(({ world }) => world.state.access.requests({ ...filter, limit: limit + 1 })),
  );
  const all = lists.flat().sort((a, b) => (a.id < b.id ? 1 : -1));
  const items = all.slice(0, limit);
  const last = items.at(-1);
  return { items, ...(all.length > limit && last !== undefined ? { next: last.id } : {}) };
}

/** Undefined when the tenant has none of this id. */
export async function findRequest(
  directory: Directory,
  tenant: string,
  id: string,
): Promise<{ readonly request: AccessRequest; readonly home: Product } | undefined> {
  for (const home of directory.speakersFor(tenant)) {
    const request = await home.world.state.access.request(id);
    if (request?.tenant === tenant) return { request, home };
  }
  return undefined;
}

export type Decision =
  | {
      readonly kind: 'approve';
      /** As asked when absent. */
      readonly role?: ProductRole | undefined;
      readonly durationMs?: number | undefined;
      readonly note?: string | undefined;
    }
  | { readonly kind: 'deny'; readonly note?: string | undefined };

/** The request as it is then; throws `access.decided` when it was decided in another way. */
export async function decideRequest(
  directory: Directory,
  { request, home }: { readonly request: AccessRequest; readonly home: Product },
  decision: Decision,
): Promise<AccessRequest> {
  const desk = directory.desk(home);
  const { decided, grant } = decidedRequest(request, decision, desk);
  const { tenant, principal, product } = request;
  const outcome = await home.world.state.access.decideRequest(decided, {
    ...(grant === undefined ? {} : { grant }),
    log: {
      audit: audit(desk, tenant, `access.${decision.kind}`, `${request.id}: ${principal} on ${product}`),
      events: requestEvents(desk, home, { event: `access.${decided.status}`, request: decided }),
    },
  });
  if (outcome === undefined) throw failure('access.not-found', { what: 'access request', name: request.id });
  if (outcome.isDone || isSame(outcome.request, decision)) return outcome.request;
  throw failure('access.decided', { id: request.id, status: outcome.request.status });
}

function decidedRequest(
  request: AccessRequest,
  decision: Decision,
  { now, actor }: Desk,
): { readonly decided: AccessRequest; readonly grant?: Grant } {
  const how = {
    decidedAt: now,
    decidedBy: actor,
    ...(decision.note === undefined ? {} : { note: decision.note }),
  };
  if (decision.kind === 'deny') return { decided: { ...request, ...how, status: 'denied' } };
  const { role = request.role, durationMs = request.durationMs } = decision;
  const until = durationMs === undefined ? {} : { expiresAt: now + durationMs };
  const { id: requestId, tenant, product, principal } = request;
  return {
    decided: {
      ...request,
      ...how,
      status: 'approved',
      grantedRole: role,
      ...(durationMs === undefined ? {} : { durationMs }),
      ...until,
    },
    grant: { tenant, product, principal, role, createdAt: now, requestId, ...until },
  };
}

/** Idempotent: a decision equal to the one that was made is that one. */
function isSame({ status, grantedRole, durationMs }: AccessRequest, decision: Decision): boolean {
  if (decision.kind === 'deny') return status === 'denied';
  return (
    status === 'approved' &&
    (decision.role === undefined || decision.role === grantedRole) &&
    (decision.durationMs === undefined || decision.durationMs === durationMs)
  );
}

/** Only where the log of the folder is that of the product; the reason of a request is not shown to its readers. */
function requestEvents(
  desk: Desk,
  home: Product,
  { event, request }: { readonly event: string; readonly request: AccessRequest },
): readonly NewEvent[] {
  const { id, tenant, product, principal, role, grantedRole } = request;
  if (home.slug !== product || home.tenant !== tenant) return [];
  return eventsOf(desk, tenant, event, { id, principal, role: grantedRole ?? role });
}
