import type { StatementLimits } from '../../domain/server-limits.ts';
import type { Product } from '../platform.ts';
import { executorOf } from './executor-of.ts';

/** Takes over what a process that died has left, and begins to work; the first statement does it too. */
export async function openStatements(product: Product, limits?: Partial<StatementLimits>): Promise<void> {
  await executorOf(product, limits).opened;
}
