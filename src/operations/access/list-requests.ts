import type { AccessRequestFilter } from '../../domain/access-store.ts';
import type { AccessRequest } from '../../domain/principal.ts';
import type { Product } from '../platform.ts';
import type { Directory } from './directory.ts';

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
