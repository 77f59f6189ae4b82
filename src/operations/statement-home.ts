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
  readonly inspect: (sql: string) => Promise<InspectedSql>;
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
    inspect: rememberedInspections((sql) => engine.inspect(sql)),
    opened,
  };
  homes.set(product, home);
  return home;
}

const INSPECTIONS_MAX = 500;
const TEXT_MAX = 20_000;

/** What the engine's parser says of a text is the same for ever; the last ones are kept. */
function rememberedInspections(
  inspect: (sql: string) => Promise<InspectedSql>,
): (sql: string) => Promise<InspectedSql> {
  const known = new Map<string, InspectedSql>();
  return async (sql) => {
    const before = known.get(sql);
    if (before !== undefined) {
      known.delete(sql);
      known.set(sql, before);
      return before;
    }
    const inspected = await inspect(sql);
    if (sql.length <= TEXT_MAX) known.set(sql, inspected);
    const [oldest] = known.keys();
    if (known.size > INSPECTIONS_MAX && oldest !== undefined) known.delete(oldest);
    return inspected;
  };
}
