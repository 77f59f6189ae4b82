/** The columns of a SELECT, with stars expanded where the columns are known. */
import { castColumn } from '../../../foundation/sql/cast-aliases.ts';
import { outputName } from '../../../foundation/sql/resolve/output-name.ts';
import type { Expression, Projection, Select, Star } from '../../../foundation/sql/tree.ts';
import { walk } from '../../../foundation/sql/walk.ts';
import { isAggregate } from './function-facts.ts';
import { folded } from './query-change.ts';
import type { ClauseTerms, ColumnTerm, TermScope, TermSession } from './table-terms.ts';
import type { Term } from './terms.ts';
import { Unsure } from './unsure.ts';

/** One projection, not yet computed; a star has become one for each column it stands for. */
export interface Selected {
  /** Undefined for columns that are not known by name. */
  readonly name: string | undefined;
  /** Whether the author gave it: other clauses see only such names in most engines. */
  readonly hasAlias: boolean;
  readonly compute: (clause: ClauseTerms) => Term;
  readonly expression?: Expression;
}

/** The select list in order. */
export function selectList(session: TermSession, scope: TermScope, select: Select): readonly Selected[] {
  if (session.dialect === 'clickhouse') checkAliases(select);
  return select.projections.flatMap((projection) => selected(session, scope, select, projection));
}

/** ClickHouse prefers an alias to a column everywhere, also one that comes later. */
function checkAliases({ projections }: Select): void {
  const aliases = projections.map(({ alias }) => (alias === undefined ? undefined : folded(alias.name)));
  for (const [at, { expression }] of projections.entries())
    walk(expression, (node) => {
      const name =
        node.kind === 'column' && node.qualifiers.length === 0 ? folded(node.name.name) : undefined;
      if (name !== undefined && aliases.some((alias, place) => place !== at && alias === name))
        throw new Unsure(`${name} may be a column or another selected value`);
      return true;
    });
}

function selected(
  session: TermSession,
  scope: TermScope,
  select: Select,
  projection: Projection,
): readonly Selected[] {
  const { expression, alias } = projection;
  if (expression.kind === 'star') return starred(session, scope, expression);
  const compute = (clause: ClauseTerms): Term => session.value(session, clause, expression);
  // How many columns COLUMNS(…), a struct's star and unnest(struct) make is not known here.
  const isOpen = !isSingle(expression);
  const name = isOpen ? undefined : folded(alias?.name ?? nameOf(expression, select));
  return [{ name, hasAlias: alias !== undefined && !isOpen, compute, expression }];
}

function nameOf(expression: Expression, select: Select): string {
  if (expression.kind === 'column') return expression.name.name;
  return castColumn(expression)?.name ?? outputName(expression, select.windows);
}

function isSingle(expression: Expression): boolean {
  if (expression.kind === 'field' && expression.field.name === '*') return false;
  if (expression.kind === 'call' && folded(expression.name.name) === 'unnest') return false;
  let isSingle = true;
  walk(expression, (node) => {
    if (node.kind === 'query') return false;
    if (node.kind === 'star' || (node.kind === 'call' && folded(node.name.name) === 'columns'))
      isSingle = false;
    return isSingle;
  });
  return isSingle;
}

function starred(session: TermSession, scope: TermScope, star: Star): readonly Selected[] {
  const owner = star.qualifiers.length === 0 ? undefined : folded(star.qualifiers.at(-1)?.name ?? '');
  const sources =
    owner === undefined ? scope.sources : scope.sources.filter((source) => source.alias === owner);
  if (sources.length === 0) throw new Unsure(`it is not known what ${owner ?? ''}.* stands for`);
  if (owner !== undefined && sources.length > 1) throw new Unsure(`FROM has ${owner} more than once`);
  if (star.exclude.some((name) => name.qualifiers !== undefined && name.qualifiers.length > 0))
    throw new Unsure('a star leaves out a column by its table');
  const excluded = new Set(star.exclude.map((name) => folded(name.name)));
  const shown = sources.flatMap((source) =>
    source.columns
      .filter((column) => column.name === undefined || owner !== undefined || !source.hidden.has(column.name))
      .map((column) => visible(scope, column, owner === undefined)),
  );
  return shown
    .filter((column) => column.name === undefined || !excluded.has(column.name))
    .map((column) => starColumn(session, star, column, excluded));
}

/** A column that USING made of two is shown as one. */
function visible(scope: TermScope, column: ColumnTerm, isWhole: boolean): ColumnTerm {
  const merged = column.name === undefined || !isWhole ? undefined : scope.merged.get(column.name);
  return merged === undefined ? column : { name: column.name, value: merged };
}

function starColumn(
  session: TermSession,
  star: Star,
  column: ColumnTerm,
  excluded: ReadonlySet<string>,
): Selected {
  const { name, value } = column;
  if (name === undefined) {
    if (star.replace.length > 0 || star.rename.length > 0)
      throw new Unsure('a star changes columns that are not known');
    const open = excluded.size === 0 ? value : session.terms.make('except', value, ...[...excluded].sort());
    return { name, hasAlias: false, compute: () => open };
  }
  const replaced = star.replace.find((item) => folded(item.alias?.name ?? '') === name);
  const renamed = star.rename.find((item) => folded(item.from.name) === name);
  const compute = (clause: ClauseTerms): Term =>
    replaced === undefined ? value : session.value(session, clause, replaced.expression);
  return {
    name: renamed === undefined ? name : folded(renamed.to.name),
    hasAlias: false,
    compute,
    ...(replaced !== undefined && { expression: replaced.expression }),
  };
}

/** Whether an expression folds rows of its own select: those in subqueries fold others. */
export function hasAggregate(session: TermSession, expression: Expression | undefined): boolean {
  if (expression === undefined) return false;
  let found = false;
  walk(expression, (node) => {
    if (node.kind === 'query') return false;
    if (
      node.kind === 'call' &&
      node.over === undefined &&
      isAggregate(folded(node.name.name), session.dialect)
    )
      found = true;
    return !found;
  });
  return found;
}
