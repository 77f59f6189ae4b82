import type { InspectedSql } from '../../domain/engine.ts';
import { Failure, failure } from '../../domain/failure.ts';
import type { Identity } from '../../domain/principal.ts';
import type { StatementLimits } from '../../domain/server-limits.ts';
import { hash128 } from '../../foundation/hash128.ts';
import { StatementDesk } from '../../runtime/statements/statement-desk.ts';
import { personOf } from '../../runtime/statements/suspects.ts';
import { newId } from '../new-id.ts';
import type { Product } from '../platform.ts';
import { StatementContexts } from './statement-context.ts';

/** What a process keeps of the statements of one product. */
export interface StatementHome {
  readonly desk: StatementDesk;
  readonly contexts: StatementContexts;
  readonly limits: StatementLimits;
  readonly inspections: RememberedInspections;
  /** When it has taken over what was left. */
  readonly opened: Promise<void>;
}

export const homes = new WeakMap<Product, StatementHome>();

/** Opened with the first question to a product. */
export function homeOf(product: Product, changed: Partial<StatementLimits> = {}): StatementHome {
  const known = homes.get(product);
  if (known !== undefined) return known;
  const { engine, state, clock, hide } = product.world;
  const limits = { ...product.limits.statements, ...changed };
  const desk = new StatementDesk({
    engine,
    statements: state.statements,
    results: product.workspace.results,
    clock,
    limits,
    worker: newId('w', clock.now()),
    ...(hide === undefined ? {} : { hide }),
  });
  const opened = desk.open();
  // The caller that asks first gets the failure, and may ask again.
  opened.catch(() => homes.delete(product));
  const home = {
    desk,
    contexts: new StatementContexts(product.world),
    limits,
    inspections: new RememberedInspections((sql) => engine.inspect(sql)),
    opened,
  };
  homes.set(product, home);
  return home;
}

/** Inspects texts of one caller. A caller that sent several which the engine could not read in time may not send others for a while. */
export function inspectFor(
  { desk: { suspects }, inspections, limits }: StatementHome,
  { world: { clock } }: Product,
  asker: Identity,
): (sql: string) => Promise<InspectedSql> {
  return async (sql) => {
    const until = suspects.suspendedUntil(personOf(asker), clock.now());
    if (until !== undefined) throw suspended(until);
    try {
      return await inspections.of(sql, clock.now());
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'query.too-costly') throw error;
      if (inspections.refuse(sql, { why: error, until: clock.now() + limits.refusedMs }))
        suspects.blame(asker, clock.now());
      throw error;
    }
  };
}

export function suspended(until: number): Failure {
  return failure('statement.suspended', { until: new Date(until).toISOString() }, { isRetryable: true });
}

const INSPECTIONS_MAX = 500;
const TEXT_MAX = 20_000;

/**
 * What the engine said of the last texts. Of the same text its parser always says the same; but a function that a run defines may
 * take a name that the text uses. That is looked at again when the text is executed (see `ReadOptions.isInspected`): what is
 * remembered decides only how early a text is refused, and is forgotten when the environment moves.
 */
class RememberedInspections {
  readonly #inspect: (sql: string) => Promise<InspectedSql>;
  readonly #known = new Map<string, InspectedSql>();
  /** By the hash of the text. */
  readonly #refused = new Map<string, { readonly why: Failure; readonly until: number }>();

  constructor(inspect: (sql: string) => Promise<InspectedSql>) {
    this.#inspect = inspect;
  }

  /** Refuses a text; false when it was refused already. */
  refuse(sql: string, refusal: { readonly why: Failure; readonly until: number }): boolean {
    const key = hash128(sql);
    const isNew = this.#refused.get(key)?.why !== refusal.why;
    this.#refused.set(key, refusal);
    forgetOldest(this.#refused);
    return isNew;
  }

  async of(sql: string, now: number): Promise<InspectedSql> {
    const refused = this.#refused.get(hash128(sql));
    if (refused !== undefined && refused.until > now) throw refused.why;
    const before = this.#known.get(sql);
    if (before !== undefined) {
      this.#known.delete(sql);
      this.#known.set(sql, before);
      return before;
    }
    const inspected = await this.#inspect(sql);
    if (sql.length <= TEXT_MAX) this.#known.set(sql, inspected);
    forgetOldest(this.#known);
    return inspected;
  }

  forget(): void {
    this.#known.clear();
  }
}

function forgetOldest(known: Map<string, unknown>): void {
  const [oldest] = known.keys();
  if (known.size > INSPECTIONS_MAX && oldest !== undefined) known.delete(oldest);
}
