/**
 * A forward-only change in prod keeps its table and fills it by its own text from then on. An environment that shows the same
 * table with the definition of before shows rows of both: its runs leave the table alone until a plan rebuilds it.
 */
import { dataPart, isForwardOnlyKind, isWritten, readsOf } from './definition.ts';
import { type Entry, keyOf, type Names, type Oracle } from './oracle.ts';

/** Marks tables that a plan of prod has taken over: of what changed forward-only, and of what reads that. */
export function markTaken(
  oracle: Oracle,
  {
    names,
    before,
    isForwardOnly,
  }: { readonly names: Names; readonly before: Names; readonly isForwardOnly: boolean },
): void {
  const taken = new Set<string>();
  for (const entry of names.values()) {
    const { model, definition } = entry;
    const present = before.get(model);
    if (present === undefined) continue;
    const isOther = dataPart(present.definition) !== dataPart(definition);
    const isBelow = readsOf(definition).some((name) => taken.has(name));
    if (!isBelow && !(isOther && (isForwardOnly || isForwardOnlyKind(definition.kind)))) continue;
    const key = keyOf(entry);
    if (!isWritten(definition)) taken.add(model);
    else if (key !== undefined && key === keyOf(present)) {
      taken.add(model);
      oracle.table(key).takers.add(definitionKey(names, entry));
    }
  }
}

/** Whether a table has, or gets, rows of another definition than the environment shows it with. */
export function isTaken(oracle: Oracle, names: Names, entry: Entry): boolean {
  const key = keyOf(entry);
  const takers = oracle.tables.get(key ?? '')?.takers ?? new Set();
  const own = definitionKey(names, entry);
  const prod = oracle.environments.get('prod');
  const inProd = prod?.get(entry.model);
  const isOtherInProd =
    prod !== undefined &&
    inProd !== undefined &&
    keyOf(inProd) === key &&
    definitionKey(prod, inProd) !== own;
  return [...takers].some((taker) => taker !== own) || (takers.size > 0 && isOtherInProd);
}

/** What a name means down to the external tables, by definitions alone. */
function definitionKey(names: Names, { definition }: Entry): string {
  const above = readsOf(definition).flatMap((name) => {
    const entry = names.get(name);
    return entry === undefined ? [] : [definitionKey(names, entry)];
  });
  return JSON.stringify([dataPart(definition), above]);
}
