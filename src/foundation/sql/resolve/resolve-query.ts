/**
 * All that can be known of a query without running it.
 *
 *   Query tree + schemas ──▶ scopes ──▶ output columns (name, type, sources), columns read, problems
 *
 * One walk, from FROM outwards: a query is bound when the table expression or expression that holds it is, so its columns
 * are plain data before the first reference to them. Nothing throws: what cannot be known is UNKNOWN, what is wrong is a problem.
 */
import type { Dialect } from '../dialect.ts';
import type {
  ColumnSource,
  FileSchemaOf,
  OutputColumn,
  QueryFacts,
  QueryProblem,
  SchemaOf,
} from '../query-facts.ts';
import type { CommonTable, Query, QueryBody } from '../tree.ts';
import { columnType } from '../types/sql-type.ts';
import { bindValues } from './bind-values.ts';
import {
  Deciders,
  type LeafColumn,
  ListedFromItem,
  mergeSources,
  type ScopeColumn,
  stronger,
  type TableReads,
} from './columns.ts';
import { typeExpression } from './expressions.ts';
import {
  DEPTH_MAX,
  type NameScope,
  newNameScope,
  type ResolveSession,
  type ReturnedColumns,
  report,
  spend,
  type WithList,
} from './name-scope.ts';
import { addNumbered, bindSelect } from './select.ts';
import { branchesOf, combine, comparesRows } from './set-operations.ts';
import { bindPivoted, renamedColumns, withDistinctNames } from './table-expressions.ts';

/** Columns with types and lineage, tables and columns read, and problems; pure, and safe on any tree. */
export function resolveQuery(
  query: Query,
  schemaOf: SchemaOf,
  options: {
    readonly dialect?: Dialect;
    readonly castsKeepNames?: boolean;
    readonly fileSchemaOf?: FileSchemaOf;
  } = {},
): QueryFacts {
  const session: ResolveSession = {
    schemaOf,
    fileSchemaOf: options.fileSchemaOf ?? (() => undefined),
    dialect: options.dialect ?? 'duckdb',
    castsKeepNames: options.castsKeepNames ?? false,
    tables: new Map<string, TableReads>(),
    problems: [],
    deciders: new Deciders(),
    joining: new Deciders(),
    isMuted: false,
    depth: 0,
    work: 0,
    columnsTarget: 0,
    columnsFound: undefined,
    typeExpression,
    bindQuery,
  };
  const output = bindQuery(session, query, undefined, undefined);
  const columns = output.columns.map((column) => outputColumn(column, query));
  const reads = [...session.tables.values()].map((use) => ({
    table: use.name,
    columns: use.readColumns(),
    readsAll: use.readsAll,
  }));
  reads.sort((a, b) => compare(a.table, b.table));
  return {
    columns,
    isComplete: output.open === undefined,
    reads,
    deciding: sortedSources([...new Set([...session.deciders.leaves, ...session.joining.leaves])]),
    joining: sortedSources([...session.joining.leaves]),
    problems: [...session.problems, ...duplicates(columns)],
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function outputColumn(column: ScopeColumn, query: Query): OutputColumn {
  return {
    name: column.name,
    type: columnType(column.type).text,
    sources: sortedSources(column.sources),
    transformation: column.transformation,
    span: column.span ?? query.span,
  };
}

const NO_SOURCES: readonly ColumnSource[] = [];

function sortedSources(leaves: readonly LeafColumn[]): readonly ColumnSource[] {
  if (leaves.length === 0) return NO_SOURCES;
  if (leaves.length > 1) {
    const sources = leaves.map(({ table, column }) => ({ table, column }));
    return sources.sort((a, b) => compare(a.table, b.table) || compare(a.column, b.column));
  }
  const leaf = leaves[0] as LeafColumn;
  leaf.alone ??= [{ table: leaf.table, column: leaf.column }];
  return leaf.alone;
}

const DUPLICATES_MAX = 100;

/** Two output columns of one name: a query may have them, a table cannot. */
function duplicates(columns: readonly OutputColumn[]): QueryProblem[] {
  const seen = new Set<string>();
  const reported = new Set<string>();
  const problems: QueryProblem[] = [];
  for (const column of columns) {
    const key = column.name.toLowerCase();
    if (seen.has(key) && problems.length < DUPLICATES_MAX) {
      // Of a star over three tables the name comes three times, from one place.
      const place = `${column.span.start} ${key}`;
      if (!reported.has(place))
        problems.push({
          kind: 'duplicate-column',
          name: column.name,
          candidates: [],
          isCertain: false,
          span: column.span,
        });
      reported.add(place);
    }
    seen.add(key);
  }
  return problems;
}

/** A query inside a query costs about as much stack as this many expressions inside one another. */
const QUERY_DEPTH = 3;
/** … and about as much time as this many. */
const QUERY_STEPS = 200;

/** Binds WITH, the body, ORDER BY and LIMIT; `parent` is the scope around, for correlated and lateral queries. */
function bindQuery(
  session: ResolveSession,
  query: Query,
  parent: NameScope | undefined,
  withList: WithList | undefined,
): ReturnedColumns {
  if (session.depth + QUERY_DEPTH > DEPTH_MAX) {
    report(session, 'too-deep', '', { span: query.span, isCertain: false });
    return { columns: [], open: [] };
  }
  if (!spend(session, QUERY_STEPS, query.span)) return { columns: [], open: [] };
  session.depth += QUERY_DEPTH;
  const inside = query.with === undefined ? withList : bindWith(session, query.with, parent, withList);
  const output = bindBody(session, query.body, parent, inside);
  const { deciders } = session;
  if (query.orderBy === 'ALL') for (const column of output.columns) deciders.add(column);
  else if (query.orderBy.length > 0) {
    const scope = orderScope(output, parent, inside);
    for (const { expression } of query.orderBy) {
      typeExpression(session, scope, expression, deciders);
      addNumbered(expression, output.columns, deciders);
    }
  }
  const enclosing = newNameScope(parent, inside);
  if (query.limit !== undefined) typeExpression(session, enclosing, query.limit, deciders);
  if (query.offset !== undefined) typeExpression(session, enclosing, query.offset, deciders);
  session.depth -= QUERY_DEPTH;
  return { columns: output.columns, open: output.open };
}

/** ORDER BY sees what is selected before the columns of FROM; after a set operation it may also name columns of later branches. */
function orderScope(
  output: ReturnedColumns,
  parent: NameScope | undefined,
  withList: WithList | undefined,
): NameScope {
  if (output.scope !== undefined)
    return { ...output.scope, aliases: selectedNames(output), aliasesFirst: true };
  const scope = newNameScope(parent, withList);
  scope.fromItems.push(new ListedFromItem('', output.columns, output.open ?? []));
  return scope;
}

function selectedNames(output: ReturnedColumns): Map<string, ScopeColumn> {
  const names = new Map<string, ScopeColumn>();
  const twice = new Set<string>();
  for (const column of output.columns) {
    if (names.has(column.key)) twice.add(column.key);
    names.set(column.key, column);
  }
  for (const key of twice) names.delete(key);
  for (const [key, column] of output.scope?.aliases ?? []) names.set(key, column);
  return names;
}

function bindBody(
  session: ResolveSession,
  body: QueryBody,
  parent: NameScope | undefined,
  withList: WithList | undefined,
): ReturnedColumns {
  switch (body.kind) {
    case 'select':
      return bindSelect(session, body, parent, withList);
    case 'set-operation': {
      if (session.depth >= DEPTH_MAX) {
        report(session, 'too-deep', '', { span: body.span, isCertain: false });
        return { columns: [], open: [] };
      }
      session.depth++;
      const { first, rest } = branchesOf(body);
      let output = bindBody(session, first, parent, withList);
      for (const operation of rest)
        output = combine(session, operation, output, bindBody(session, operation.right, parent, withList));
      session.depth--;
      return { columns: output.columns, open: output.open };
    }
    case 'values':
      return bindValues(session, newNameScope(parent, withList), body);
    case 'pivot-statement':
      return bindPivoted(session, newNameScope(parent, withList), body.pivot);
    case 'nested':
      return bindQuery(session, body.query, parent, withList);
  }
}

/** The tables of a WITH list, each seeing those before it; in WITH RECURSIVE also itself. */
function bindWith(
  session: ResolveSession,
  list: NonNullable<Query['with']>,
  parent: NameScope | undefined,
  outer: WithList | undefined,
): WithList {
  const withList: WithList = { tables: new Map(), parent: outer };
  for (const table of list.tables) {
    const output = list.recursive
      ? bindRecursive(session, table, parent, withList)
      : session.bindQuery(session, table.query, parent, withList);
    withList.tables.set(table.name.name.toLowerCase(), named(session, table, output));
  }
  return withList;
}

function named(session: ResolveSession, table: CommonTable, output: ReturnedColumns): ReturnedColumns {
  const distinct = withDistinctNames(output);
  return { columns: renamedColumns(session, distinct.columns, table.columns), open: distinct.open };
}

const PASSES_MAX = 12;

/**
 * A recursive table takes names and types from its first branch. What its later branches add to the lineage is found by binding
 * them again with what is known so far, until nothing is new.
 */
function bindRecursive(
  session: ResolveSession,
  table: CommonTable,
  parent: NameScope | undefined,
  withList: WithList,
): ReturnedColumns {
  const { body } = table.query;
  if (body.kind !== 'set-operation' || table.query.with !== undefined)
    return session.bindQuery(session, table.query, parent, withList);
  const anchor = bindBody(session, body.left, parent, withList);
  const key = table.name.name.toLowerCase();
  let known: ReturnedColumns = { columns: anchor.columns, open: anchor.open };
  const wasMuted = session.isMuted;
  for (let pass = 0; pass < PASSES_MAX; pass++) {
    const inner: WithList = {
      tables: new Map([[key, named(session, table, known)]]),
      parent: withList,
    };
    const step = bindBody(session, body.right, parent, inner);
    if (
      pass === 0 &&
      anchor.open === undefined &&
      step.open === undefined &&
      !body.byName &&
      anchor.columns.length !== step.columns.length
    ) {
      report(session, 'column-count', `${anchor.columns.length} and ${step.columns.length}`, {
        span: body.right.span,
        isCertain: true,
      });
    }
    if (comparesRows(body) || table.usingKey !== undefined)
      for (const column of [...known.columns, ...step.columns]) session.deciders.add(column);
    session.isMuted = true;
    let hasGrown = false;
    const columns = known.columns.map((column, at) => {
      const other = step.columns[at];
      if (other === undefined) return column;
      const sources = mergeSources(column.sources, other.sources);
      const transformation = stronger(column.transformation, other.transformation);
      if (sources.length === column.sources.length && transformation === column.transformation) return column;
      hasGrown = true;
      return { ...column, sources, transformation };
    });
    known = { columns, open: known.open };
    if (!hasGrown) break;
  }
  session.isMuted = wasMuted;
  return known;
}
