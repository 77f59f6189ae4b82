import type { Edit } from './splice.ts';
import type { Expression, Identifier, Query } from './tree.ts';
import { walkQuery } from './walk.ts';

/** The column whose name a cast without an alias keeps: `id` in `id::INT` and in `CAST(t.id AS INT)::TEXT`. */
export function castColumn(expression: Expression): Identifier | undefined {
  if (expression.kind !== 'cast') return undefined;
  let inner: Expression = expression.operand;
  while (inner.kind === 'cast') inner = inner.operand;
  return inner.kind === 'column' ? inner.name : undefined;
}

/** Edits that write those names down as aliases, for engines that call such a column by its whole expression. */
export function castAliases(query: Query, text: string): readonly Edit[] {
  const edits: Edit[] = [];
  walkQuery(query, {
    body: (body) => {
      if (body.kind !== 'select') return;
      for (const { expression, alias, span } of body.projections) {
        const column = alias === undefined ? castColumn(expression) : undefined;
        if (column !== undefined)
          edits.push({
            start: span.end,
            end: span.end,
            text: ` AS ${text.slice(column.span.start, column.span.end)}`,
          });
      }
    },
  });
  return edits;
}
