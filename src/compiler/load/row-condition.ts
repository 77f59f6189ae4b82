import type { Query } from '../../foundation/sql/tree.ts';

/**
 * The condition of `SELECT * FROM <one table> WHERE …`: what each failing row meets by itself. Undefined for every other
 * form, whose rows cannot be identified as rows of the table.
 */
export function rowCondition(
  { body, with: common, orderBy, limit, offset }: Query,
  text: string,
): { readonly condition: string; readonly alias: string } | undefined {
  if (common !== undefined || body.kind !== 'select' || limit !== undefined || offset !== undefined)
    return undefined;
  const { distinct, projections, from, where, groupBy, having, qualify, sample } = body;
  const [projection] = projections;
  const star = projection?.expression;
  const isWhole =
    projections.length === 1 &&
    star?.kind === 'star' &&
    star.exclude.length + star.replace.length + star.rename.length === 0;
  const rest = [groupBy, having, qualify, sample].some((part) => part !== undefined);
  if (!isWhole || rest || distinct !== 'none' || orderBy.length > 0 || where === undefined) return undefined;
  const [table] = from;
  if (from.length !== 1 || (table?.kind !== 'table' && table?.kind !== 'derived')) return undefined;
  if (table.suffix !== undefined || (table.alias?.columns.length ?? 0) > 0) return undefined;
  const name = table.alias?.name ?? (table.kind === 'table' ? table.parts.at(-1) : undefined);
  if (name === undefined) return undefined;
  return {
    condition: text.slice(where.span.start, where.span.end),
    alias: text.slice(name.span.start, name.span.end),
  };
}
