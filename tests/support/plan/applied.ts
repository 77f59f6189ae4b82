/*
 * Applied state for tests, in a few words: `model('s.a', 'full', ['s.b'])` is a snapshot, `applied('prod', …)` an
 * environment with the maps that planning takes. A version is `v_<name>` unless a test says otherwise.
 */
import type { Environment, EnvironmentEntry } from '../../../src/domain/environment.ts';
import type { ModelKind } from '../../../src/domain/model-kind.ts';
import { tableKey } from '../../../src/domain/relation.ts';
import type { AuditFacts, Schedule, Snapshot } from '../../../src/domain/snapshot.ts';
import { isoInstantShort } from '../../../src/foundation/time/iso.ts';
import { normalizeRanges, type RangeSet } from '../../../src/foundation/time/ranges.ts';

export const BLOCKING: AuditFacts = { blocking: ['not_null'], others: [], readsOthers: false };

export function schedule(own: Partial<Schedule> = {}): Schedule {
  return {
    cron: '@daily',
    cronTz: 'UTC',
    unit: 'day',
    start: '2024-03-01',
    lookback: 0,
    allowPartials: false,
    batchConcurrency: 1000,
    disableRestatement: false,
    signals: [],
    ...own,
  };
}

/** A snapshot; without a start when `start` is given as undefined. */
export function model(
  name: string,
  kind: ModelKind['kind'],
  parents: readonly string[] = [],
  own: {
    readonly schedule?: Schedule;
    readonly audits?: AuditFacts;
    readonly fingerprint?: string;
  } = {},
): Snapshot {
  return {
    model: name,
    kind,
    fingerprint: own.fingerprint ?? `f_${name}`,
    dataHash: '',
    parentsHash: '',
    metadataHash: '',
    category: null,
    planId: 'p',
    parents,
    schedule: own.schedule ?? schedule(),
    ...(own.audits === undefined ? {} : { audits: own.audits }),
  };
}

export function entryOf(
  { model: name, kind, fingerprint }: Snapshot,
  version = `v_${name}`,
): EnvironmentEntry {
  const hasTable = kind !== 'embedded' && kind !== 'external';
  return { model: name, fingerprint, ...(hasTable ? { version } : {}), columns: ['a'] };
}

/** An environment; a pair gives the version of an entry. */
export function environment(
  name: string,
  entries: readonly (Snapshot | readonly [Snapshot, string])[],
): Environment {
  return {
    name,
    entries: entries.map((entry) => ('model' in entry ? entryOf(entry) : entryOf(...entry))),
    promotionId: 'promotion',
    planId: 'p',
    promotedAt: 0,
    gateway: 'local',
    definitions: {},
  };
}

export function byFingerprint(snapshots: readonly Snapshot[]): ReadonlyMap<string, Snapshot> {
  return new Map(snapshots.map((snapshot) => [snapshot.fingerprint, snapshot]));
}

/** Intervals by table key, from ranges written `start/end`. */
export function filled(tables: Readonly<Record<string, readonly string[]>>): ReadonlyMap<string, RangeSet> {
  return new Map(
    Object.entries(tables).map(([name, texts]) => [
      tableKey({ model: name, version: `v_${name}` }),
      ranges(...texts),
    ]),
  );
}

export function ranges(...texts: readonly string[]): RangeSet {
  return normalizeRanges(
    texts.map((text) => {
      const [start, end] = text.split('/');
      return { start: Date.parse(start!), end: Date.parse(end!) };
    }),
  );
}

/** Ranges as texts, days where they are days. */
export function texts(set: RangeSet | undefined): readonly string[] {
  const text = (at: number): string => isoInstantShort(at).replace('T00:00:00Z', '');
  return (set ?? []).map(({ start, end }) => `${text(start)}/${text(end)}`);
}
