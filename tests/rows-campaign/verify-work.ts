/** Whether what a plan or run decided was right: what it filled, what it left, and whose rows it kept. */
import { isForwardOnlyKind, isIncremental, isOrdered, isWritten, readsOf } from './definition.ts';
import { type Asked, isOwn, isWholeWanted, readyEnd, wantedDays, whyNotReady } from './due.ts';
import { type Made, madeKey, meaningDifference } from './meaning.ts';
import {
  type Entry,
  keyOf,
  type Names,
  type Oracle,
  type OracleTable,
  type WrittenTables,
} from './oracle.ts';
import { dayText } from './values.ts';

/** Something that must not be. `kind` is the same for all of its sort: what a smaller case is looked for by. */
export interface Problem {
  readonly kind: string;
  readonly text: string;
}

export interface FinishedWork extends Asked {
  readonly written: WrittenTables;
  /** What came of it; a plan that fails changes no environment. */
  readonly hasSucceeded: boolean;
  /** Models that were not finished, by failure or because of one above. */
  readonly unfinished: ReadonlySet<string>;
  /** Everything of the project was planned and filled. */
  readonly isComplete: boolean;
}

/** Verifies the work after the oracle has absorbed it. */
export function verifyWork(oracle: Oracle, work: FinishedWork): readonly Problem[] {
  return [
    ...foreignWrites(oracle, work),
    ...unready(oracle, work),
    ...unfilled(oracle, work),
    ...needless(oracle, work),
    ...previews(oracle, work),
    ...(work.kind === 'plan' && work.hasSucceeded && work.isComplete ? staleRows(oracle, work) : []),
  ];
}

/** An environment writes only its own. */
function foreignWrites(oracle: Oracle, { environment, written }: FinishedWork): readonly Problem[] {
  return [...written.keys()]
    .filter((key) => !isOwn(oracle, environment, key))
    .map((key) => ({
      kind: 'foreign-write',
      text: `work on ${environment} wrote ${key}, which another environment shows`,
    }));
}

/** Only what was ready is recorded. */
function unready(oracle: Oracle, work: FinishedWork): readonly Problem[] {
  const problems: Problem[] = [];
  const tell = (text: string): void => void problems.push({ kind: 'recorded-unready', text });
  for (const entry of work.names.values()) {
    const key = keyOf(entry);
    const days = key === undefined ? undefined : work.written.get(key);
    if (key === undefined || days === undefined) continue;
    const table = oracle.table(key);
    for (const day of [...days.fresh, ...days.again, ...days.restated]) {
      const isRunning = table.days.get(day)?.isPartial === true;
      const reason = isRunning ? undefined : whyNotReady(oracle, work, entry, day);
      if (reason !== undefined) tell(`${entry.model} counts ${dayText(day)} as filled, but ${reason}`);
    }
    if (entry.definition.kind.kind !== 'full') continue;
    const end = table.whole?.end ?? Number.NEGATIVE_INFINITY;
    const ready = readyEnd(oracle, work, entry);
    if (end > ready)
      tell(
        `${entry.model} counts as filled until ${dayText(end)}, but what it reads is there until ${Number.isFinite(ready) ? dayText(ready) : 'no day at all'}`,
      );
  }
  return problems;
}

/** What is due and ready is filled, what is restated is filled again, and so are the days before a new one that lookback asks for. */
function unfilled(oracle: Oracle, work: FinishedWork): readonly Problem[] {
  if (work.kind === 'plan' && !work.hasSucceeded) return [];
  const problems: Problem[] = [];
  for (const entry of work.names.values()) {
    const key = keyOf(entry);
    if (key === undefined || !isWritten(entry.definition) || work.unfinished.has(entry.model)) continue;
    const table = oracle.table(key);
    const left = wantedDays(oracle, work, entry).filter((day) => !table.days.has(day));
    if (left.length > 0)
      problems.push({
        kind: 'not-filled',
        text: `${entry.model} lacks ${left.map(dayText).join(', ')}, which nothing holds back`,
      });
    if (isWholeWanted(oracle, work, entry))
      problems.push({ kind: 'not-filled', text: `${entry.model} was not made though it is due` });
    problems.push(...notFilledAgain(oracle, work, entry));
  }
  return problems;
}

function notFilledAgain(oracle: Oracle, work: FinishedWork, entry: Entry): readonly Problem[] {
  const { written, selected, isSkipped, environment } = work;
  const { definition, model } = entry;
  const key = keyOf(entry) ?? '';
  const table = oracle.table(key);
  if (isSkipped || (selected !== undefined && !selected.has(model)) || !isOwn(oracle, environment, key))
    return [];
  const left = [...table.pending].filter((day) => whyNotReady(oracle, work, entry, day) === undefined);
  if (left.length > 0 || table.isWholePending)
    return [
      {
        kind: 'not-restated',
        text: `${model} still has rows from before the restatement${left.length === 0 ? '' : ` on ${left.map(dayText).join(', ')}`}`,
      },
    ];
  const days = written.get(key);
  const { kind } = definition;
  if (days === undefined || kind.kind !== 'time-range') return [];
  const all = new Set([...days.fresh, ...days.again, ...days.restated]);
  const skipped = [...days.fresh]
    .flatMap((day) => Array.from({ length: kind.lookback }, (_, i) => day - i - 1))
    .filter((day) => day >= definition.start && !all.has(day))
    .filter((day) => whyNotReady(oracle, work, entry, day) === undefined)
    .filter((day) => table.days.has(day));
  if (skipped.length === 0) return [];
  return [
    {
      kind: 'no-lookback',
      text: `${model} did not fill ${[...new Set(skipped)].map(dayText).join(', ')} again, though its lookback is ${kind.lookback}`,
    },
  ];
}

/** Nothing is filled again that nobody asked for. */
function needless(
  oracle: Oracle,
  { kind: work, names, written, before, unfinished }: FinishedWork,
): readonly Problem[] {
  const problems: Problem[] = [];
  for (const entry of names.values()) {
    // The new day that asked for those before it may be what failed.
    if (unfinished.has(entry.model)) continue;
    const key = keyOf(entry);
    const days = key === undefined ? undefined : written.get(key);
    if (key === undefined || days === undefined || days.again.size === 0) continue;
    const present = before?.get(entry.model);
    // A plan may rebuild a table in place when what it is made of has changed.
    if (work === 'plan' && present?.fingerprint !== entry.fingerprint) continue;
    const { kind } = entry.definition;
    const lookback = 'lookback' in kind ? kind.lookback : 0;
    // Where `--start` reaches back before what is there, newer rows would lie above what is added: all of it is made anew.
    const isAnew = isOrdered(entry.definition);
    const unasked = [...days.again].filter(
      (day) =>
        ![...days.fresh].some((fresh) => (fresh > day ? fresh - day <= lookback : isAnew && fresh < day)),
    );
    if (unasked.length > 0 && !oracle.table(key).mayFollow)
      problems.push({
        kind: 'filled-again',
        text: `${entry.model} filled ${unasked.map(dayText).join(', ')} again without being asked`,
      });
  }
  return problems;
}

/** Outside prod a forward-only change shows its last interval, unless `--start` asks for more. */
function previews(oracle: Oracle, work: FinishedWork): readonly Problem[] {
  const { environment, kind, names, before, written, bounds, isForwardOnly } = work;
  if (kind !== 'plan' || environment === 'prod' || bounds?.first !== undefined) return [];
  const prod = oracle.environments.get('prod');
  return [...names.values()].flatMap((entry) => {
    const key = keyOf(entry);
    const days = key === undefined ? undefined : written.get(key);
    const shown = prod?.get(entry.model);
    if (key === undefined || days === undefined || shown === undefined) return [];
    if (entry.definition.kind.kind !== 'time-range' || feedsPast(names, entry.model)) return [];
    // Nothing changed here: prod has taken its table over, and it is rebuilt.
    if (before?.get(entry.model)?.fingerprint === entry.fingerprint) return [];
    const isChanged = madeKey(plainMade(shown)) !== madeKey(plainMade(entry));
    if (!isChanged || !(isForwardOnly || isForwardOnlyKind(entry.definition.kind))) return [];
    return days.fresh.size <= 1 + entry.definition.kind.lookback
      ? []
      : [
          {
            kind: 'preview-of-all',
            text: `${entry.model} changes forward-only, and ${environment} computed ${days.fresh.size} days of it instead of the last`,
          },
        ];
  });
}

/** Whether a model, or one that is made of it, reads its own past: every interval of that needs those before. */
function feedsPast(names: Names, model: string): boolean {
  const reached = new Set([model]);
  for (const { model: name, definition } of names.values()) {
    if (readsOf(definition).some((each) => reached.has(each))) reached.add(name);
    if (reached.has(name) && definition.query?.past !== undefined) return true;
  }
  return false;
}

const plainMade = ({ definition }: Entry): Made => ({ definition, reads: {} });

/** A reader's rows belong to the version it read: after a whole plan no row is of a definition that is gone. */
function staleRows(oracle: Oracle, { names, isForwardOnly, environment }: FinishedWork): readonly Problem[] {
  const problems: Problem[] = [];
  const madeOf = (key: string): Made | undefined => oracle.tables.get(key)?.latest;
  for (const entry of names.values()) {
    const { definition, model } = entry;
    const key = keyOf(entry);
    const present = { definition, reads: oracle.readsFor(definition, names) };
    if (!isWritten(definition)) {
      const reason =
        key === undefined || madeKey({ definition, reads: entry.reads }) === madeKey(present)
          ? undefined
          : meaningDifference({ definition, reads: entry.reads }, present, madeOf);
      if (reason !== undefined)
        problems.push({
          kind: 'stale',
          text: `the view ${model} of ${environment} reads tables of before: ${reason}`,
        });
      continue;
    }
    if (key === undefined) continue;
    const table = oracle.table(key);
    const fills = isIncremental(definition.kind)
      ? [...table.days.values()]
      : table.whole === undefined
        ? []
        : [table.whole];
    const others = new Map(fills.map((fill) => [fill.key, fill.made]));
    others.delete(madeKey(present));
    if (isForwardOnly || isForwardOnlyKind(definition.kind))
      for (const other of others.keys()) table.accepted.add(other);
    for (const [other, made] of others) {
      if (table.accepted.has(other)) continue;
      const reason = meaningDifference(made, present, madeOf);
      if (reason !== undefined)
        problems.push({
          kind: 'stale',
          text: `${model} of ${environment} has rows of before (${daysMadeAs(table, other)}): ${reason}`,
        });
    }
  }
  return problems;
}

function daysMadeAs(table: OracleTable, key: string): string {
  const days = [...table.days].filter(([, fill]) => fill.key === key).map(([day]) => dayText(day));
  return days.length === 0 ? 'all of them' : days.join(', ');
}
