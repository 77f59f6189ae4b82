import type { StatementLimits } from '../../domain/server-limits.ts';
import { StatementExecutor } from '../../runtime/statements/statement-executor.ts';
import { newId } from '../new-id.ts';
import type { OpenedExecutor } from '../ongoing-work.ts';
import type { Product } from '../platform.ts';

/** The executor of this process for the statements of a product, opened with the first question. */
export function executorOf(product: Product, changed: Partial<StatementLimits> = {}): OpenedExecutor {
  const { ongoing } = product;
  if (ongoing.statements !== undefined) return ongoing.statements;
  const { engine, state, clock, hide } = product.world;
  const limits = { ...product.limits.statements, ...changed };
  const executor = new StatementExecutor({
    engine,
    statements: state.statements,
    results: product.workspace.results,
    clock,
    limits,
    worker: newId('w', clock.now()),
    ...(hide === undefined ? {} : { hide }),
  });
  const opened = executor.open();
  // The caller that asks first gets the failure, and may ask again.
  opened.catch(() => {
    ongoing.statements = undefined;
  });
  ongoing.statements = { executor, limits, opened };
  return ongoing.statements;
}
