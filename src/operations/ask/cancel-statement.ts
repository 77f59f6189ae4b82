import type { Identity } from '../../domain/principal.ts';
import type { Statement } from '../../domain/statement.ts';
import type { Product } from '../platform.ts';
import { executorOf } from './executor-of.ts';
import { ownStatement } from './own-statement.ts';
import { shownStatement } from './statement-access.ts';

/** The statement as it is then; one that has ended stays as it is. */
export async function cancelStatement(product: Product, asker: Identity, id: string): Promise<Statement> {
  const statement = await ownStatement(product, asker, id);
  return shownStatement(product, asker, (await executorOf(product).executor.cancel(id)) ?? statement);
}
