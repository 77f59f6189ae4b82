import type { StatementFigures } from '../../domain/statement-figures.ts';
import type { Product } from '../platform.ts';

/** What statements of a product are under way in this process, and which have ended; for those who watch the server. Undefined before the first. */
export function statementFigures(product: Product): StatementFigures | undefined {
  return product.ongoing.statements?.executor.figures;
}
