import type { Identity } from '../../domain/principal.ts';
import { isTerminal, type Statement } from '../../domain/statement.ts';
import type { Product } from '../platform.ts';
import { executorOf } from './executor-of.ts';
import { ownStatement } from './own-statement.ts';
import { shownStatement } from './statement-access.ts';

/** The statement; with `waitMs`, as soon as it differs from `sinceVersion` or, without one, has ended. Throws `statement.unknown`. */
export async function getStatement(
  product: Product,
  asker: Identity,
  {
    id,
    waitMs = 0,
    sinceVersion,
  }: {
    readonly id: string;
    readonly waitMs?: number | undefined;
    readonly sinceVersion?: number | undefined;
  },
): Promise<Statement> {
  const statement = await ownStatement(product, asker, id);
  if (waitMs <= 0 || isTerminal(statement.status)) return shownStatement(product, asker, statement);
  const news = await executorOf(product).executor.wait(id, {
    waitMs,
    ...(sinceVersion === undefined ? {} : { sinceVersion }),
  });
  return shownStatement(product, asker, news?.statement ?? statement);
}
