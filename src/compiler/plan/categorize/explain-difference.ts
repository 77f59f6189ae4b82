/** Words for why two terms differ: the first place, from the outside in, where they part. */
import type { Term, Terms } from './terms.ts';

const WORDS: Readonly<Record<string, string>> = {
  table: 'a table',
  filter: 'a filter',
  group: 'a grouping',
  'group sets': 'grouping sets',
  distinct: 'DISTINCT',
  'distinct on': 'DISTINCT ON',
  limit: 'LIMIT',
  cross: 'a join',
  left: 'a LEFT JOIN',
  right: 'a RIGHT JOIN',
  full: 'a FULL JOIN',
  semi: 'a SEMI JOIN',
  anti: 'an ANTI JOIN',
  appended: 'UNION ALL',
  compared: 'a set operation',
  recursive: 'a recursive table',
  expanded: 'unnest() in the select list',
  function: 'a table function',
  pivot: 'PIVOT',
  unpivot: 'UNPIVOT',
  values: 'VALUES',
  'one row': 'no table',
  version: 'a version of a table',
  'steps so far': 'a recursive table',
};

/** What the parts of such rows that are not rows are to the author. */
const CLAUSES: Readonly<Record<string, string>> = {
  filter: 'the filter',
  group: 'the grouping',
  'group sets': 'the grouping',
  distinct: 'DISTINCT, which compares every selected column,',
  'distinct on': 'DISTINCT ON',
  limit: 'LIMIT or its ORDER BY',
  left: 'a LEFT JOIN’s condition',
  right: 'a RIGHT JOIN’s condition',
  full: 'a FULL JOIN’s condition',
  semi: 'a SEMI JOIN’s condition',
  anti: 'an ANTI JOIN’s condition',
  compared: 'UNION, EXCEPT or INTERSECT, which compares every column,',
  recursive: 'the recursive table, whose steps see every column,',
  expanded: 'unnest() in the select list',
  function: 'a table function',
  pivot: 'PIVOT, which groups by every column of its source,',
  unpivot: 'UNPIVOT',
};

/** A sentence without its full stop. */
export function explainRows(terms: Terms, before: Term, after: Term): string {
  let [a, b] = [before, after];
  for (;;) {
    const [opA, opB] = [terms.op(a), terms.op(b)];
    if (opA === 'filter' || opB === 'filter') {
      const [x, y] = [terms.filtered(a), terms.filtered(b)];
      if (x.input === y.input) return filterWords(terms, x.conditions, y.conditions);
      [a, b] = [x.input, y.input];
      continue;
    }
    if (opA === 'table' && opB === 'table') {
      const [nameA, nameB] = [terms.parts(a)[0], terms.parts(b)[0]];
      return nameA === nameB ? `rows of ${nameA} changed` : `rows come from ${nameB} instead of ${nameA}`;
    }
    if (opA !== opB) return `rows come from ${WORDS[opB] ?? opB} where they came from ${WORDS[opA] ?? opA}`;
    const inner = firstDifferentRows(terms, a, b);
    if (inner === undefined)
      return `${CLAUSES[opB] ?? WORDS[opB] ?? opB} changed${about(terms, differing(terms, a, b))}`;
    [a, b] = inner;
  }
}

function filterWords(terms: Terms, before: readonly Term[], after: readonly Term[]): string {
  const gone = before.filter((each) => !after.includes(each));
  const come = after.filter((each) => !before.includes(each));
  const verb = gone.length === 0 ? 'has a new condition' : come.length === 0 ? 'lost a condition' : 'changed';
  return `the filter ${verb}${about(terms, [...come, ...gone])}`;
}

function firstDifferentRows(terms: Terms, a: Term, b: Term): [Term, Term] | undefined {
  const [x, y] = [terms.parts(a), terms.parts(b)];
  for (let at = 0; at < Math.max(x.length, y.length); at++) {
    const [left, right] = [x[at], y[at]];
    if (left === right) continue;
    if (typeof left !== 'number' || typeof right !== 'number') return undefined;
    return isRows(terms, left) && isRows(terms, right) ? [left, right] : undefined;
  }
  return undefined;
}

const isRows = (terms: Terms, term: Term): boolean => WORDS[terms.op(term)] !== undefined;

function differing(terms: Terms, a: Term, b: Term): readonly Term[] {
  const flat = (term: Term): readonly Term[] =>
    terms.children(term).flatMap((child) => (terms.op(child) === 'set' ? terms.children(child) : [child]));
  const [x, y] = [flat(a), flat(b)];
  return [...y.filter((each) => !x.includes(each)), ...x.filter((each) => !y.includes(each))];
}

const NAMES_MAX = 3;

/** ` (a, b)`: the columns a term is about; what the engine may choose differently is named instead. */
function about(terms: Terms, values: readonly Term[]): string {
  for (const value of values) {
    const reason = choiceIn(terms, value);
    if (reason !== undefined) return `: ${reason}`;
  }
  const changed = new Set<string>();
  const names = new Set<string>();
  for (const value of values)
    for (const column of columnsIn(terms, value)) {
      names.add(column.name);
      if (column.isChanged) changed.add(`${column.table}.${column.name}`);
    }
  if (changed.size > 0) return `: it reads ${list([...changed])}, which changed`;
  return names.size === 0 ? '' : ` (${list([...names])})`;
}

const list = (names: readonly string[]): string =>
  names.length <= NAMES_MAX
    ? names.join(', ')
    : `${names.slice(0, NAMES_MAX).join(', ')} and ${names.length - NAMES_MAX} more`;

interface NamedColumn {
  readonly table: string;
  readonly name: string;
  readonly isChanged: boolean;
}

/** Columns of tables outside the query that a value is made of. */
export function columnsIn(terms: Terms, value: Term): readonly NamedColumn[] {
  const found: NamedColumn[] = [];
  terms.some(value, (term) => {
    if (terms.op(term) !== 'column') return false;
    const [table, name, state] = terms.parts(term) as [string, string, string];
    found.push({ table, name, isChanged: state === 'changed' });
    return false;
  });
  return found;
}

/** Why a value may be another one each time, if it may. */
export function choiceIn(terms: Terms, value: Term): string | undefined {
  let reason: string | undefined;
  terms.some(value, (term) => {
    if (terms.op(term) !== 'chosen') return false;
    reason = terms.parts(term)[1] as string;
    return true;
  });
  return reason;
}
