import { failure } from '../../domain/failure.ts';
import type { Product } from '../platform.ts';
import { audit, type Desk, eventsOf, settled } from './desk.ts';
import type { Directory } from './directory.ts';

async function revokeIn(
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
      await revokeIn(directory.desk(home), request, expected);
      hasRevoked = true;
    }
  }
  if (!hasRevoked) throw failure('access.not-found', { what: 'grant to', name: principal });
}
