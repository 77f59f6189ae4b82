import type { InspectedSql } from '../domain/engine.ts';
import type { StatementLimits } from '../domain/statement.ts';
import { StatementDesk } from '../runtime/statements/statement-desk.ts';
import { newId } from './new-id.ts';
import type { Product } from './platform.ts';
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
  // Whoever asks first is told; and may ask again.
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

  constructor(inspect: (sql: string) => Promise<InspectedSql>) {
    this.#inspect = inspect;
  }

  readonly of = async (sql: string): Promise<InspectedSql> => {
    const before = this.#known.get(sql);
    if (before !== undefined) {
      this.#known.delete(sql);
      this.#known.set(sql, before);
      return before;
    }
    const inspected = await this.#inspect(sql);
    if (sql.length <= TEXT_MAX) this.#known.set(sql, inspected);
    const [oldest] = this.#known.keys();
    if (this.#known.size > INSPECTIONS_MAX && oldest !== undefined) this.#known.delete(oldest);
    return inspected;
  };

  forget(): void {
    this.#known.clear();
  }
}
