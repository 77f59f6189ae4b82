import { failure } from '../../domain/failure.ts';
import type { Product } from '../platform.ts';
import { type AccessContext, audit, eventsOf, settled } from './access-context.ts';
import type { Directory } from './directory.ts';

async function revokeIn(
  context: AccessContext,
  request: { readonly tenant: string; readonly product: string; readonly principal: string },
  expected?: readonly string[] | undefined,
): Promise<void> {
  const { tenant, product, principal } = request;
  const reported = {
    audit: audit(context, tenant, 'grant.revoke', `${principal} on ${product}`),
    events: eventsOf(context, tenant, 'grant.revoked', { principal, product }),
  };
  settled(await context.principals.revokeGrant(request, reported, expected), 'grant to', principal);
}

/** In all states that have it. */
export async function revokeGrant(
  directory: Directory,
  { tenant, slug }: Pick<Product, 'tenant' | 'slug'>,
  principal: string,
  expected?: readonly string[] | undefined,
): Promise<void> {
  const request = { tenant, product: slug, principal };
  let hasRevoked = false;
  for (const home of directory.speakersFor(tenant)) {
    const grants = await home.world.state.principals.grants({ tenant, product: slug });
    if (grants.some((each) => each.principal === principal)) {
      await revokeIn(directory.context(home), request, expected);
      hasRevoked = true;
    }
  }
  if (!hasRevoked) throw failure('access.not-found', { what: 'grant to', name: principal });
}
