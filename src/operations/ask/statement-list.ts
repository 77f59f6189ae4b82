import type { Identity } from '../../domain/principal.ts';
import type { StatementReader } from '../../domain/state-store.ts';
import type { Statement } from '../../domain/statement.ts';
import type { ProductReader } from '../product-reader.ts';
import { shownStatement } from './statement-access.ts';

/** The SQL of a statement may have a megabyte: so many are read at once, and a list ends before it has more bytes of SQL than that. */
const AT_ONCE = 25;
const SQL_BYTES_MAX = 8 * 1_048_576;

export type StatementFilters = Omit<Parameters<StatementReader['statements']>[0], 'limit'>;

/** At most `limit` statements as the caller may see them, newest first, and at least one; `next` where there are more. */
export async function statementList(
  product: ProductReader,
  asker: Identity,
  { limit, ...filters }: StatementFilters & { readonly limit: number },
): Promise<{ readonly items: readonly Statement[]; readonly next?: string }> {
  const found: Statement[] = [];
  let bytes = 0;
  for (;;) {
    const wanted = Math.min(AT_ONCE, limit - found.length);
    const last = found.at(-1);
    const some = await product.world.state.statements.statements({
      ...filters,
      ...(last === undefined ? {} : { before: last.id }),
      limit: wanted + 1,
    });
    const hasMore = some.length > wanted;
    for (const statement of some.slice(0, wanted)) {
      bytes += statement.sql.length;
      if (bytes > SQL_BYTES_MAX && found.length > 0) return shown(product, asker, { found, hasMore: true });
      found.push(statement);
    }
    if (!hasMore || found.length === limit) return shown(product, asker, { found, hasMore });
  }
}

async function shown(
  product: ProductReader,
  asker: Identity,
  { found, hasMore }: { readonly found: readonly Statement[]; readonly hasMore: boolean },
): Promise<{ readonly items: readonly Statement[]; readonly next?: string }> {
  const items = await Promise.all(found.map((statement) => shownStatement(product, asker, statement)));
  const last = found.at(-1);
  return { items, ...(hasMore && last !== undefined ? { next: last.id } : {}) };
}
