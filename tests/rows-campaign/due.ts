/**
 * Which days a table must have after a plan or run, from the rules of the design page:
 *
 *   a day is due when it is over; it is filled when every table above has it and the signal lets it through
 *   where order matters, nothing is filled behind a day that waits
 *   a plan fills tables that are new to the environment, a run fills all of them; nothing runs ahead of what it reads
 *   an environment writes only tables that no other one shows
 */
import { type Definition, isForwardOnlyKind, isIncremental, isOrdered, isWritten } from './definition.ts';
import { tablesBelow } from './meaning.ts';
import { type Entry, keyOf, type Names, type Oracle, type OracleTable } from './oracle.ts';
import { daysOf } from './values.ts';

/** A plan or run as far as it decides what is filled. */
export interface Asked {
  readonly kind: 'plan' | 'run';
  readonly environment: string;
  readonly names: Names;
  /** The environment before; undefined when the work makes it. */
  readonly before: Names | undefined;
  /** Execution time in milliseconds. */
  readonly now: number;
  /** `run --select`; a plan with a selection has kept entries instead. */
  readonly selected?: ReadonlySet<string> | undefined;
  /** `--start` and `--end` as days, the end excluded. */
  readonly bounds?: { readonly first?: number; readonly end?: number } | undefined;
  /** `--skip-backfill`. */
  readonly isSkipped: boolean;
  /** `plan --run`. */
  readonly withRun: boolean;
  /** `--forward-only`. */
  readonly isForwardOnly: boolean;
  /** With `--restate-model` a range is that of what is restated. */
  readonly isRestating: boolean;
  readonly held: Held;
}

/** Days that the signal holds back: all from one on, and one before. */
export interface Held {
  readonly from: number;
  readonly hole?: number | undefined;
}

export const NOTHING_HELD: Held = { from: Number.POSITIVE_INFINITY };

export const isHeld = ({ from, hole }: Held, day: number): boolean => day >= from || day === hole;

/** The first day that is not over. */
export const dueEnd = (now: number): number => Math.floor(daysOf(now));

/** Tables that another environment shows must not be written here. */
export function isOwn(oracle: Oracle, environment: string, key: string): boolean {
  if (environment === 'prod') return true;
  return ![...oracle.environments]
    .filter(([name]) => name !== environment)
    .some(([, names]) => [...names.values()].some((entry) => keyOf(entry) === key));
}

/** Whether a table does not have a day that it should have. */
function lacks(table: OracleTable | undefined, definition: Definition, day: number): boolean {
  if (definition.kind.kind === 'seed') return table?.whole === undefined;
  if (!isIncremental(definition.kind)) return day >= (table?.whole?.end ?? Number.NEGATIVE_INFINITY);
  if (day < definition.start) return false;
  const fill = table?.days.get(day);
  return fill === undefined || fill.isPartial;
}

/** The tables that a model is made of. */
export function above(oracle: Oracle, names: Names, { definition }: Entry): readonly AboveTable[] {
  const byKey = new Map([...names.values()].map((entry) => [keyOf(entry), entry.definition]));
  return tablesBelow(oracle.readsFor(definition, names)).flatMap((key) => {
    const table = oracle.tables.get(key);
    const found = byKey.get(key) ?? table?.latest?.definition;
    return found === undefined ? [] : [{ table, definition: found }];
  });
}

interface AboveTable {
  readonly table: OracleTable | undefined;
  readonly definition: Definition;
}

/** Why a day of a model may not be recorded: the first table above that lacks it, or the signal. */
export function whyNotReady(
  oracle: Oracle,
  { names, held }: Pick<Asked, 'names' | 'held'>,
  entry: Entry,
  day: number,
): string | undefined {
  if (entry.definition.hasSignal && isHeld(held, day)) return 'the signal holds it back';
  const missing = above(oracle, names, entry).find(({ table, definition }) => lacks(table, definition, day));
  return missing === undefined ? undefined : `${missing.definition.name} does not have it`;
}

/** Until where everything above a table that is made whole has its rows. Outside prod a table may begin late, by `--start`. */
export function readyEnd(oracle: Oracle, { environment, names, now, held }: Asked, entry: Entry): number {
  let end = dueEnd(now);
  if (entry.definition.hasSignal) while (end > 0 && hasHeldDay(held, end)) end--;
  for (const { table, definition } of above(oracle, names, entry)) {
    // Before its start nothing is missing of a table.
    let day = isIncremental(definition.kind) ? definition.start : 0;
    if (environment !== 'prod' && table !== undefined && table.days.size > 0)
      day = Math.max(day, Math.min(...table.days.keys()));
    while (day < end && !lacks(table, definition, day)) day++;
    end = Math.min(end, day);
  }
  return end;
}

const hasHeldDay = ({ from, hole }: Held, end: number): boolean =>
  end > from || (hole !== undefined && end > hole);

/** Days that must be filled once the work is done; those of `pending` that must be filled again are not among them. */
export function wantedDays(oracle: Oracle, asked: Asked, entry: Entry): readonly number[] {
  const { definition } = entry;
  const key = keyOf(entry);
  if (key === undefined || !isIncremental(definition.kind) || !isFilledHere(oracle, asked, entry)) return [];
  if (isPreview(oracle, asked, entry)) return [];
  const table = oracle.tables.get(key);
  // A day that had only begun is still to be filled.
  const whole = [...(table?.days ?? [])].filter(([, { isPartial }]) => !isPartial);
  const last = Math.max(Number.NEGATIVE_INFINITY, ...whole.map(([day]) => day));
  const goesOn = isOrdered(definition) || (asked.environment !== 'prod' && asked.kind === 'run');
  const begin = Math.max(
    definition.start,
    asked.environment === 'prod'
      ? Number.NEGATIVE_INFINITY
      : (asked.bounds?.first ?? Number.NEGATIVE_INFINITY),
    goesOn && Number.isFinite(last) ? last + 1 : Number.NEGATIVE_INFINITY,
  );
  const end = Math.min(dueEnd(asked.now), endOf(asked));
  const days: number[] = [];
  const stands = isStanding(asked, entry);
  for (let day = begin; day < end; day++) {
    // What stands is extended by `--start` and `--end`, and no further than they say.
    if (stands && asked.bounds?.end === undefined && day > last) break;
    const isReady = whyNotReady(oracle, asked, entry, day) === undefined;
    if (isReady) days.push(day);
    else if (isOrdered(definition)) break;
  }
  return days;
}

/** `--end` outside prod, which has everything. */
const endOf = ({ environment, bounds }: Asked): number =>
  (environment === 'prod' ? undefined : bounds?.end) ?? Number.POSITIVE_INFINITY;

/** Whether a table that is made whole must be made now. */
export function isWholeWanted(oracle: Oracle, asked: Asked, entry: Entry): boolean {
  const { definition } = entry;
  const key = keyOf(entry);
  if (key === undefined || !isWritten(definition) || isIncremental(definition.kind)) return false;
  if (!isFilledHere(oracle, asked, entry)) return false;
  const whole = oracle.tables.get(key)?.whole;
  if (definition.kind.kind === 'seed') return whole === undefined;
  const end = Math.min(readyEnd(oracle, asked, entry), endOf(asked));
  return end > definition.start && end > (whole?.end ?? Number.NEGATIVE_INFINITY);
}

/** Whether this work is what fills a table: it may write it, it was chosen, and a plan leaves what stands to runs. */
function isFilledHere(oracle: Oracle, asked: Asked, entry: Entry): boolean {
  const { environment, selected, isSkipped, withRun, kind } = asked;
  const key = keyOf(entry);
  if (key === undefined || isSkipped || !isOwn(oracle, environment, key)) return false;
  if (selected !== undefined && !selected.has(entry.model)) return false;
  if (kind === 'run' || withRun || !isStanding(asked, entry)) return true;
  const isExtended = asked.bounds !== undefined && !asked.isRestating && environment !== 'prod';
  return isExtended && !isOrdered(entry.definition);
}

/** Outside prod a forward-only change is previewed: how much of it is no duty, unless `--start` asks for it. */
function isPreview(
  oracle: Oracle,
  { kind, environment, bounds, isForwardOnly }: Asked,
  entry: Entry,
): boolean {
  const shown = oracle.environments.get('prod')?.get(entry.model);
  if (kind === 'run' || environment === 'prod' || shown === undefined || bounds?.first !== undefined)
    return false;
  return keyOf(shown) !== keyOf(entry) && (isForwardOnly || isForwardOnlyKind(entry.definition.kind));
}

/** Whether the environment shows the table already, and only a plan is asked. */
function isStanding({ kind, before, withRun }: Asked, entry: Entry): boolean {
  const present = before?.get(entry.model);
  return kind === 'plan' && !withRun && present !== undefined && keyOf(present) === keyOf(entry);
}

/** What a run would have to fill, by model, each table counting as filled for those below it. */
export function dueWork(given: Oracle, asked: Asked): ReadonlyMap<string, readonly number[]> {
  const oracle = given.fork();
  const due = new Map<string, readonly number[]>();
  for (const entry of asked.names.values()) {
    const key = keyOf(entry);
    if (key === undefined || !isWritten(entry.definition)) continue;
    const table = oracle.table(key);
    const made = { definition: entry.definition, reads: {} };
    const wanted = wantedDays(oracle, asked, entry).filter((day) => table.days.get(day)?.isPartial !== false);
    const days = [...new Set([...wanted, ...(isOwn(oracle, asked.environment, key) ? table.pending : [])])];
    const isWhole =
      isWholeWanted(oracle, asked, entry) || (table.isWholePending && isOwn(oracle, asked.environment, key));
    if (days.length === 0 && !isWhole) continue;
    due.set(entry.model, days);
    for (const day of wanted) table.days.set(day, { made, key, isPartial: false });
    if (isWhole) table.whole = { made, key, isPartial: false, end: readyEnd(oracle, asked, entry) };
  }
  return due;
}
