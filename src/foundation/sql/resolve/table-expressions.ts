/**
 * FROM: every table, function, query and join becomes relations of the scope, from left to right.
 *
 *   a JOIN b USING (id) JOIN c ON …   ──▶   scope.relations = [a, b, c], scope.merged = { id }
 */
import type { DerivedTable, Identifier, Join, TableAlias, TableExpression, TableReference } from '../tree.ts';
import { settle } from '../types/sql-type.ts';
import { unify } from '../types/unify.ts';
import { bindValues } from './bind-values.ts';
import {
  type FromItem,
  ListedFromItem,
  mergeSources,
  type ScopeColumn,
  stronger,
  TableFromItem,
  use,
} from './columns.ts';
import {
  DEPTH_MAX,
  foldedName,
  type NameScope,
  newNameScope,
  type ResolveSession,
  type ReturnedColumns,
  report,
  tableUse,
} from './name-scope.ts';
import { bindPivot, bindUnpivot } from './pivots.ts';
import { bindFile, bindTableFunction } from './table-functions.ts';

/** A table inside a table costs about as much stack as this many expressions inside one another. */
const TABLE_DEPTH = 2;

/** Adds to the scope what a table expression brings; joins are walked in a loop because they hang down to the left. */
export function bindTable(session: ResolveSession, scope: NameScope, table: TableExpression): void {
  if (session.depth + TABLE_DEPTH > DEPTH_MAX) {
    report(session, 'too-deep', '', { span: table.span, isCertain: false });
    scope.fromItems.push(new ListedFromItem('', [], []));
    return;
  }
  session.depth += TABLE_DEPTH;
  const joins: Join[] = [];
  let first = table;
  while (first.kind === 'join') {
    joins.push(first);
    first = first.left;
  }
  const from = scope.fromItems.length;
  bindSingle(session, scope, first);
  for (const join of joins.reverse()) bindJoin(session, scope, join, from);
  session.depth -= TABLE_DEPTH;
}

function bindSingle(session: ResolveSession, scope: NameScope, table: Exclude<TableExpression, Join>): void {
  switch (table.kind) {
    case 'table':
      scope.fromItems.push(bindReference(session, scope, table));
      return;
    case 'derived':
      scope.fromItems.push(bindDerived(session, scope, table));
      return;
    case 'table-function': {
      const output = bindTableFunction(session, scope, table);
      const name = table.alias?.name.name ?? table.call.name.name;
      const columns = scalarAlias(session, table.alias, output.columns);
      scope.fromItems.push(listed(session, name, { columns, open: output.open }, table.alias?.columns ?? []));
      return;
    }
    case 'values':
      scope.fromItems.push(
        listed(
          session,
          table.alias?.name.name ?? 'valueslist',
          bindValues(session, scope, table),
          table.alias?.columns ?? [],
        ),
      );
      return;
    case 'pivot':
    case 'unpivot': {
      const output = bindPivoted(session, scope, table);
      scope.fromItems.push(listed(session, table.alias?.name.name ?? '', output, table.alias?.columns ?? []));
      return;
    }
    case 'aliased': {
      const inner = newNameScope(scope, scope.withList);
      bindTable(session, inner, table.table);
      scope.fromItems.push(
        listed(session, table.alias.name.name, visibleColumns(inner), table.alias.columns),
      );
      return;
    }
  }
}

/** In other dialects than DuckDB, `unnest(x) AS item` names the column. */
function scalarAlias(
  session: ResolveSession,
  alias: TableAlias | undefined,
  columns: readonly ScopeColumn[],
): readonly ScopeColumn[] {
  if (session.dialect === 'duckdb' || alias === undefined || alias.columns.length > 0 || columns.length !== 1)
    return columns;
  return columns.map((column) => renamed(column, alias.name));
}

/** The columns of a PIVOT or UNPIVOT, whose source is bound in a scope of its own. */
export function bindPivoted(
  session: ResolveSession,
  scope: NameScope,
  table: Extract<TableExpression, { kind: 'pivot' | 'unpivot' }>,
): ReturnedColumns {
  const inner = newNameScope(scope, scope.withList);
  bindTable(session, inner, table.source);
  return table.kind === 'pivot' ? bindPivot(session, inner, table) : bindUnpivot(session, inner, table);
}

/** What `*` would show of a scope. */
function visibleColumns(scope: NameScope): ReturnedColumns {
  const columns: ScopeColumn[] = [];
  let open: ReturnedColumns['open'];
  for (const relation of scope.fromItems) {
    for (const column of relation.all()) {
      if (relation.hidden?.has(column.key) !== true) columns.push(scope.merged?.get(column.key) ?? column);
    }
    if (relation.open !== undefined) open = [...(open ?? []), ...relation.open];
  }
  return { columns, open };
}

function bindDerived(session: ResolveSession, scope: NameScope, table: DerivedTable): FromItem {
  const output = session.bindQuery(session, table.query, scope, scope.withList);
  return listed(session, table.alias?.name.name ?? '', withDistinctNames(output), table.alias?.columns ?? []);
}

/** A query's columns as a table has them: the second `id` becomes `id_1`. */
export function withDistinctNames(output: ReturnedColumns): ReturnedColumns {
  const seen = new Set<string>();
  let isDistinct = true;
  for (const column of output.columns) {
    if (seen.has(column.key)) isDistinct = false;
    seen.add(column.key);
  }
  if (isDistinct) return output;
  const used = new Map<string, number>();
  const columns = output.columns.map((column) => {
    const count = used.get(column.key);
    if (count === undefined) {
      used.set(column.key, 0);
      return column;
    }
    let next = count + 1;
    while (used.has(`${column.key}_${next}`)) next++;
    used.set(column.key, next);
    const name = `${column.name}_${next}`;
    used.set(name.toLowerCase(), 0);
    return { ...column, name, key: name.toLowerCase() };
  });
  return { columns, open: output.open };
}

function listed(
  session: ResolveSession,
  name: string,
  output: ReturnedColumns,
  aliases: readonly Identifier[],
): FromItem {
  return new ListedFromItem(
    name.toLowerCase(),
    renamedColumns(session, output.columns, aliases),
    output.open,
  );
}

/** Column aliases rename from the left; more of them than columns is an error. */
export function renamedColumns(
  session: ResolveSession,
  columns: readonly ScopeColumn[],
  aliases: readonly Identifier[],
): readonly ScopeColumn[] {
  if (aliases.length === 0) return columns;
  const extra = aliases[columns.length];
  if (extra !== undefined)
    report(session, 'column-count', `${aliases.length} and ${columns.length}`, {
      span: extra.span,
      isCertain: false,
    });
  return columns.map((column, at) => {
    const alias = aliases[at];
    return alias === undefined ? column : renamed(column, alias);
  });
}

function renamed(column: ScopeColumn, name: Identifier): ScopeColumn {
  return { ...column, name: name.name, key: name.name.toLowerCase() };
}

function bindReference(session: ResolveSession, scope: NameScope, table: TableReference): FromItem {
  const { parts, alias } = table;
  const last = parts.at(-1) as Identifier;
  const name = (alias?.name.name ?? last.name).toLowerCase();
  const aliases = alias?.columns ?? [];
  if (parts.length === 1 && !table.isFile) {
    const common = commonTable(scope, last);
    if (common !== undefined)
      return new ListedFromItem(name, renamedColumns(session, common.columns, aliases), common.open);
  }
  if (table.isFile)
    return listed(
      session,
      alias === undefined ? fileName(last.name) : name,
      bindFile(session, table),
      aliases,
    );
  const folded = parts.map(foldedName);
  const use = tableUse(session, folded.join('.'));
  const path = alias === undefined ? parts.map((part) => part.name.toLowerCase()) : [];
  const schema = session.schemaOf(folded);
  if (schema === undefined)
    return new ListedFromItem(name, renamedColumns(session, [], aliases), [use], path);
  const relation = new TableFromItem(name, path, use, schema);
  return aliases.length === 0
    ? relation
    : new ListedFromItem(name, renamedColumns(session, relation.all(), aliases), undefined, path);
}

/** `'data/a.csv'` is called `a` in the query. */
function fileName(path: string): string {
  const file = path.split(/[/\\]/).at(-1) ?? path;
  return (file.split('.')[0] ?? file).toLowerCase();
}

function commonTable(scope: NameScope, name: Identifier): ReturnedColumns | undefined {
  const key = name.name.toLowerCase();
  for (let at = scope.withList; at !== undefined; at = at.parent) {
    const found = at.tables.get(key);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Adds the right side of a join; `from` is where the left side's relations begin. */
function bindJoin(session: ResolveSession, scope: NameScope, join: Join, from: number): void {
  const middle = scope.fromItems.length;
  bindTable(session, scope, join.right);
  const names = join.natural ? sharedNames(scope, from, middle) : join.using;
  if (names !== undefined)
    for (const name of names) mergeColumn(session, scope, join, { name, from, middle });
  if (join.on !== undefined) session.typeExpression(session, scope, join.on, session.joining);
  // SEMI and ANTI joins only filter: their right side is gone afterwards.
  if (join.type === 'semi' || join.type === 'anti') scope.fromItems.length = middle;
}

function visible(relation: FromItem, key: string): ScopeColumn | undefined {
  return relation.hidden?.has(key) === true ? undefined : relation.find(key);
}

/** NATURAL joins use every name both sides have. */
function sharedNames(scope: NameScope, from: number, middle: number): Identifier[] {
  const left = new Set<string>();
  for (const relation of scope.fromItems.slice(from, middle))
    for (const column of relation.all()) left.add(column.key);
  const names: Identifier[] = [];
  for (const relation of scope.fromItems.slice(middle)) {
    for (const column of relation.all())
      if (left.has(column.key)) names.push({ name: column.name, quoted: true, span: { start: 0, end: 0 } });
  }
  return names;
}

/** One column out of two. */
function mergeColumn(
  session: ResolveSession,
  scope: NameScope,
  join: Join,
  at: { readonly name: Identifier; readonly from: number; readonly middle: number },
): void {
  const key = at.name.name.toLowerCase();
  const leftSide = scope.fromItems.slice(at.from, at.middle);
  const rightSide = scope.fromItems.slice(at.middle);
  const left = scope.merged?.get(key) ?? sideColumn(session, leftSide, at.name);
  const right = sideColumn(session, rightSide, at.name);
  for (const column of [left, right]) if (column !== undefined) use(column, session.joining);
  for (const relation of rightSide) {
    relation.hidden ??= new Set();
    relation.hidden.add(key);
  }
  const column = bothOf(join.type, left, right);
  if (column === undefined || join.type === 'semi' || join.type === 'anti') return;
  scope.merged ??= new Map();
  scope.merged.set(key, column);
}

/** The type is that of the side which always has a value; in the lineage both sides count, for their values are equal. */
function bothOf(
  join: Join['type'],
  left: ScopeColumn | undefined,
  right: ScopeColumn | undefined,
): ScopeColumn | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  const type =
    join === 'full' ? (unify(left.type, right.type) ?? left.type) : join === 'right' ? right.type : left.type;
  const sources = mergeSources(left.sources, right.sources);
  const transformation = join === 'full' ? 'derived' : stronger(left.transformation, right.transformation);
  return { name: left.name, key: left.key, type: settle(type), sources, transformation };
}

function sideColumn(
  session: ResolveSession,
  relations: readonly FromItem[],
  name: Identifier,
): ScopeColumn | undefined {
  const key = name.name.toLowerCase();
  let open: ListedFromItem | undefined;
  let openCount = 0;
  for (const relation of relations) {
    const column = visible(relation, key);
    if (column !== undefined) return column;
    if (relation.open !== undefined) {
      openCount++;
      if (relation instanceof ListedFromItem) open = relation;
    }
  }
  if (openCount === 0) {
    const candidates = relations.flatMap((relation) => relation.all().map((column) => column.name));
    report(session, 'unknown-column', name.name, { span: name.span, isCertain: true, candidates });
    return undefined;
  }
  return openCount === 1 ? open?.assume(foldedName(name)) : undefined;
}
