import { nameFold } from '../../../foundation/sql/canonical/canonical-writer.ts';
import type { Dialect } from '../../../foundation/sql/dialect.ts';
import type { Query } from '../../../foundation/sql/tree.ts';
import type { SqlType } from '../../../foundation/sql/types/sql-type.ts';
import { parseType } from '../../../foundation/sql/types/type-names.ts';
import { expressionValue } from './expression-value.ts';
import { type ComparedModel, folded, type UpstreamEffect } from './query-change.ts';
import type { TableTerms, TermSession } from './table-terms.ts';
import type { Term, Terms } from './terms.ts';
import { termsOfQuery } from './terms-of-query.ts';
import { Unsure } from './unsure.ts';

/** How one of the two queries is looked at. */
export interface Side {
  readonly compared: ComparedModel;
  readonly query: Query;
  readonly dialect: Dialect;
  /** Changes of tables it reads that have happened on this side: their columns are other values than before. */
  readonly effects: readonly UpstreamEffect[];
  readonly columnsOf: ComparedModel['columnsOf'];
  /** The ordinal of the first choice: two sides that start alike mean the same choices, as when nothing is built again. */
  readonly firstChoice: number;
}

/** What the query returns, or `Unsure`. */
export function evaluateQuery(terms: Terms, side: Side): TableTerms {
  checkNames(side.query, side.dialect);
  const session = newSession(terms, side);
  const relation = termsOfQuery(session, side.query, undefined, undefined);
  const names = relation.columns.map((column) => column.name).filter((name) => name !== undefined);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new Unsure(`the query returns ${twice} twice`);
  return relation;
}

/** Names are compared in lower case here. Where quotes keep the case, a name that only quotes can write is not followed. */
function checkNames(query: Query, dialect: Dialect): void {
  const fold = nameFold(dialect);
  if (fold === 'all-lower') return;
  const waiting: unknown[] = [query];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    if ('quoted' in value && 'name' in value && typeof value.name === 'string') {
      const { name } = value;
      const isCased = fold === 'upper-unquoted' ? name !== name.toUpperCase() : name !== name.toLowerCase();
      if (isCased && (value.quoted === true || fold === 'exact'))
        throw new Unsure(`the case of ${name} matters, which is not followed`);
    }
    for (const part of Object.values(value)) if (part !== undefined) waiting.push(part);
  }
}

function newSession(terms: Terms, side: Side): TermSession {
  const types = new Map<Term, SqlType>();
  const nameOf = tableNames(side.compared);
  let choices = side.firstChoice;
  const column = (table: string, name: string): Term => {
    const effect = side.effects.find((each) => isSameTable(each.table, table));
    const value = terms.make('column', table, folded(name), isTouched(effect, name) ? 'changed' : '');
    const type = side.compared.typeOf?.(table, name);
    // TIMESTAMP(3) is another type than TIMESTAMP.
    if (type !== undefined && side.dialect === 'duckdb' && !/TIME\w*\s*\(/i.test(type))
      types.set(value, parseType(type));
    return value;
  };
  return {
    terms,
    dialect: side.dialect,
    table: (parts) => {
      const table = nameOf(parts.join('.'));
      const effect = side.effects.find((each) => isSameTable(each.table, table));
      const rows = terms.make('table', table, effect?.change.kind === 'rows' ? 'changed' : '');
      const columns = side.columnsOf(table);
      if (columns === undefined)
        return {
          rows,
          columns: [{ name: undefined, value: terms.make('all', table, isAny(effect) ? 'changed' : '') }],
        };
      if (new Set(columns.map(folded)).size < columns.length)
        throw new Unsure(`${table} has columns whose names differ in case only`);
      return { rows, columns: columns.map((name) => ({ name: folded(name), value: column(table, name) })) };
    },
    column,
    chosen: (reason, ...parts) => terms.make('chosen', String(choices++), reason, ...parts),
    types,
    depth: 0,
    recursions: 0,
    value: expressionValue,
    termsOf: termsOfQuery,
  };
}

const isAny = (effect: UpstreamEffect | undefined): boolean =>
  effect !== undefined && effect.change.kind !== 'same';

function isTouched(effect: UpstreamEffect | undefined, name: string): boolean {
  if (effect === undefined || effect.change.kind === 'same') return false;
  const { kind, changed, added, removed } = effect.change;
  return kind === 'rows' || [...changed, ...added, ...removed].some((each) => folded(each) === folded(name));
}

/** One may say its catalog and the other leave it out. Taking two tables for one only makes more of a change. */
export function isSameTable(a: string, b: string): boolean {
  const [x, y] = [folded(a), folded(b)];
  return x === y || x.endsWith(`.${y}`) || y.endsWith(`.${x}`);
}

/** The name in `dependencies` of what a query calls a table. */
function tableNames(compared: ComparedModel): (written: string) => string {
  return (written) => {
    const found = compared.model.dependencies.filter((name) => isSameTable(name, written));
    return (
      found.find((name) => folded(name) === folded(written)) ??
      (found.length === 1 ? (found[0] as string) : written)
    );
  };
}
