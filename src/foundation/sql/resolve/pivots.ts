/**
 * PIVOT and UNPIVOT.
 *
 *   PIVOT t ON status IN ('a', 'b') USING sum(x) AS s, count(*) AS n   ──▶   the other columns, a_s, a_n, b_s, b_n
 *   UNPIVOT t ON a, b INTO NAME k VALUE v                              ──▶   the other columns, k, v
 */
import type { Call, Expression, Pivot, Projection, Unpivot } from '../tree.ts';
import { NULL, type SqlType, settle, UNKNOWN, VARCHAR } from '../types/sql-type.ts';
import { unify } from '../types/unify.ts';
import { Flow, mergeSources, NO_SOURCES, type ScopeColumn } from './columns.ts';
import { matchingColumns } from './matching-columns.ts';
import type { NameScope, ResolveSession, ReturnedColumns } from './name-scope.ts';
import { outputName } from './output-name.ts';
import { expandStar } from './stars.ts';

/** Remembers which columns an expression used. */
class Mentions extends Flow {
  readonly keys = new Set<string>();

  override add(column: ScopeColumn): void {
    this.keys.add(column.key);
    super.add(column);
  }
}

function sourceColumns(scope: NameScope): readonly ScopeColumn[] {
  return scope.fromItems.flatMap((relation) =>
    relation.all().filter((column) => relation.hidden?.has(column.key) !== true),
  );
}

function read(column: ScopeColumn): ScopeColumn {
  if (column.leaf !== undefined) column.leaf.isRead = true;
  return column.leaf === undefined
    ? column
    : {
        name: column.name,
        key: column.key,
        type: column.type,
        sources: column.sources,
        transformation: column.transformation,
      };
}

const COUNT: Projection = {
  expression: {
    kind: 'call',
    name: { name: 'count', quoted: false, span: { start: 0, end: 0 } },
    qualifiers: [],
    syntax: 'plain',
    arguments: [],
    isStar: true,
    isDistinct: false,
    orderBy: [],
    withinGroup: [],
    span: { start: 0, end: 0 },
  } satisfies Call,
  span: { start: 0, end: 0 },
};

/** The columns of a PIVOT over the relations of `scope`; open when its values are found at run time. */
export function bindPivot(session: ResolveSession, scope: NameScope, pivot: Pivot): ReturnedColumns {
  const aggregates = pivot.aggregates.length === 0 ? [COUNT] : pivot.aggregates;
  const pivoted = new Mentions();
  for (const on of pivot.on) session.typeExpression(session, scope, on.expression, pivoted);
  const used = new Set(pivoted.keys);
  const measures = aggregates.map((aggregate) => {
    const flow = new Mentions();
    const type = settle(session.typeExpression(session, scope, aggregate.expression, flow));
    for (const key of flow.keys) used.add(key);
    return {
      label: aggregate.alias?.name ?? outputName(aggregate.expression),
      hasAlias: aggregate.alias !== undefined,
      type,
      sources: flow.sources,
    };
  });
  const kept: ScopeColumn[] = [];
  if (pivot.groupBy.length > 0)
    for (const expression of pivot.groupBy) kept.push(grouped(session, scope, expression));
  else for (const column of sourceColumns(scope)) if (!used.has(column.key)) kept.push(read(column));
  session.deciders.addSources(pivoted.sources);
  for (const column of kept) session.deciders.add(column);
  const openSource = scope.fromItems.find((relation) => relation.open !== undefined)?.open;
  const values = pivot.on.map((on) => on.values);
  if (values.some((each) => each === undefined || each.some((value) => labelOf(value) === undefined)))
    return { columns: kept, open: openSource ?? [] };
  let labels = [''];
  for (const list of values as readonly (readonly Projection[])[]) {
    labels = labels.flatMap((before) =>
      list.map((value) => (before === '' ? (labelOf(value) as string) : `${before}_${labelOf(value)}`)),
    );
  }
  const columns = [...kept];
  for (const label of labels) {
    for (const measure of measures) {
      const name = measures.length > 1 || measure.hasAlias ? `${label}_${measure.label}` : label;
      columns.push({
        name,
        key: name.toLowerCase(),
        type: measure.type,
        sources: measure.sources,
        transformation: 'aggregated',
        span: pivot.span,
      });
    }
  }
  return { columns, open: pivot.groupBy.length > 0 ? undefined : openSource };
}

function grouped(session: ResolveSession, scope: NameScope, expression: Expression): ScopeColumn {
  const flow = new Flow();
  const type = settle(session.typeExpression(session, scope, expression, flow));
  const name = expression.kind === 'column' ? expression.name.name : outputName(expression);
  const transformation =
    expression.kind === 'column' && !flow.isAggregated
      ? 'identity'
      : flow.isAggregated
        ? 'aggregated'
        : 'derived';
  return { name, key: name.toLowerCase(), type, sources: flow.sources, transformation };
}

/** What a pivoted value is called; undefined when only the data can say (a query, an enum). */
function labelOf(value: Projection): string | undefined {
  if (value.alias !== undefined) return value.alias.name;
  const { expression } = value;
  if (expression.kind === 'literal')
    return expression.type === 'null'
      ? 'NULL'
      : expression.type === 'boolean'
        ? expression.text.toLowerCase()
        : expression.text;
  if (expression.kind === 'tuple') {
    const parts = expression.items.map((item) => (item.kind === 'literal' ? item.text : undefined));
    return parts.includes(undefined) ? undefined : parts.join('_');
  }
  return expression.kind === 'cast' && expression.operand.kind === 'literal'
    ? expression.operand.text
    : undefined;
}

/** The columns of an UNPIVOT: those not unpivoted, the name column, the value columns. */
export function bindUnpivot(session: ResolveSession, scope: NameScope, unpivot: Unpivot): ReturnedColumns {
  const groups = unpivot.columns.flatMap((entry) => groupsOf(session, scope, entry.expressions));
  const taken = new Set(groups.flat().map((column) => column.key));
  // Rows without a value are left out.
  for (const column of groups.flat()) session.deciders.add(column);
  const columns = sourceColumns(scope)
    .filter((column) => !taken.has(column.key))
    .map(read);
  const name = unpivot.nameColumn.name;
  columns.push({
    name,
    key: name.toLowerCase(),
    type: VARCHAR,
    sources: NO_SOURCES,
    transformation: 'derived',
    span: unpivot.span,
  });
  unpivot.valueColumns.forEach((value, at) => {
    let type: SqlType | undefined = NULL;
    let sources: ScopeColumn['sources'] = NO_SOURCES;
    for (const group of groups) {
      const column = group[at];
      if (column === undefined) continue;
      type = type === undefined ? undefined : unify(type, column.type);
      sources = mergeSources(sources, column.sources);
    }
    columns.push({
      name: value.name,
      key: value.name.toLowerCase(),
      type: settle(type ?? UNKNOWN),
      sources,
      transformation: 'derived',
      span: unpivot.span,
    });
  });
  const open = scope.fromItems.find((relation) => relation.open !== undefined)?.open;
  return { columns, open };
}

/** A group of columns that become one row; stars and COLUMNS(…) are many groups of one. */
function groupsOf(
  session: ResolveSession,
  scope: NameScope,
  expressions: readonly Expression[],
): ScopeColumn[][] {
  const only = expressions.length === 1 ? expressions[0] : undefined;
  if (only?.kind === 'star') return expandStar(session, scope, only).columns.map((column) => [column]);
  if (
    only?.kind === 'call' &&
    only.name.name.toLowerCase() === 'columns' &&
    only.arguments[0] !== undefined
  ) {
    return matchingColumns(session, scope, only.arguments[0].value).columns.map((column) => [read(column)]);
  }
  return [expressions.map((expression) => grouped(session, scope, expression))];
}
