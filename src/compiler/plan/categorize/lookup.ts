/**
 * Finding what a name means. Where engines or unknown columns leave a choice, the term holds all the candidates
 * (`either`): whichever it is, it stays the same as long as the candidates do, and a new candidate is a change.
 */
import type { ColumnReference } from '../../../foundation/sql/tree.ts';
import { functionKind } from './function-facts.ts';
import { folded } from './query-change.ts';
import type { ColumnTerm, TermScope, TermSession, TermSource } from './table-terms.ts';
import type { Term } from './terms.ts';
import { Unsure } from './unsure.ts';

/** The value of a column reference, or the end of the proof. */
export function valueOfColumn(session: TermSession, scope: TermScope, reference: ColumnReference): Term {
  const parts = [...reference.qualifiers, reference.name].map((part) => folded(part.name));
  const found = find(session, scope, parts);
  // Without its parentheses such a function looks like a column that is not listed; so does the place of a row.
  const [name] = parts as [string];
  const isNoColumn = parts.length === 1 && functionKind(name, session.dialect) === 'volatile';
  if ((isNoColumn && columnOfFrom(session, scope, name) === undefined) || isRowPlace(scope, parts))
    throw new Unsure(`${name} may be another value each time`);
  if (found === undefined) throw new Unsure(`it is not known where ${parts.join('.')} comes from`);
  return found;
}

/** `rowid` is the place of a row, unless a table says that it has such a column. */
const isRowPlace = (scope: TermScope, parts: readonly string[]): boolean =>
  parts.includes('rowid') &&
  !scope.sources.some((source) => source.columns.some((column) => column.name === 'rowid'));

function find(session: TermSession, scope: TermScope, parts: readonly string[]): Term | undefined {
  return parts.length === 1 ? findName(session, scope, parts[0] as string) : findPath(session, scope, parts);
}

function either(session: TermSession, candidates: readonly (Term | undefined)[]): Term | undefined {
  const distinct = [...new Set(candidates.filter((term) => term !== undefined))];
  return distinct.length < 2 ? distinct[0] : session.terms.make('either', ...distinct);
}

function fromParent(session: TermSession, scope: TermScope, parts: readonly string[]): Term | undefined {
  if (scope.parent === undefined) return undefined;
  const found = find(session, scope.parent, parts);
  // The parameters of a lambda stand in the same row as what is around it.
  return found === undefined || scope.variables !== undefined ? found : session.terms.make('outer', found);
}

/** A name without a table: columns of FROM, then aliases, then the query around; a table's own name is its row. */
function findName(session: TermSession, scope: TermScope, name: string): Term | undefined {
  const { value, isCertain } = ownName(session, scope, name);
  return isCertain ? value : either(session, [value, fromParent(session, scope, [name])]);
}

/** What the scope itself has by that name; certain when the query around cannot be meant. */
function ownName(
  session: TermSession,
  scope: TermScope,
  name: string,
): { readonly value: Term | undefined; readonly isCertain: boolean } {
  if (scope.variables !== undefined) {
    const value = scope.variables.has(name) ? session.terms.make('variable', name) : undefined;
    return { value, isCertain: false };
  }
  const hit = columnOfFrom(session, scope, name);
  if (hit !== undefined) {
    const rival = scope.aliasUse === 'rival' ? scope.alias?.(name) : undefined;
    const value = either(session, [hit, rival]) as Term;
    return {
      value: value === hit ? hit : session.terms.make('chosen by GROUP BY', value, scope.groupText),
      isCertain: true,
    };
  }
  const possible = scope.sources.flatMap((source) => unknownColumn(session, source, name));
  const rows = scope.sources
    .filter((source) => source.alias === name)
    .map((source) => rowOf(session, source));
  return { value: either(session, [...possible, ...rows, scope.alias?.(name)]), isCertain: false };
}

/** The one column of that name among those that are known. */
function columnOfFrom(session: TermSession, scope: TermScope, name: string): Term | undefined {
  const merged = scope.merged.get(name);
  if (merged !== undefined) return merged;
  const hits = scope.sources.flatMap((source) =>
    source.hidden.has(name) ? [] : named(session, source.columns, name),
  );
  if (new Set(hits).size > 1) throw new Unsure(`${name} is in more than one table of FROM`);
  return hits[0];
}

/** `t.a`, `s.t.a`, and paths into structs such as `a.b` and `t.a.b`. */
function findPath(session: TermSession, scope: TermScope, parts: readonly string[]): Term | undefined {
  const [first, ...rest] = parts as [string, ...string[]];
  const owners = scope.sources.filter((source) => prefixOf(source, parts) > 0);
  if (owners.length > 1) throw new Unsure(`FROM has ${first} more than once`);
  const [owner] = owners;
  const candidates: (Term | undefined)[] = [];
  let isCertain = false;
  if (owner !== undefined) {
    const taken = prefixOf(owner, parts);
    const name = parts[taken] as string;
    const [hit] = named(session, owner.columns, name);
    const column = hit ?? unknownColumn(session, owner, name)[0];
    if (column !== undefined) candidates.push(fields(session, column, parts.slice(taken + 1)));
    isCertain = hit !== undefined;
    const struct = columnOfFrom(session, scope, first);
    if (struct !== undefined) candidates.push(fields(session, struct, rest));
  } else {
    const own = ownName(session, scope, first);
    if (own.value !== undefined) candidates.push(fields(session, own.value, rest));
    isCertain = own.isCertain;
  }
  if (!isCertain) candidates.push(fromParent(session, scope, parts));
  return either(session, candidates);
}

/** The column of that name; one of the same name among the unlisted ones may come before it. */
export function named(session: TermSession, columns: readonly ColumnTerm[], name: string): Term[] {
  const at = columns.findIndex((column) => column.name === name);
  if (at < 0) return [];
  const open = columns.slice(0, at).filter((column) => column.name === undefined);
  const found = (columns[at] as ColumnTerm).value;
  return [either(session, [found, ...open.map((column) => pick(session, column.value, name))]) as Term];
}

function unknownColumn(session: TermSession, source: TermSource, name: string): Term[] {
  const open = source.columns.filter((column) => column.name === undefined);
  return open.map((column) => pick(session, column.value, name));
}

/** One column, by name, of columns that are not listed. */
export function pick(session: TermSession, open: Term, name: string): Term {
  const { terms } = session;
  const parts = terms.parts(open);
  switch (terms.op(open)) {
    case 'all':
      return session.column(parts[0] as string, name);
    case 'at':
      return terms.make('at', parts[0] as string, pick(session, parts[1] as Term, name));
    case 'except':
      if (!parts.includes(name)) return pick(session, parts[0] as Term, name);
  }
  return terms.make('pick', open, name);
}

function fields(session: TermSession, value: Term, path: readonly string[]): Term {
  return path.length === 0 ? value : session.terms.make('scalar', 'field', value, ...path);
}

/** How many parts of the path name the source: 1 for its alias, more for a qualified table; the last part is always a column's. */
function prefixOf(source: TermSource, parts: readonly string[]): number {
  if (source.alias === parts[0]) return 1;
  const { path } = source;
  for (let length = Math.min(path.length, parts.length - 1); length > 0; length--)
    if (path.slice(-length).every((part, at) => part === parts[at])) return length;
  return 0;
}

/** A whole row as a struct: it changes with every column. */
function rowOf(session: TermSession, source: TermSource): Term {
  return session.terms.make('row', ...everyColumn(source.columns));
}

/** Names and values, for what depends on all of them. */
export function everyColumn(columns: readonly ColumnTerm[]): (string | Term)[] {
  return columns.flatMap((column) => [column.name ?? '*', column.value]);
}
