import type { Principal } from '../../domain/principal.ts';
import type { Directory } from './directory.ts';

/** Sorted by name. */
export async function listPrincipals(directory: Directory, tenant: string): Promise<readonly Principal[]> {
  const found = new Map<string, Principal>();
  for (const product of directory.speakersFor(tenant))
    for (const principal of await directory.principalsIn(product, tenant))
      if (!found.has(principal.name)) found.set(principal.name, principal);
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}
