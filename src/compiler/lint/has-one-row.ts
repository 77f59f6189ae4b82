import { fromTables } from '../../foundation/sql/from-tables.ts';
import { functionsOf } from '../../foundation/sql/functions/functions-of.ts';
import type { Expression, Query } from '../../foundation/sql/tree.ts';
import type { InspectedQuery } from './inspected-query.ts';
import { onlySelect, ownNodes, queryOf } from './query-sources.ts';

/** Whether a query returns one row at most, as far as its text says: aggregates without groups, constants, or joins of such. */
export function hasOneRow(
  made: Query,
  query: InspectedQuery,
  /** Queries whose rows are being asked for: a common table may read itself, or a table of its own name. */
  outer: readonly Query[] = [],
): boolean {
  if (outer.includes(made)) return false;
  if (made.limit?.kind === 'literal' && made.limit.text === '1') return true;
  const select = onlySelect(made.body);
  if (select === undefined) return made.body.kind === 'values' && made.body.rows.length === 1;
  if (select.groupBy !== undefined) return false;
  if (select.from.length === 0) return select.projections.every(({ expression }) => !makesRows(expression));
  const inner = fromTables(select.from).map((source) => queryOf(source, query));
  if (inner.every((each) => each !== undefined && hasOneRow(each, query, [...outer, made]))) return true;
  const { aggregates } = functionsOf(query.definition.dialect);
  return select.projections.some(({ expression }) =>
    ownNodes(expression).some(
      (node) =>
        node.kind === 'call' && node.over === undefined && aggregates.has(node.name.name.toLowerCase()),
    ),
  );
}

const makesRows = (expression: Expression): boolean =>
  ownNodes(expression).some(
    (node) => node.kind === 'call' && /^(?:unnest|explode|generate_\w+|range)$/i.test(node.name.name),
  );
