import type { NewEvent } from '../../domain/event.ts';
import type { AccessRequest } from '../../domain/principal.ts';
import type { Product } from '../platform.ts';
import { type AccessContext, eventsOf } from './access-context.ts';

/** Only where the log of the folder is that of the product; the reason of a request is not shown to its readers. */
export function requestEvents(
  context: AccessContext,
  home: Product,
  { event, request }: { readonly event: string; readonly request: AccessRequest },
): readonly NewEvent[] {
  const { id, tenant, product, principal, role, grantedRole } = request;
  if (home.slug !== product || home.tenant !== tenant) return [];
  return eventsOf(context, tenant, event, { id, principal, role: grantedRole ?? role });
}
