import type { Model } from '../../domain/model.ts';
import type { SnapshotContent } from '../../domain/snapshot.ts';
import { canonicalJson } from '../../foundation/canonical-json.ts';
import { compareQueries } from './categorize/compare-queries.ts';
import {
  type ComparedModel,
  type QueryChange,
  same,
  type UpstreamEffect,
} from './categorize/query-change.ts';
import { dataProperties } from './draft-snapshots.ts';
import { propertyWord } from './property-parts.ts';

/** What a changed model does to its own rows. */
export interface OwnChange {
  readonly change: QueryChange;
  /** The same with what reaches it from above: what those who read it see. */
  readonly together: QueryChange;
  /** Why its present table cannot be kept, whatever the user wishes. */
  readonly needsNewTable?: string;
}

/** Properties that say how the table is made or where it lies. */
const OF_THE_TABLE: ReadonlySet<string> = new Set([
  'kind',
  'timeColumn',
  'partitionedBy',
  'uniqueKey',
  'gateway',
  'stamp',
  'validFromName',
  'validToName',
  'timeDataType',
]);

/** How the two states of a model see the tables they read. */
export interface ComparedTables {
  readonly before: Omit<ComparedModel, 'model' | 'query'>;
  readonly after: Omit<ComparedModel, 'model' | 'query'>;
}

/** Compares two states of a model; everything that is not proven counts as other rows. */
export function ownChange(
  previous: SnapshotContent | undefined,
  next: SnapshotContent | undefined,
  { seen, effects }: { readonly seen: ComparedTables; readonly effects: readonly UpstreamEffect[] },
): OwnChange {
  if (previous === undefined || next === undefined)
    return certain(rows('the text it is compared with is not stored', []));
  const [before, after] = [previous.model, next.model];
  if (after.kind.kind === 'external' && before.kind.kind === 'external')
    return certain(externalChange(before, after));
  const properties = differing(before, after);
  const ofTable = properties.filter((key) => OF_THE_TABLE.has(key));
  const columns = columnsDiffer(before, after);
  if (ofTable.length > 0) {
    const reason = `${words(ofTable)} changed`;
    return { ...certain({ ...columns, kind: 'rows', reason }), needsNewTable: reason };
  }
  if (properties.includes('content')) {
    const isOnly = properties.every((key) => key === 'content' || key === 'declaredColumns');
    const change = isOnly ? seedChange(before, after) : undefined;
    if (change?.kind === 'same') return certain(change);
    const reason = 'the content of the seed changed';
    return { ...certain(change ?? { ...columns, kind: 'rows', reason }), needsNewTable: reason };
  }
  const others = properties.filter((key) => key !== 'queryHash');
  if (others.length > 0) return certain({ ...columns, kind: 'rows', reason: `${words(others)} changed` });
  if (previous.expandedQuery === undefined || next.expandedQuery === undefined)
    return certain({ ...columns, kind: 'rows', reason: 'the query changed' });
  const sides = [
    { model: before, query: previous.expandedQuery, ...seen.before },
    { model: after, query: next.expandedQuery, ...seen.after },
  ] as const;
  const change = compareQueries(...sides);
  return { change, together: effects.length === 0 ? change : compareQueries(...sides, effects) };
}

function certain(change: QueryChange): OwnChange {
  return { change, together: change };
}

/** An external table's rows are not ours: only what is known of its columns can change. */
function externalChange(before: Model, after: Model): QueryChange {
  const { added, removed } = columnsDiffer(before, after);
  // Columns without a declaration were read all the same.
  if (before.columns.length === 0) return same('it declares its columns now');
  const retyped = retypedColumns(before.columns, after.columns);
  const lost = [
    ...(removed.length === 0 ? [] : [`no longer declares ${removed.join(', ')}`]),
    ...retyped.map(({ words: text }) => text),
  ];
  if (lost.length > 0)
    return {
      kind: 'columns',
      added,
      removed,
      changed: retyped.map(({ name }) => name),
      reason: lost.join('; '),
    };
  if (added.length > 0)
    return { kind: 'additive', added, removed, changed: [], reason: `declares ${added.join(', ')}` };
  return same('only the order in which its columns are declared changed');
}

/** What became of a seed's file, column by column: where rows stay in their places, a column that stays has the same values in them. */
function seedChange(before: Model, after: Model): QueryChange | undefined {
  const [old, now] = [before.source, after.source];
  if (old.kind !== 'seed' || now.kind !== 'seed') return undefined;
  const [hadHashes, hasHashes] = [old.columnHashes, now.columnHashes];
  if (hadHashes === undefined || hasHashes === undefined) return undefined;
  const { added, removed } = columnsBetween(namesOf(old.columns), namesOf(now.columns));
  const retyped = new Set(retypedColumns(old.columns, now.columns).map(({ name }) => name));
  const kept = namesOf(now.columns)
    .map((name) => name.toLowerCase())
    .filter((name) => !added.some((each) => each.toLowerCase() === name));
  const changed = kept.filter((name) => retyped.has(name) || hadHashes[name] !== hasHashes[name]);
  if (changed.length === kept.length) return undefined;
  const lists = { added, removed, changed };
  if (changed.length + removed.length > 0)
    return {
      ...lists,
      kind: 'columns',
      reason: `${[...changed, ...removed].join(', ')} changed in the file of the seed`,
    };
  if (added.length > 0)
    return { ...lists, kind: 'additive', reason: `the file of the seed has ${added.join(', ')} too` };
  const isInOrder = namesOf(old.columns).join().toLowerCase() === namesOf(now.columns).join().toLowerCase();
  return isInOrder
    ? same('the file of the seed has the same rows')
    : { ...lists, kind: 'additive', reason: 'the columns of the seed are in another order' };
}

const namesOf = (columns: readonly { readonly name: string }[]): readonly string[] =>
  columns.map(({ name }) => name);

/** Columns of the same name and another type, in lower case, with the words for it. */
function retypedColumns(
  before: readonly Pick<Column, 'name' | 'type'>[],
  after: readonly Pick<Column, 'name' | 'type'>[],
): readonly { readonly name: string; readonly words: string }[] {
  const types = new Map(before.map(({ name, type }) => [name.toLowerCase(), type]));
  return after.flatMap(({ name, type }) => {
    const old = types.get(name.toLowerCase());
    if (old === undefined || old === type || old === 'UNKNOWN') return [];
    return [{ name: name.toLowerCase(), words: `${name} is ${type} and was ${old}` }];
  });
}

type Column = Model['columns'][number];

function differing(before: Model, after: Model): readonly string[] {
  const [a, b] = [dataProperties(before), dataProperties(after)];
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].filter((key) => canonicalJson(a[key]) !== canonicalJson(b[key]));
}

function words(keys: readonly string[]): string {
  return keys.map(propertyWord).join(', ');
}

/** Other rows, unless a proof says otherwise. */
export function rows(reason: string, added: readonly string[]): QueryChange {
  return { kind: 'rows', added, removed: [], changed: [], reason };
}

/** Names on one side only, compared in any case. */
function columnsDiffer(before: Model, after: Model): Pick<QueryChange, 'added' | 'removed' | 'changed'> {
  return columnsBetween(
    before.columns.map(({ name }) => name),
    after.columns.map(({ name }) => name),
  );
}

/** Names on one side only, compared in any case; `changed` stays empty. */
export function columnsBetween(
  before: readonly string[],
  after: readonly string[],
): Pick<QueryChange, 'added' | 'removed' | 'changed'> {
  const lower = (names: readonly string[]): ReadonlySet<string> =>
    new Set(names.map((name) => name.toLowerCase()));
  const [had, has] = [lower(before), lower(after)];
  return {
    added: after.filter((name) => !had.has(name.toLowerCase())),
    removed: before.filter((name) => !has.has(name.toLowerCase())),
    changed: [],
  };
}
