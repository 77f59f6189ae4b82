import type { InspectedSql } from '../../domain/engine.ts';
import { Failure, failure } from '../../domain/failure.ts';
import type { Identity } from '../../domain/principal.ts';
import { hash128 } from '../../foundation/hash128.ts';
import { personOf } from '../../runtime/statements/suspects.ts';
import type { Product } from '../platform.ts';
import { executorOf } from './executor-of.ts';

/** Longer texts are not remembered. */
const TEXT_MAX = 20_000;

/** Inspects texts of one caller. A caller that sent several which the engine could not read in time may not send others for a while. */
export function inspectFor(product: Product, asker: Identity): (sql: string) => Promise<InspectedSql> {
  const { clock } = product.world;
  return async (sql) => {
    // Opened by the first text that is inspected: a process that only compiles would not end beside an open executor.
    const {
      executor: { suspects },
      limits,
    } = executorOf(product);
    const until = suspects.suspendedUntil(personOf(asker), clock.now());
    if (until !== undefined) throw suspended(until);
    try {
      return await inspected(product, sql);
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'query.too-costly') throw error;
      if (isNewRefusal(product, sql, { why: error, until: clock.now() + limits.refusedMs }))
        suspects.blame(asker, clock.now());
      throw error;
    }
  };
}

export function suspended(until: number): Failure {
  return failure('statement.suspended', { until: new Date(until).toISOString() }, { isRetryable: true });
}

/**
 * What the engine said of a text. Of the same text its parser always says the same; but a function that a run defines may take a
 * name that the text uses. That is looked at again when the text is executed (see `ReadOptions.isInspected`): what is remembered
 * decides only how early a text is refused, and is forgotten when the environment moves.
 */
async function inspected({ caches, world }: Product, sql: string): Promise<InspectedSql> {
  const refused = caches.refused.get(hash128(sql));
  if (refused !== undefined && refused.until > world.clock.now()) throw refused.why;
  const before = caches.inspected.get(sql);
  if (before !== undefined) return before;
  const found = await world.engine.inspect(sql);
  if (sql.length <= TEXT_MAX) caches.inspected.set(sql, found);
  return found;
}

/** Refuses a text; false when it was refused already. */
function isNewRefusal(
  { caches: { refused } }: Product,
  sql: string,
  refusal: { readonly why: Failure; readonly until: number },
): boolean {
  const key = hash128(sql);
  const isNew = refused.get(key)?.why !== refusal.why;
  refused.set(key, refusal);
  return isNew;
}
