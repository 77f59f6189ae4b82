import { permits } from '../../domain/permissions.ts';
import type { Identity } from '../../domain/principal.ts';
import type { Statement } from '../../domain/statement.ts';
import { type StatementFilters, statementList } from '../ask/statement-list.ts';
import type { ProductReader } from '../product-reader.ts';

/** Past queries of a product, newest first: of all callers for those who may see statements of others, else their own. */
export async function queryActivity(
  product: ProductReader,
  asker: Identity,
  { limit, ...filters }: StatementFilters & { readonly limit: number },
): Promise<{ readonly items: readonly Statement[]; readonly next?: string }> {
  const seesAll = permits(asker, 'query:read-all', product);
  // Without the permission other callers' queries are invisible: no answer shows whether they exist.
  if (!seesAll && filters.principalId !== undefined && filters.principalId !== asker.principalId)
    return { items: [] };
  return statementList(product, asker, {
    ...filters,
    ...(seesAll ? {} : { principalId: asker.principalId }),
    limit,
  });
}
