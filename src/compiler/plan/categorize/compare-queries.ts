/**
 * Whether a change of a query changes its data.
 *
 *   previous ─▶ terms ┐                same rows term?          no ─▶ rows
 *                     ├─▶ compare ─▶   same value of a column?  no ─▶ that column changed
 *   next ─────▶ terms ┘                both, in the same order  ───▶ same
 */
import { readsItself } from '../../../domain/model.ts';
import { canonicalText } from '../../../foundation/sql/canonical/canonical.ts';
import { parseQuery } from '../../../foundation/sql/parse/parse-query.ts';
import type { Query } from '../../../foundation/sql/tree.ts';
import { compareTableTerms } from './compare-table-terms.ts';
import { evaluateQuery, type Side } from './evaluate-query.ts';
import { type ComparedModel, folded, type QueryChange, same, type UpstreamEffect } from './query-change.ts';
import { Terms } from './terms.ts';
import { throughKind } from './through-kind.ts';
import { Unsure } from './unsure.ts';

/** Between the two sides' ordinals of choices, so that they never meet. */
const APART = 1_000_000;

/**
 * What became of the model's own rows. `effects` are changes of tables that `next` reads and `previous` did not see yet:
 * with them the answer is about everything together.
 */
export function compareQueries(
  previous: ComparedModel,
  next: ComparedModel,
  effects: readonly UpstreamEffect[] = [],
): QueryChange {
  const queries = [previous, next].map(read) as [Query | undefined, Query | undefined];
  const [before, after] = queries;
  if (before === undefined || after === undefined)
    return unproven(previous, next, 'a query cannot be read, so nothing is known of its rows');
  if (previous.model.dialect !== next.model.dialect)
    return unproven(previous, next, `the query is ${next.model.dialect} and was ${previous.model.dialect}`);
  const real = effects.filter((effect) => effect.change.kind !== 'same');
  const sides = (apart: number): [Side, Side] => [
    { compared: previous, query: before, dialect: previous.model.dialect, effects: [], columnsOf: previous.columnsOf, firstChoice: 0 },
    { compared: next, query: after, dialect: next.model.dialect, effects: real, columnsOf: next.columnsOf, firstChoice: apart },
  ]; // biome-ignore format: two sides
  const found = compareSides(sides);
  if ('change' in found)
    return throughKind(selfRead(withTypes(found.change, previous, next), next), next.model);
  const isUnchanged = real.length === 0 && previous.model.dialect === next.model.dialect && canonicalText(before, previous.model.dialect) === canonicalText(after, next.model.dialect); // biome-ignore format: one question
  if (isUnchanged) return same('the query is the same');
  return unproven(previous, next, found.reason);
}

/**
 * First as if nothing were built again: then whatever the engine chose stays chosen. If that does not show that all is the same,
 * it is built again, and every choice may fall differently.
 */
export function compareSides(sides: (apart: number) => [Side, Side]): Compared {
  return attempt(() => {
    const kept = compareOnce(sides(0));
    return kept.kind === 'same' ? kept : compareOnce(sides(APART));
  });
}

type Compared = { readonly change: QueryChange } | { readonly reason: string };

/** The end of the proof as a value. */
function attempt(work: () => QueryChange): Compared {
  try {
    return { change: work() };
  } catch (error) {
    if (error instanceof Unsure) return { reason: error.message };
    if (error instanceof RangeError) return { reason: 'the query is nested too deeply to be compared' };
    throw error;
  }
}

/** What building the same query once more may change: only what the engine chooses itself. */
export function compareRebuilt(compared: ComparedModel): QueryChange {
  const query = read(compared);
  if (query === undefined) return unproven(compared, compared, 'the query cannot be read');
  const side = {
    compared,
    query,
    dialect: compared.model.dialect,
    effects: [],
    columnsOf: compared.columnsOf,
  };
  const found = attempt(() =>
    compareOnce([
      { ...side, firstChoice: 0 },
      { ...side, firstChoice: APART },
    ]),
  );
  return 'change' in found ? found.change : unproven(compared, compared, found.reason);
}

function compareOnce([before, after]: [Side, Side]): QueryChange {
  const terms = new Terms();
  return compareTableTerms(terms, evaluateQuery(terms, before), evaluateQuery(terms, after));
}

function read({ query, model }: ComparedModel): Query | undefined {
  const parsed = parseQuery(query, model.dialect);
  return parsed.ok ? parsed.value : undefined;
}

/** A model that reads its own earlier rows passes a change of one column on to whatever it computes from it. */
export function selfRead(change: QueryChange, { model }: ComparedModel): QueryChange {
  if (change.kind !== 'columns' || !readsItself(model)) return change;
  return { ...change, kind: 'rows', reason: `the model reads itself, and ${change.reason}` };
}

/** The same values in another type are a change of the column. */
function withTypes(change: QueryChange, previous: ComparedModel, next: ComparedModel): QueryChange {
  if (change.kind === 'rows') return change;
  const before = new Map(previous.model.columns.map((column) => [folded(column.name), column.type]));
  const other = next.model.columns.filter((column) => {
    const type = before.get(folded(column.name));
    return type !== undefined && type !== 'UNKNOWN' && column.type !== 'UNKNOWN' && type !== column.type;
  });
  const retyped = other.filter((column) => !change.changed.includes(folded(column.name)));
  const [first] = retyped;
  if (first === undefined) return change;
  return {
    ...change,
    kind: 'columns',
    changed: [...change.changed, ...retyped.map((column) => folded(column.name))],
    reason: `${folded(first.name)} is ${first.type} and was ${before.get(folded(first.name))}`,
  };
}

/** Nothing is proven; the names are what the models say. */
export function unproven(previous: ComparedModel, next: ComparedModel, reason: string): QueryChange {
  const before = previous.model.columns.map((column) => folded(column.name));
  const after = next.model.columns.map((column) => folded(column.name));
  return {
    kind: 'rows',
    added: after.filter((name) => !before.includes(name)),
    removed: before.filter((name) => !after.includes(name)),
    changed: [],
    reason,
  };
}
