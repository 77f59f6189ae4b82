import type { Fence } from '../../domain/engine.ts';
import { environmentViews } from '../../domain/environment.ts';
import { tableKey } from '../../domain/relation.ts';

/** The views of an environment, fenced like a table: a paused run whose environment passed to another cannot promote. */
export function promotionFence(environment: string, token: number): Fence {
  return { table: environmentViews(environment), token };
}

/** The name of the lease whose token a fence has, by the `tableKey` of what is fenced. */
export function leaseOfFence(key: string): string {
  if (key === tableKey(janitorFence(0).table)) return JANITOR_LEASE;
  // See `environmentViews`: all catalogs of an environment have the token of its lease.
  return /(?:^|\.environments\.")(environment:\w+)"?__views$/.exec(key)?.[1] ?? `table:${key}`;
}

/** Everything the janitor drops: a process that finds its lease expired raises this fence before it relies on a table. */
export function janitorFence(token: number): Fence {
  return { table: { model: 'janitor', version: 'drops' }, token };
}

/** Name of the lease under which tables are dropped. */
export const JANITOR_LEASE = 'janitor';
