import type { Environment, EnvironmentEntry } from '../../domain/environment.ts';
import type { Model } from '../../domain/model.ts';
import { tableKey } from '../../domain/relation.ts';
import { isWritten, type Snapshot } from '../../domain/snapshot.ts';
import { hash128 } from '../../foundation/hash128.ts';
import type { RangeSet } from '../../foundation/time/ranges.ts';
import { TableBeginnings } from './table-beginnings.ts';
import { tablesRead } from './tables-read.ts';

/*
 * Which table each model of an environment stands for:
 *
 *   written   in prod the snapshot's version; elsewhere too, unless the table is prod's and the change forward-only,
 *             or the plan gives a new table less than prod would need (`TableBeginnings`): then, and for everything
 *             below it, `<fingerprint>__dev`, a table that only such environments share. What stands on such a table
 *             stays there when prod gets the same snapshot, and so what is made of it here is not what prod has made
 *   VIEW      hash of its text and of the tables it reads, so that it follows them
 *   EMBEDDED, EXTERNAL   nothing
 */

export interface EntriesInput {
  readonly environment: string;
  /** Dependencies first. */
  readonly snapshots: readonly Snapshot[];
  readonly models: ReadonlyMap<string, Model>;
  /** Entries of models that were not selected. */
  readonly kept: ReadonlyMap<string, EnvironmentEntry>;
  readonly present?: Environment;
  readonly prod?: Environment;
  /** All known snapshots by fingerprint, for the way back to where a version comes from. */
  readonly known: ReadonlyMap<string, Snapshot>;
  readonly executionTime: number;
  /** Wall time of the plan. */
  readonly createdAt: number;
  /** `--start` as an instant. */
  readonly start?: number;
  readonly isEmpty: boolean;
  /** By `tableKey`, with what waits to be filled again. */
  readonly filled: ReadonlyMap<string, RangeSet>;
}

/** One entry per snapshot, in their order. */
export function targetEntries(input: EntriesInput): readonly EnvironmentEntry[] {
  const entries = new Map<string, EnvironmentEntry>();
  const present = new Map((input.present?.entries ?? []).map((entry) => [entry.model, entry]));
  const prodPrints = new Set((input.prod?.entries ?? []).map(({ fingerprint }) => fingerprint));
  const prodTables = new Set((input.prod?.entries ?? []).map(keyOf));
  const beginnings = new TableBeginnings(input);
  const byName = new Map(input.snapshots.map((snapshot) => [snapshot.model, snapshot]));
  const readTables = tablesRead(byName, entries);
  // Models that stand on a table of their own outside prod, and what is inlined or shown over them.
  const onDev = new Set<string>();
  for (const snapshot of input.snapshots) {
    const { model, kind, fingerprint, dataHash } = snapshot;
    const kept = input.kept.get(model);
    const before = present.get(model);
    const isSame = before?.fingerprint === fingerprint;
    const columns = kept?.columns ?? (isSame ? before.columns : columnsOf(input.models.get(model)));
    const base = { model, fingerprint, columns };
    const isBelowDev = snapshot.parents.some((parent) => onDev.has(parent));
    if (isBelowDev && !isWritten(kind)) onDev.add(model);
    if (kind === 'view') entries.set(model, { ...base, version: hash128(dataHash, ...readTables(model)) });
    else if (!isWritten(kind)) entries.set(model, base);
    else if (kept !== undefined) entries.set(model, { ...kept, fingerprint });
    // What stands stays, so that planning twice is planning once.
    else if (isSame && snapshot.isReturn !== true && before.version !== undefined)
      entries.set(model, { ...base, version: before.version });
    else {
      const key = keyOf(snapshot);
      const isOwn = !(prodTables.has(key) || beginnings.isDeployable(snapshot, key));
      const dev = devTable(snapshot, { ...input, prodPrints, isOwn, isBelowDev });
      const version = dev ?? snapshot.version;
      if (version === undefined) throw new Error(`the snapshot of ${model} has no version`);
      entries.set(model, { ...base, version });
    }
    const { version } = entries.get(model)!;
    if (version?.endsWith('__dev') === true) onDev.add(model);
    const stands = version !== undefined && before?.version === version;
    beginnings.note(
      snapshot,
      version === undefined ? undefined : { key: tableKey({ model, version }), stands },
    );
  }
  return [...entries.values()].map((entry) => withSince(entry, present.get(entry.model), input.createdAt));
}

/** A version that the environment shows already keeps the time since when it does. */
function withSince(
  entry: EnvironmentEntry,
  before: EnvironmentEntry | undefined,
  createdAt: number,
): EnvironmentEntry {
  const { since: _, ...rest } = entry;
  if (entry.version === undefined) return rest;
  if (before?.version !== entry.version) return { ...rest, since: createdAt };
  return before.since === undefined ? rest : { ...rest, since: before.since };
}

function keyOf({ model, version }: Pick<EnvironmentEntry, 'model' | 'version'>): string {
  return tableKey({ model, version: version ?? '' });
}

/** Names in order; none when a star over an unknown table left the list open, which is then asked of the engine when the view is made. */
function columnsOf(model: Model | undefined): readonly string[] {
  return model?.hasAllColumns === true ? model.columns.map(({ name }) => name) : [];
}

/** The table of its own that a snapshot has outside prod, or undefined when it shares the one of its version. */
function devTable(
  snapshot: Snapshot,
  {
    environment,
    prodPrints,
    known,
    isOwn,
    isBelowDev,
  }: {
    readonly environment: string;
    readonly prodPrints: ReadonlySet<string>;
    readonly known: ReadonlyMap<string, Snapshot>;
    /** prod could not take the table over. */
    readonly isOwn: boolean;
    /** What it reads has a table of its own here: prod's table is made of another, also where prod has the same snapshot. */
    readonly isBelowDev: boolean;
  },
): string | undefined {
  if (environment === 'prod') return undefined;
  const isOutside = ({ fingerprint }: Snapshot): boolean => isBelowDev || !prodPrints.has(fingerprint);
  if (!isOutside(snapshot)) return undefined;
  if (!isOwn && !isBelowDev && forwardOnlyOutside(snapshot, prodPrints, known) === undefined)
    return undefined;
  // Metadata over metadata over a change: the same rows as that one's table, as long as they are made of the same.
  let origin = snapshot;
  while (origin.category === 'metadata' && origin.inheritedFrom !== undefined) {
    const before = known.get(origin.inheritedFrom);
    if (before === undefined || !isOutside(before) || before.parentsHash !== origin.parentsHash) break;
    origin = before;
  }
  return `${origin.fingerprint}__dev`;
}

/**
 * The nearest forward-only change that a snapshot's table would take over and that prod does not have; where there is none, what
 * keeps its table below one: a view that changes forward-only has no table of its own that would say so.
 */
export function forwardOnlyOutside(
  snapshot: Snapshot,
  prodPrints: ReadonlySet<string>,
  known: ReadonlyMap<string, Snapshot>,
): Snapshot | undefined {
  let kept: Snapshot | undefined;
  for (let at: Snapshot | undefined = snapshot; at !== undefined && !prodPrints.has(at.fingerprint); ) {
    if (at.category === 'forward-only') return at;
    if (at.isForward === true) kept ??= at;
    at = at.inheritedFrom === undefined ? undefined : known.get(at.inheritedFrom);
  }
  return kept;
}

/** From when on the forward-only changes count that decided models bring to prod, by model: `--effective-from`, else what an earlier plan said. */
export function effectiveFroms(
  decisions: readonly { readonly snapshot: Snapshot; readonly change?: unknown }[],
  context: {
    readonly prod: Environment | undefined;
    readonly known: ReadonlyMap<string, Snapshot>;
    readonly effectiveFrom: number | undefined;
  },
): ReadonlyMap<string, number> {
  const inProd = new Set((context.prod?.entries ?? []).map(({ fingerprint }) => fingerprint));
  return new Map(
    decisions.flatMap(({ snapshot, change }) => {
      const forward = change === undefined ? undefined : forwardOnlyOutside(snapshot, inProd, context.known);
      const from = forward && (context.effectiveFrom ?? forward.effectiveFrom);
      return from === undefined ? [] : [[snapshot.model, from] as const];
    }),
  );
}
