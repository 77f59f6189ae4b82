import { type AccessDecision, decidedRequest, isSameDecision } from '../../domain/access-decision.ts';
import { failure } from '../../domain/failure.ts';
import type { AccessRequest } from '../../domain/principal.ts';
import type { Product } from '../platform.ts';
import { audit } from './access-context.ts';
import type { Directory } from './directory.ts';
import { requestEvents } from './request-events.ts';

/** The request as it is then; throws `access.decided` when it was decided in another way. */
export async function decideRequest(
  directory: Directory,
  { request, home }: { readonly request: AccessRequest; readonly home: Product },
  decision: AccessDecision,
): Promise<AccessRequest> {
  const context = directory.context(home);
  const { decided, grant } = decidedRequest(request, decision, context);
  const { tenant, principal, product } = request;
  const outcome = await home.world.state.access.decideRequest(decided, {
    ...(grant === undefined ? {} : { grant }),
    log: {
      audit: audit(context, tenant, `access.${decision.kind}`, `${request.id}: ${principal} on ${product}`),
      events: requestEvents(context, home, { event: `access.${decided.status}`, request: decided }),
    },
  });
  if (outcome === undefined) throw failure('access.not-found', { what: 'access request', name: request.id });
  if (outcome.isDone || isSameDecision(outcome.request, decision)) return outcome.request;
  throw failure('access.decided', { id: request.id, status: outcome.request.status });
}
