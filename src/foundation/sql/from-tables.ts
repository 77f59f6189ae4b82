import type { Join, TableExpression } from './tree.ts';

/** What stands in FROM: a table, a query, a function, but not a join of them. */
export type FromTable = Exclude<TableExpression, Join>;

/** The tables of a FROM, in the order of the text, without those inside sub-queries. */
export function fromTables(from: readonly TableExpression[]): readonly FromTable[] {
  const tables: FromTable[] = [];
  const pending = from.toReversed();
  for (let next = pending.pop(); next !== undefined; next = pending.pop())
    if (next.kind === 'join') pending.push(next.right, next.left);
    else tables.push(next);
  return tables;
}

/** The joins of a FROM, in the order of the text: what a join joins comes before it. */
export function joinsOf(from: readonly TableExpression[]): readonly Join[] {
  const joins: Join[] = [];
  const pending = [...from];
  for (let next = pending.pop(); next !== undefined; next = pending.pop())
    if (next.kind === 'join') {
      joins.push(next);
      pending.push(next.left, next.right);
    }
  return joins.reverse();
}
