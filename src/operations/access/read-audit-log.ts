import type { AuditFilter } from '../../domain/access-store.ts';
import type { StoredAuditEntry } from '../../domain/principal.ts';
import type { Directory } from './directory.ts';

/** Newest first; `before` and `next` are the places reached in each state. */
export async function readAuditLog(
  directory: Directory,
  tenant: string,
  {
    before,
    limit,
    ...filter
  }: AuditFilter & { readonly before?: readonly number[] | undefined; readonly limit: number },
): Promise<{ readonly entries: readonly StoredAuditEntry[]; readonly next?: readonly number[] }> {
  const stores = directory.speakersFor(tenant).map(({ world }) => world.state.principals);
  const reached = stores.map((_, index) => before?.[index] ?? Number.MAX_SAFE_INTEGER);
  const logs = await Promise.all(
    stores.map((store, index) =>
      store.auditLog({ ...filter, tenant, before: reached[index] as number, limit: limit + 1 }),
    ),
  );
  const all = logs
    .flatMap((log, index) => log.map((entry) => ({ entry, index })))
    .sort((a, b) => b.entry.at - a.entry.at || b.index - a.index || b.entry.sequence - a.entry.sequence);
  const shown = all.slice(0, limit);
  for (const { entry, index } of shown) reached[index] = Math.min(reached[index] as number, entry.sequence);
  return {
    entries: shown.map(({ entry }) => entry),
    ...(all.length > limit ? { next: reached } : {}),
  };
}
