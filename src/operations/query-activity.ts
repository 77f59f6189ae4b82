import { permits } from '../domain/permissions.ts';
import type { Identity } from '../domain/principal.ts';
import type { StatementReader } from '../domain/state-store.ts';
import type { Statement } from '../domain/statement.ts';
import type { Product } from './platform.ts';
import { shownStatement } from './statement-access.ts';

type Filters = Omit<Parameters<StatementReader['statements']>[0], 'limit'>;

/** What was asked of a product, newest first: of everybody for those who may see statements of others, else their own. */
export async function queryActivity(
  product: Product,
  asker: Identity,
  { limit, ...filters }: Filters & { readonly limit: number },
): Promise<{ readonly items: readonly Statement[]; readonly next?: string }> {
  const seesAll = permits(asker, 'query:read-all', product);
  // Of somebody else there is nothing to see without the right: no answer tells whether they asked anything.
  if (!seesAll && filters.principalId !== undefined && filters.principalId !== asker.principalId)
    return { items: [] };
  const found = await product.world.state.statements.statements({
    ...filters,
    ...(seesAll ? {} : { principalId: asker.principalId }),
    limit: limit + 1,
  });
  const items = await Promise.all(
    found.slice(0, limit).map((statement) => shownStatement(product, asker, statement)),
  );
  const last = items.at(-1);
  return { items, ...(found.length > limit && last !== undefined ? { next: last.id } : {}) };
}
