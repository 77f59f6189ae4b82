/**
 * One SELECT: FROM first, then the projections from left to right (each sees the aliases before it), then the clauses that only filter and group:
 * what those read decides which rows there are.
 */

import { castColumn } from '../cast-aliases.ts';
import type { Expression, GroupItem, Identifier, Projection, Select, Span } from '../tree.ts';
import { type SqlType, settle } from '../types/sql-type.ts';
import { Flow, type ScopeColumn, type TableReads, unknownColumn } from './columns.ts';
import {
  type ColumnSelection,
  type NameScope,
  newNameScope,
  type ResolveSession,
  type ReturnedColumns,
  spend,
  type WithList,
} from './name-scope.ts';
import { outputName } from './output-name.ts';
import { resolveReference } from './reference.ts';
import { mergeOpen } from './set-operations.ts';
import { expandStar, structColumns } from './stars.ts';
import { bindTable } from './table-expressions.ts';
import { typeWindow } from './windows.ts';

/** The columns a SELECT returns, and the scope its ORDER BY is to be read in. */
export function bindSelect(
  session: ResolveSession,
  select: Select,
  parent: NameScope | undefined,
  withList: WithList | undefined,
): ReturnedColumns {
  const scope = newNameScope(parent, withList);
  for (const table of select.from) bindTable(session, scope, table);
  scope.windows = select.windows;
  const { deciders } = session;
  for (const window of select.windows) typeWindow(session, scope, window.spec, deciders);
  const made = new Projections(session, scope, select.windows);
  for (const projection of select.projections) made.add(projection);
  const decide = (expression: Expression | undefined): void => {
    if (expression !== undefined) session.typeExpression(session, scope, expression, deciders);
  };
  decide(select.where);
  if (select.groupBy !== undefined)
    groupItems(select.groupBy.items, (expression) => {
      decide(expression);
      addNumbered(expression, made.columns, deciders);
    });
  decide(select.having);
  decide(select.qualify);
  if (typeof select.distinct !== 'string') for (const expression of select.distinct) decide(expression);
  if (select.distinct === 'all' || select.groupBy?.isAll === true)
    for (const column of made.columns) deciders.add(column);
  return { columns: made.columns, open: made.open, scope };
}

/** `GROUP BY 2` and `ORDER BY 2` mean the second column that is selected. */
export function addNumbered(expression: Expression, columns: readonly ScopeColumn[], flow: Flow): void {
  const column = expression.kind === 'literal' ? columns[Number(expression.text) - 1] : undefined;
  if (column !== undefined) flow.add(column);
}

function groupItems(items: readonly GroupItem[], visit: (expression: Expression) => void): void {
  const waiting = [...items];
  for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) {
    if (item.kind === 'expression') visit(item.expression);
    else waiting.push(...item.items);
  }
}

/** A column that is kept costs memory, so it counts for more than a step: a query may make some 100,000. */
const COLUMN_STEPS = 300;

/** Gathers output columns; a star, a struct or COLUMNS(…) gives several for one projection. */
class Projections {
  readonly columns: ScopeColumn[] = [];
  open: readonly TableReads[] | undefined;
  private readonly session: ResolveSession;
  private readonly scope: NameScope;
  private readonly windows: Select['windows'];

  constructor(session: ResolveSession, scope: NameScope, windows: Select['windows']) {
    this.windows = windows;
    this.session = session;
    this.scope = scope;
  }

  add(projection: Projection): void {
    const { expression, alias, span } = projection;
    switch (expression.kind) {
      case 'star': {
        const { columns, open } = expandStar(this.session, this.scope, expression);
        if (!spend(this.session, columns.length * COLUMN_STEPS, span)) this.open ??= [];
        else for (const column of columns) this.push(column, column.name, span);
        if (open !== undefined) this.open = mergeOpen(this.open, open);
        return;
      }
      case 'column': {
        const reference = resolveReference(this.session, this.scope, expression);
        spend(this.session, 1 + this.scope.fromItems.length, span);
        if (reference !== undefined && (reference.column === undefined || reference.fields.length > 0)) break;
        const column = reference?.column ?? unknownColumn(expression.name.name);
        if (column.leaf !== undefined) column.leaf.isRead = true;
        this.push(column, alias?.name ?? column.name, span);
        this.remember(alias);
        return;
      }
      default:
        break;
    }
    this.compute(expression, alias, span);
  }

  private compute(expression: Expression, alias: Identifier | undefined, span: Span): void {
    const { session } = this;
    const outerFound = session.columnsFound;
    const outerTarget = session.columnsTarget;
    session.columnsFound = undefined;
    session.columnsTarget = 0;
    const flow = new Flow();
    const type = session.typeExpression(session, this.scope, expression, flow);
    const found = session.columnsFound as ColumnSelection | undefined;
    if (found === undefined) this.computed(type, flow, { expression, alias, span });
    else {
      if (found.open !== undefined) this.open = mergeOpen(this.open, found.open);
      this.expanded(found.columns, { expression, alias, span }, { type, flow });
    }
    session.columnsFound = outerFound;
    session.columnsTarget = outerTarget;
  }

  private computed(
    type: SqlType,
    flow: Flow,
    made: { readonly expression: Expression; readonly alias: Identifier | undefined; readonly span: Span },
  ): void {
    const { expression, alias, span } = made;
    const fields = isUnpacking(expression)
      ? structColumns(type, {
          sources: flow.sources,
          transformation: flow.isAggregated ? 'aggregated' : 'derived',
        })
      : undefined;
    if (fields !== undefined) {
      for (const column of fields) this.push(column, column.name, span);
      return;
    }
    const name = alias?.name ?? this.nameOf(expression);
    const transformation = flow.isAggregated ? 'aggregated' : 'derived';
    this.push({ type: settle(type), sources: flow.sources, transformation }, name, span);
    this.remember(alias);
  }

  /** COLUMNS(…) was met: the projection is made again for every column it stands for. */
  private expanded(
    found: readonly ScopeColumn[],
    made: { readonly expression: Expression; readonly alias: Identifier | undefined; readonly span: Span },
    first: { readonly type: SqlType; readonly flow: Flow },
  ): void {
    if (!spend(this.session, found.length * COLUMN_STEPS, made.span)) {
      this.open ??= [];
      return;
    }
    const isBare = made.expression.kind === 'call' && made.expression.name.name.toLowerCase() === 'columns';
    found.forEach((column, at) => {
      let { type, flow } = first;
      if (at > 0) {
        this.session.columnsTarget = at;
        flow = new Flow();
        type = this.session.typeExpression(this.session, this.scope, made.expression, flow);
      }
      const name = made.alias?.name ?? column.name;
      const transformation = flow.isAggregated ? 'aggregated' : isBare ? column.transformation : 'derived';
      this.push({ type: settle(type), sources: flow.sources, transformation }, name, made.span);
    });
  }

  /** A field's path is called by its last part; everything else by DuckDB's text of the expression. */
  private nameOf(expression: Expression): string {
    if (expression.kind === 'column') return expression.name.name;
    const column = this.session.castsKeepNames ? castColumn(expression) : undefined;
    return column?.name ?? outputName(expression, this.windows);
  }

  private push(
    column: Pick<ScopeColumn, 'type' | 'sources' | 'transformation'>,
    name: string,
    span: Span,
  ): void {
    const { type, sources, transformation } = column;
    this.columns.push({
      name,
      key: name.toLowerCase(),
      type: settle(type),
      sources,
      transformation,
      span,
    });
  }

  private remember(alias: Identifier | undefined): void {
    if (alias === undefined) return;
    this.scope.aliases ??= new Map();
    const column = this.columns.at(-1) as ScopeColumn;
    if (!this.scope.aliases.has(column.key)) this.scope.aliases.set(column.key, column);
  }
}

/** `unnest(struct)` and `(struct).*` become one column per field. */
function isUnpacking(expression: Expression): boolean {
  if (expression.kind === 'field') return expression.field.name === '*';
  return expression.kind === 'call' && expression.name.name.toLowerCase() === 'unnest';
}
