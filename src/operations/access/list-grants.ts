import type { Grant } from '../../domain/principal.ts';
import type { Product } from '../platform.ts';
import type { Directory } from './directory.ts';

/** A role on a product and its source: config.yaml, or a grant through the API or the command line. */
export interface KnownGrant extends Pick<Grant, 'principal' | 'role' | 'expiresAt' | 'requestId'> {
  readonly source: 'config' | 'granted';
  readonly createdAt?: number;
}

/** Who has which role on a product; sorted by principal. */
export async function listGrants(
  directory: Directory,
  { tenant, slug, world }: Product,
): Promise<readonly KnownGrant[]> {
  const found = new Map<string, KnownGrant>();
  for (const { world: speaker } of directory.speakersFor(tenant))
    for (const grant of await speaker.state.principals.grants({ tenant, product: slug }))
      found.set(`granted ${grant.principal} ${grant.requestId ?? ''}`, { ...grant, source: 'granted' });
  for (const { principal, role } of world.config.access)
    if (role !== undefined)
      found.set(`config ${principal}`, { principal, role: role as Grant['role'], source: 'config' });
  return [...found.values()].sort((a, b) => (a.principal < b.principal ? -1 : 1));
}
