/** Which audits fail: of what is shown now, and of what a plan or run would write. */
import { type AuditUse, badRows, isIncremental, isWritten } from './definition.ts';
import { type Asked, isOwn, isWholeWanted, wantedDays, whyNotReady } from './due.ts';
import { type Entry, keyOf, type Names, type Oracle, type SeenWrite } from './oracle.ts';
import { holds } from './query.ts';
import type { Row } from './values.ts';

/** Rows of a model that an audit is against. */
export function failingRows(
  oracle: Oracle,
  names: Names,
  audit: AuditUse,
  rows: readonly Row[],
): readonly Row[] {
  if (audit.does !== 'relation') return rows.filter((row) => holds(row, badRows(audit)));
  const other = names.get(audit.other ?? '');
  if (other === undefined) return [];
  const known = new Set(oracle.shown(other).map((row) => row[audit.column] ?? null));
  known.delete(null);
  return rows.filter((row) => !known.has(row[audit.column] ?? null));
}

/** Whether an audit stops what it finds. */
export const isBlocking = ({ does }: AuditUse): boolean => does === 'block' || does === 'relation';

/** Whether rows of an external table show in a view: those cannot be held back. */
export function reachesExternal({ reads }: Pick<Entry, 'reads'>): boolean {
  return Object.values(reads).some(
    (source) => source.kind === 'external' || (source.kind === 'through' && reachesExternal(source.made)),
  );
}

/** Names of audits that would stop the work, were all of it done that is to be done. `(key)` stands for rows that share a key. */
export function foreseen(given: Oracle, asked: Asked): ReadonlySet<string> {
  const oracle = given.fork();
  const found = new Set<string>();
  const note = (names: Names, entry: Entry, rows: readonly Row[]): void => {
    for (const audit of entry.definition.audits)
      if (isBlocking(audit) && failingRows(oracle, names, audit, rows).length > 0) found.add(audit.name);
  };
  const demanding = (key: string): readonly (readonly [Names, Entry])[] =>
    [asked.names, ...oracle.environments.values()].flatMap((names) =>
      [...names.values()].filter((entry) => keyOf(entry) === key).map((entry) => [names, entry] as const),
    );
  for (const entry of asked.names.values()) {
    const key = keyOf(entry);
    const writes = key === undefined ? [] : writesOf(oracle, asked, entry);
    if (key === undefined || writes.length === 0) continue;
    if (oracle.absorb({ names: asked.names, writes, now: asked.now }).problems.length > 0) found.add('(key)');
    for (const [names, demand] of demanding(key)) note(names, demand, oracle.table(key).rows);
  }
  for (const names of [asked.names, ...oracle.environments.values()])
    for (const entry of names.values())
      if (entry.definition.kind.kind !== 'embedded') note(names, entry, oracle.shown(entry));
  return found;
}

/** Everything the work may write of a model, in one piece. */
function writesOf(oracle: Oracle, asked: Asked, entry: Entry): readonly SeenWrite[] {
  const { definition, model, version = '' } = entry;
  if (!isWritten(definition)) return [];
  const table = oracle.table(keyOf(entry) ?? '');
  const base = { model, version, isPartial: false };
  if (!isIncremental(definition.kind))
    return isWholeWanted(oracle, asked, entry) || table.isWholePending
      ? [{ ...base, first: 0, end: 0, isWhole: true }]
      : [];
  const lookback = 'lookback' in definition.kind ? definition.kind.lookback : 0;
  // A preview may be of all days: what reads its own past needs them.
  const all = asked.environment === 'prod' ? asked : { ...asked, bounds: { first: 0, ...asked.bounds } };
  const wanted = [...wantedDays(oracle, all, entry), ...gapsOf(oracle, asked, entry)];
  const days = new Set([
    ...table.pending,
    ...wanted.filter((day) => !table.days.has(day)),
    ...wanted
      .flatMap((day) => Array.from({ length: lookback }, (_, i) => day - i - 1))
      .filter((day) => table.days.has(day)),
  ]);
  return runsOf([...days]).map(([first, end]) => ({ ...base, first, end, isWhole: false }));
}

/** Days that failed before and lie between those that are there: a plan of a table that stands may fill them. */
function gapsOf(oracle: Oracle, asked: Asked, entry: Entry): readonly number[] {
  const key = keyOf(entry) ?? '';
  if (asked.isSkipped || !isOwn(oracle, asked.environment, key)) return [];
  const there = [...oracle.table(key).days.keys()];
  if (there.length === 0) return [];
  const first = Math.min(...there);
  return Array.from({ length: Math.max(...there) - first }, (_, i) => first + i).filter(
    (day) => !there.includes(day) && whyNotReady(oracle, asked, entry, day) === undefined,
  );
}

/** Days in a row, as ranges whose end is excluded. */
export function runsOf(days: readonly number[]): readonly (readonly [number, number])[] {
  const runs: [number, number][] = [];
  for (const day of days.toSorted((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last !== undefined && last[1] === day) last[1] = day + 1;
    else runs.push([day, day + 1]);
  }
  return runs;
}

/** Blocking audits whose failing rows somebody can see. */
export function visibleFailures(oracle: Oracle, environment: string, names: Names): readonly string[] {
  return [...names.values()].flatMap((entry) => {
    const { definition, model } = entry;
    if (!isWritten(definition) && (definition.kind.kind === 'embedded' || reachesExternal(entry))) return [];
    return definition.audits
      .filter(({ does }) => does === 'block' || does === 'quarantine')
      .filter((audit) => failingRows(oracle, names, audit, oracle.shown(entry)).length > 0)
      .map(({ name }) => `${model} of ${environment} shows rows that ${name} is against`);
  });
}

/** Audits over other models that fail on what an environment shows. */
export function brokenRelations(
  oracle: Oracle,
  names: Names,
): readonly { readonly entry: Entry; readonly audit: AuditUse; readonly row: string }[] {
  return [...names.values()].flatMap((entry) =>
    entry.definition.audits
      .filter(({ does }) => does === 'relation')
      .flatMap((audit) => {
        const [first] = failingRows(oracle, names, audit, oracle.shown(entry));
        return first === undefined ? [] : [{ entry, audit, row: JSON.stringify(first) }];
      }),
  );
}
