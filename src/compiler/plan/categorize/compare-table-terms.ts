import { choiceIn, columnsIn, explainRows } from './explain-difference.ts';
import { type QueryChange, same } from './query-change.ts';
import type { TableTerms } from './table-terms.ts';
import type { Term, Terms } from './terms.ts';

/** The rule of the whole proof: with one rows term, columns of one value term are the same together. */
export function compareTableTerms(terms: Terms, before: TableTerms, after: TableTerms): QueryChange {
  const old = namedValues(before);
  const now = namedValues(after);
  const added = [...now.keys()].filter((name) => !old.has(name));
  const removed = [...old.keys()].filter((name) => !now.has(name));
  const changed = [...now.keys()].filter((name) => old.has(name) && old.get(name) !== now.get(name));
  const names = { added, removed, changed };
  if (before.rows !== after.rows)
    return { kind: 'rows', ...names, reason: explainRows(terms, before.rows, after.rows) };
  if (unnamed(before).join() !== unnamed(after).join())
    return { kind: 'rows', ...names, reason: 'columns that are not known by name may have changed' };
  if (beforeUnnamed(before) !== beforeUnnamed(after))
    return {
      kind: 'rows',
      ...names,
      reason: 'columns that are not known by name may have other names now',
    };
  if (removed.length + changed.length > 0)
    return { kind: 'columns', ...names, reason: columnsReason(terms, names, now) };
  if (added.length > 0)
    return { kind: 'additive', ...names, reason: `adds ${list(added)}; all other columns keep their rows` };
  if (order(before) !== order(after))
    return {
      kind: 'additive',
      ...names,
      reason: 'the columns are in another order; their rows are the same',
    };
  return same('the query gives the same rows as before');
}

const namedValues = (relation: TableTerms): ReadonlyMap<string, Term> =>
  new Map(
    relation.columns
      .filter((column) => column.name !== undefined)
      .map((column) => [column.name as string, column.value]),
  );

const unnamed = (relation: TableTerms): readonly Term[] =>
  relation.columns.filter((column) => column.name === undefined).map((column) => column.value);

/** A column in front of the unknown ones takes its name from one of them that has the same. */
const beforeUnnamed = (relation: TableTerms): string =>
  order({ ...relation, columns: relation.columns.slice(0, relation.columns.findLastIndex((column) => column.name === undefined) + 1) }); // biome-ignore format: one list

const order = (relation: TableTerms): string =>
  relation.columns.map((column) => column.name ?? '*').join('\n');

const NAMES_MAX = 5;

const list = (names: readonly string[]): string =>
  names.length <= NAMES_MAX
    ? names.join(', ')
    : `${names.slice(0, NAMES_MAX).join(', ')} and ${names.length - NAMES_MAX} more`;

function columnsReason(
  terms: Terms,
  { added, removed, changed }: Pick<QueryChange, 'added' | 'removed' | 'changed'>,
  values: ReadonlyMap<string, Term>,
): string {
  const verbs = [
    ...(changed.length > 0 ? [`changes ${list(changed)}${why(terms, changed, values)}`] : []),
    ...(removed.length > 0 ? [`removes ${list(removed)}`] : []),
    ...(added.length > 0 ? [`adds ${list(added)}`] : []),
  ];
  return `${verbs.join(', ')}; all other columns keep their rows`;
}

/** What makes the first changed column another one, where that is more than its own expression. */
function why(terms: Terms, changed: readonly string[], values: ReadonlyMap<string, Term>): string {
  for (const name of changed) {
    const value = values.get(name) as Term;
    const source = columnsIn(terms, value).find((column) => column.isChanged);
    if (source !== undefined) return ` (${name} is made of ${source.table}.${source.name}, which changed)`;
    const choice = choiceIn(terms, value);
    if (choice !== undefined) return ` (${choice})`;
  }
  return '';
}
