import type { StatementLimits } from '../../domain/server-limits.ts';
import { StatementDesk } from '../../runtime/statements/statement-desk.ts';
import { newId } from '../new-id.ts';
import type { Product } from '../platform.ts';
import type { OpenedDesk } from '../underway.ts';

/** The desk of this process for the statements of a product, opened with the first question. */
export function deskOf(product: Product, changed: Partial<StatementLimits> = {}): OpenedDesk {
  const { underway } = product;
  if (underway.statements !== undefined) return underway.statements;
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
  opened.catch(() => {
    underway.statements = undefined;
  });
  underway.statements = { desk, limits, opened };
  return underway.statements;
}
