/** Where the rows and columns of a SELECT come from, as far as its own text says. */
import { type FromTable, fromTables } from '../../foundation/sql/from-tables.ts';
import type { ColumnReference, Expression, Query, QueryBody, Select } from '../../foundation/sql/tree.ts';
import { type SqlNode, walk } from '../../foundation/sql/walk.ts';
import type { InspectedQuery } from './inspected-query.ts';

/** The name that columns of it are qualified with, lower case. */
export function nameOf(source: FromTable): string | undefined {
  const alias = 'alias' in source ? source.alias?.name.name : undefined;
  const own = source.kind === 'table' ? source.parts.at(-1)?.name : undefined;
  return (alias ?? own)?.toLowerCase();
}

/** Nodes of a SELECT without those of the queries inside it. */
export function ownNodes(root: SqlNode): readonly SqlNode[] {
  const found: SqlNode[] = [];
  walk(root, (node) => {
    if (node.kind === 'query' && node !== root) return false;
    found.push(node);
    return true;
  });
  return found;
}

/** Columns anywhere under a node, queries inside it included. */
export function columnsUnder(root: SqlNode): readonly ColumnReference[] {
  const found: ColumnReference[] = [];
  walk(root, (node) => void (node.kind === 'column' && found.push(node)));
  return found;
}

/** The one SELECT that makes the rows of a query; undefined for set operations and the like. */
export function onlySelect(body: QueryBody): Select | undefined {
  let next = body;
  while (next.kind === 'nested') next = next.query.body;
  return next.kind === 'select' ? next : undefined;
}

const DEPTH_MAX = 10;

/** Which column of a table outside the query a reference is, through common tables and derived ones; or the type it is cast to. */
export function originOf(
  expression: Expression,
  select: Select,
  query: InspectedQuery,
  depth = 0,
): { readonly table: string; readonly column: string } | { readonly type: string } | undefined {
  if (expression.kind === 'cast') return { type: expression.type.name };
  if (expression.kind !== 'column' || depth > DEPTH_MAX) return undefined;
  const sources = fromTables(select.from);
  const qualifier = expression.qualifiers.at(-1)?.name.toLowerCase();
  const named = sources.filter((source) => nameOf(source) === qualifier);
  const source = qualifier === undefined ? (sources.length === 1 ? sources[0] : undefined) : named[0];
  if (source === undefined || named.length > 1) return undefined;
  const inner = queryOf(source, query);
  const column = expression.name.name.toLowerCase();
  if (inner === undefined)
    return source.kind === 'table' && !source.isFile
      ? { table: source.parts.map(({ name }) => name.toLowerCase()).join('.'), column }
      : undefined;
  const made = onlySelect(inner.body);
  if (made === undefined) return undefined;
  for (const { expression: each, alias } of made.projections) {
    const name = alias?.name ?? (each.kind === 'column' ? each.name.name : undefined);
    if (name?.toLowerCase() === column) return originOf(each, made, query, depth + 1);
  }
  const star = made.projections.find(({ expression: each }) => each.kind === 'star')?.expression;
  const isPlain = star?.kind === 'star' && star.replace.length + star.rename.length === 0;
  return isPlain
    ? originOf({ ...expression, qualifiers: star.qualifiers }, made, query, depth + 1)
    : undefined;
}

/** The query that makes the rows of a source: of a derived table or a common one. */
export function queryOf(source: FromTable, query: InspectedQuery): Query | undefined {
  if (source.kind === 'derived') return source.query;
  if (source.kind !== 'table' || source.parts.length !== 1) return undefined;
  return query.commonTables.get(source.parts[0]?.name.toLowerCase() ?? '');
}

/** Whether a table is outside the query: no common table has its name. */
export function isOutside(source: SqlNode, query: InspectedQuery): boolean {
  if (source.kind !== 'table' || source.isFile) return false;
  return source.parts.length > 1 || !query.commonTables.has(source.parts[0]?.name.toLowerCase() ?? '');
}
