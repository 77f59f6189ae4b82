import type { Fence } from '../../domain/engine.ts';

/** The views of an environment, fenced like a table: a paused run whose environment passed to another cannot promote. */
export function promotionFence(environment: string, token: number): Fence {
  return { table: { model: `environment:${environment}`, version: 'views' }, token };
}

/** Everything the janitor drops: whoever finds its lease expired raises this fence before relying on a table. */
export function janitorFence(token: number): Fence {
  return { table: { model: 'janitor', version: 'drops' }, token };
}

/** Name of the lease under which tables are dropped. */
export const JANITOR_LEASE = 'janitor';
