import type { AccessRequest, Grant, ProductRole } from './principal.ts';

export type AccessDecision =
  | {
      readonly kind: 'approve';
      /** As asked when absent. */
      readonly role?: ProductRole | undefined;
      readonly durationMs?: number | undefined;
      readonly note?: string | undefined;
    }
  | { readonly kind: 'deny'; readonly note?: string | undefined };

/** The request as it is once decided, and the grant that it becomes when it is approved. */
export function decidedRequest(
  request: AccessRequest,
  decision: AccessDecision,
  { now, actor }: { readonly now: number; readonly actor: string },
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
export function isSameDecision(
  { status, grantedRole, durationMs }: AccessRequest,
  decision: AccessDecision,
): boolean {
  if (decision.kind === 'deny') return status === 'denied';
  return (
    status === 'approved' &&
    (decision.role === undefined || decision.role === grantedRole) &&
    (decision.durationMs === undefined || decision.durationMs === durationMs)
  );
}
