/**
 * Where names are looked up.
 *
 *   scope of a subquery ──parent──▶ scope of the query around it ──parent──▶ …
 *     variables (lambdas) → columns of FROM → aliases of the select list → open relations → the table itself, as a struct
 *
 * A scope is made per SELECT; FROM items are added from left to right, so that a later one sees the earlier ones.
 */
import type { Dialect } from '../dialect.ts';
import type { FileSchemaOf, QueryProblem, SchemaOf } from '../query-facts.ts';
import type { Expression, Identifier, Query, Select, Span } from '../tree.ts';
import { type SqlType, UNKNOWN } from '../types/sql-type.ts';
import {
  type Deciders,
  type Flow,
  type FromItem,
  ListedFromItem,
  type ScopeColumn,
  TableReads,
} from './columns.ts';

/** Columns a query returns, and the tables whose unknown columns come with them; undefined `open` means the list is whole. */
export interface ReturnedColumns {
  readonly columns: readonly ScopeColumn[];
  readonly open: readonly TableReads[] | undefined;
  /** Where ORDER BY looks names up, when the body was a plain SELECT. */
  readonly scope?: NameScope;
}

/** The columns that `*` or COLUMNS(…) stands for; `open` as in Output. */
export interface ColumnSelection {
  readonly columns: readonly ScopeColumn[];
  readonly open: readonly TableReads[] | undefined;
}

/** A WITH list, innermost first. */
export interface WithList {
  readonly tables: Map<string, ReturnedColumns>;
  readonly parent: WithList | undefined;
}

export interface NameScope {
  readonly parent: NameScope | undefined;
  readonly withList: WithList | undefined;
  readonly fromItems: FromItem[];
  /** Columns that USING or NATURAL made one of two. */
  merged: Map<string, ScopeColumn> | undefined;
  aliases: Map<string, ScopeColumn> | undefined;
  /** In ORDER BY an alias hides a column of the same name. */
  aliasesFirst: boolean;
  variables: ReadonlyMap<string, SqlType> | undefined;
  /** The windows that the WINDOW clause names. */
  windows: Select['windows'];
}

/** What one call of resolveQuery remembers. */
export interface ResolveSession {
  readonly schemaOf: SchemaOf;
  readonly fileSchemaOf: FileSchemaOf;
  readonly dialect: Dialect;
  /** A cast without an alias is called by its column instead of by its text. */
  readonly castsKeepNames: boolean;
  readonly tables: Map<string, TableReads>;
  readonly problems: QueryProblem[];
  /** What decides, anywhere in the query, which rows there are and in which order. */
  readonly deciders: Deciders;
  /** What joins compare: it decides, too. */
  readonly joining: Deciders;
  /** While a recursive query is bound again, its problems are already known. */
  isMuted: boolean;
  depth: number;
  /** Steps taken so far, see `spend`. */
  work: number;
  /** Set while `COLUMNS(…)` stands for one of its columns, and what it found when it was not set. */
  columnsTarget: number;
  columnsFound: ColumnSelection | undefined;
  readonly typeExpression: (
    session: ResolveSession,
    scope: NameScope,
    expression: Expression,
    flow: Flow,
  ) => SqlType;
  readonly bindQuery: (
    session: ResolveSession,
    query: Query,
    scope: NameScope | undefined,
    withList: WithList | undefined,
  ) => ReturnedColumns;
}

/** Deeper than this an expression is not looked into; the parser refuses long before. */
export const DEPTH_MAX = 1000;
const CANDIDATES_MAX = 500;
const PROBLEMS_MAX = 200;
/** About a hundred times what a query of 5,000 lines takes; stars over stars, recursion inside recursion and lists of joins multiply beyond it. */
const WORK_MAX = 30_000_000;

/** Counts steps; false when the query has used up its share, and then it is reported and what is asked stays unknown. */
export function spend(session: ResolveSession, steps: number, span: Span): boolean {
  session.work += steps;
  if (session.work <= WORK_MAX) return true;
  report(session, 'too-much-work', '', { span, isCertain: true });
  return false;
}

export function newNameScope(parent: NameScope | undefined, withList: WithList | undefined): NameScope {
  return {
    parent,
    withList,
    fromItems: [],
    merged: undefined,
    aliases: undefined,
    aliasesFirst: false,
    variables: undefined,
    windows: [],
  };
}

/** A scope in which a lambda's parameters stand before everything else. */
export function withVariables(
  scope: NameScope,
  names: readonly Identifier[],
  types: readonly SqlType[],
): NameScope {
  const inner = newNameScope(scope, scope.withList);
  inner.variables = new Map(names.map((name, at) => [name.name.toLowerCase(), types[at] ?? UNKNOWN]));
  return inner;
}

export function report(
  session: ResolveSession,
  kind: QueryProblem['kind'],
  name: string,
  details: { span: Span; isCertain: boolean; candidates?: readonly string[] },
): void {
  if (session.problems.length >= PROBLEMS_MAX || (session.isMuted && kind !== 'too-much-work')) return;
  const { span, isCertain, candidates = [] } = details;
  // An expression can be typed more than once (COLUMNS, reductions), and only the outermost of too-deep things matters.
  const isKnown = session.problems.some(
    (problem) =>
      problem.kind === kind &&
      (kind === 'too-deep' ||
        kind === 'too-much-work' ||
        (problem.span.start === span.start && problem.name === name)),
  );
  if (!isKnown) session.problems.push({ kind, name, candidates, isCertain, span });
}

/** Whether every relation that a name could come from is fully known. */
function isClosed(scope: NameScope | undefined): boolean {
  for (let at = scope; at !== undefined; at = at.parent) {
    for (const relation of at.fromItems) if (relation.open !== undefined) return false;
  }
  return true;
}

/** Every name that would have resolved, nearest scope first. */
function namesIn(scope: NameScope): string[] {
  const names = new Set<string>();
  for (let at: NameScope | undefined = scope; at !== undefined; at = at.parent) {
    for (const relation of at.fromItems) {
      for (const column of relation.all()) {
        names.add(column.name);
        if (names.size >= CANDIDATES_MAX) return [...names];
      }
    }
    if (at.aliases !== undefined) for (const column of at.aliases.values()) names.add(column.name);
  }
  return [...names];
}

/** The column a bare name means; undefined after reporting that nothing has it. */
export function findColumn(
  session: ResolveSession,
  scope: NameScope,
  name: Identifier,
): ScopeColumn | { readonly variable: SqlType } | undefined {
  const key = name.name.toLowerCase();
  let isDoubtful = false;
  for (let at: NameScope | undefined = scope; at !== undefined; at = at.parent) {
    const variable = at.variables?.get(key);
    if (variable !== undefined) return { variable };
    const found = findHere(session, at, name, key);
    if (found === 'doubtful') isDoubtful = true;
    else if (found !== undefined) return found;
  }
  if (isDoubtful) report(session, 'unknown-column', name.name, { span: name.span, isCertain: false });
  return undefined;
}

function findHere(
  session: ResolveSession,
  scope: NameScope,
  name: Identifier,
  key: string,
): ScopeColumn | 'doubtful' | undefined {
  if (scope.aliasesFirst) {
    const alias = scope.aliases?.get(key);
    if (alias !== undefined) return alias;
  }
  const merged = scope.merged?.get(key);
  if (merged !== undefined) return merged;
  let found: ScopeColumn | undefined;
  let openCount = 0;
  let open: FromItem | undefined;
  for (const relation of scope.fromItems) {
    if (relation.open !== undefined) {
      openCount++;
      open = relation;
    }
    if (relation.hidden?.has(key) === true) continue;
    const column = relation.find(key);
    if (column === undefined) continue;
    if (found !== undefined) {
      const candidates = scope.fromItems
        .filter((each) => each.find(key) !== undefined)
        .map((each) => `${each.name}.${column.name}`);
      report(session, 'ambiguous-column', name.name, { span: name.span, isCertain: true, candidates });
      return found;
    }
    found = column;
  }
  if (found !== undefined) return found;
  const alias = scope.aliases?.get(key);
  if (alias !== undefined) return alias;
  if (openCount > 1) return 'doubtful';
  return open instanceof ListedFromItem ? open.assume(foldedName(name)) : undefined;
}

/** As it is stored: lower case unless quotes say that the case is meant. */
export function foldedName(name: Identifier): string {
  return name.quoted ? name.name : name.name.toLowerCase();
}

/** Says that a bare name is nothing here. */
export function reportUnknown(session: ResolveSession, scope: NameScope, name: Identifier): void {
  if (session.problems.length >= PROBLEMS_MAX) return;
  report(session, 'unknown-column', name.name, {
    span: name.span,
    isCertain: isClosed(scope),
    candidates: namesIn(scope),
  });
}

/** The nearest relation of this name; the name may have parts before it, as in `schema.table`. */
export function findFromItem(scope: NameScope, path: readonly Identifier[]): FromItem | undefined {
  const last = (path.at(-1) as Identifier).name.toLowerCase();
  for (let at: NameScope | undefined = scope; at !== undefined; at = at.parent) {
    for (const relation of at.fromItems) {
      if (relation.name === last && (path.length === 1 || endsWith(relation.path, path))) return relation;
    }
  }
  return undefined;
}

/** `schema.table` names the table `schema.table`, the table `catalog.schema.table`, and, where that is the default schema, `table`. */
function endsWith(path: readonly string[], written: readonly Identifier[]): boolean {
  const from = path.length - written.length;
  if (from >= 0) return written.every((part, at) => path[from + at] === part.name.toLowerCase());
  return path.length > 0 && path.every((part, at) => part === written[at - from]?.name.toLowerCase());
}

/** A column of a named relation; when it is missing the reason is reported and nothing returned. */
export function columnOf(
  session: ResolveSession,
  relation: FromItem,
  name: Identifier,
): ScopeColumn | undefined {
  const column = relation.find(name.name.toLowerCase());
  if (column !== undefined) return column;
  if (relation instanceof ListedFromItem && relation.open !== undefined)
    return relation.assume(foldedName(name));
  if (session.problems.length >= PROBLEMS_MAX) return undefined;
  const candidates = relation
    .all()
    .slice(0, CANDIDATES_MAX)
    .map((each) => each.name);
  report(session, 'unknown-column', name.name, { span: name.span, isCertain: true, candidates });
  return undefined;
}

/** Says that a qualifier names no relation. */
export function reportUnknownAlias(session: ResolveSession, scope: NameScope, qualifier: Identifier): void {
  const names: string[] = [];
  for (let at: NameScope | undefined = scope; at !== undefined; at = at.parent)
    for (const relation of at.fromItems) names.push(relation.name);
  report(session, 'unknown-table-alias', qualifier.name, {
    span: qualifier.span,
    isCertain: isClosed(scope),
    candidates: names.filter((name) => name !== ''),
  });
}

/** The table of this name, the same object for every use in the query. */
export function tableUse(session: ResolveSession, name: string): TableReads {
  let use = session.tables.get(name);
  if (use === undefined) {
    use = new TableReads(name);
    session.tables.set(name, use);
  }
  return use;
}
