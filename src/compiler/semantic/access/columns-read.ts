import { resolveQuery } from '../../../foundation/sql/resolve/resolve-query.ts';
import type { Query } from '../../../foundation/sql/tree.ts';

/** A table of a text that is a model, with the columns it shows. */
export interface ReadTable {
  readonly model: string;
  readonly columns: readonly string[];
}

/**
 * The columns, in lower case, that a text reads of each model; `all` where it has a star or is not certain. `tableOf` also knows
 * the columns of semantic tables, under an empty name.
 */
export function columnsRead(
  tree: Query,
  tableOf: (parts: readonly string[]) => ReadTable | undefined,
): (model: string) => 'all' | ReadonlySet<string> {
  const models = new Map<string, string>();
  const { reads, problems } = resolveQuery(tree, (parts) => {
    const table = tableOf(parts);
    if (table === undefined) return undefined;
    models.set(parts.join('.'), table.model);
    return table.columns.length === 0
      ? undefined
      : { columns: table.columns.map((name) => ({ name, type: 'UNKNOWN' })) };
  });
  const found = new Map<string, 'all' | Set<string>>();
  for (const { table, columns, readsAll } of reads) {
    const model = models.get(table);
    if (model === undefined) continue;
    const before = found.get(model);
    if (readsAll || before === 'all') found.set(model, 'all');
    else found.set(model, new Set([...(before ?? []), ...columns.map((name) => name.toLowerCase())]));
  }
  const isCertain = problems.every(({ kind }) => kind === 'duplicate-column');
  return (model) => (isCertain ? (found.get(model) ?? 'all') : 'all');
}
