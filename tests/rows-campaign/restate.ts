/** What a restatement asks for: the model, and every table below it, each as its kind can be filled again. */
import { isIncremental, isRebuiltWhole, isRestatable, isWritten, readsOf } from './definition.ts';
import { isOwn } from './due.ts';
import { tablesBelow } from './meaning.ts';
import { type Entry, keyOf, type Names, type Oracle } from './oracle.ts';

/** A model, from one day to another. */
export interface Restated {
  readonly model: string;
  readonly first: number;
  /** Excluded. */
  readonly end: number;
}

const EVER = { first: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY };

/** Marks what must be filled again in the environment, and what may be in others. */
export function markRestated(
  oracle: Oracle,
  { environment, names }: { readonly environment: string; readonly names: Names },
  { model, first, end }: Restated,
): void {
  const reached = new Map<string, { first: number; end: number }>([[model, { first, end }]]);
  // Dependencies come first, so what is above is known.
  for (const entry of names.values()) {
    for (const name of readsOf(entry.definition)) {
      const range = reached.get(name);
      if (range !== undefined) widen(reached, entry.model, range);
    }
    const range = reached.get(entry.model);
    const key = keyOf(entry);
    if (range === undefined || key === undefined || !isWritten(entry.definition)) continue;
    if (!isRestatable(entry.definition.kind) || entry.definition.kind.kind === 'seed') continue;
    if (!isOwn(oracle, environment, key)) {
      // It is not made of what is restated here.
      reached.delete(entry.model);
      continue;
    }
    markTable(oracle, entry, range, reached);
  }
  markOthers(oracle, names, reached);
}

function widen(
  reached: Map<string, { first: number; end: number }>,
  model: string,
  { first, end }: { readonly first: number; readonly end: number },
): void {
  const known = reached.get(model);
  reached.set(model, {
    first: Math.min(first, known?.first ?? first),
    end: Math.max(end, known?.end ?? end),
  });
}

function markTable(
  oracle: Oracle,
  { definition, model, ...entry }: Entry,
  { first, end }: { readonly first: number; readonly end: number },
  reached: Map<string, { first: number; end: number }>,
): void {
  const table = oracle.table(keyOf({ model, ...entry }) ?? '');
  if (!isIncremental(definition.kind)) {
    const isTouched = table.whole !== undefined && table.whole.end > first && definition.start < end;
    if (isTouched) table.isWholePending = true;
    return;
  }
  const touched = [...table.days.keys()].filter((day) => day >= first && day < end);
  if (touched.length === 0) return;
  if (isRebuiltWhole(definition.kind)) {
    for (const day of table.days.keys()) table.pending.add(day);
    // Any of its rows may be another now.
    widen(reached, model, EVER);
    return;
  }
  const from = Math.min(...touched);
  if (definition.query?.past === undefined) for (const day of touched) table.pending.add(day);
  else {
    for (const day of table.days.keys()) if (day >= from) table.pending.add(day);
    widen(reached, model, { first: from, end: Number.POSITIVE_INFINITY });
  }
}

/** Tables of other environments that are made of the same rows are theirs to fill again. */
function markOthers(oracle: Oracle, names: Names, reached: ReadonlyMap<string, unknown>): void {
  const restated = new Set([...names.values()].filter(({ model }) => reached.has(model)).map(keyOf));
  for (const table of oracle.tables.values())
    if (table.latest !== undefined && tablesBelow(table.latest.reads).some((key) => restated.has(key))) {
      table.mayFollow = true;
      restated.add(table.key);
    }
}
