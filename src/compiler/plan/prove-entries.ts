/*
 * What a rebuilt state accepts as proven of an environment. The warehouse recorded what its tables were made of, the project says
 * what its models are; where both have the same hashes, the rows are those of the project's text:
 *
 *   record: data and parents hash of each entry ─┐
 *   project: the same of each model ─────────────┴▶ equal, and all that it reads is proven ─▶ proven
 *   takers: what else has filled its table ─────────▶ not one of those before it ─▶ unproven, with why
 */

import { type EnvironmentEntry, tableOf } from '../../domain/environment.ts';
import type { PromotionRecord } from '../../domain/promotion-record.ts';
import type { UnprovenEntry } from '../../domain/rebuilt-environment.ts';
import { type TableId, tableKey } from '../../domain/relation.ts';
import type { AuditFacts, Schedule, Snapshot } from '../../domain/snapshot.ts';
import { hash128 } from '../../foundation/hash128.ts';
import type { DraftSnapshot } from './draft-snapshots.ts';

export interface ProvenEntry {
  readonly entry: EnvironmentEntry;
  readonly snapshot: Snapshot;
}

export interface ProvenEntries {
  readonly proven: readonly ProvenEntry[];
  readonly unproven: readonly UnprovenEntry[];
}

/** `drafts` are those of the project, by model; `takers` those of all records together. */
export function proveEntries(
  record: PromotionRecord,
  drafts: ReadonlyMap<string, DraftSnapshot>,
  takers: ReadonlyMap<string, ReadonlySet<string>>,
): ProvenEntries {
  const { environment, snapshots } = record;
  const recorded = new Map(snapshots.map((snapshot) => [snapshot.fingerprint, snapshot]));
  const proven = new Map<string, ProvenEntry>();
  const unproven: UnprovenEntry[] = [];
  // Dependencies come first in a record as in a plan.
  for (const entry of environment.entries) {
    const snapshot = recorded.get(entry.fingerprint);
    if (snapshot === undefined) continue;
    const { model, kind } = snapshot;
    const draft = drafts.get(model);
    const lost = snapshot.parents.find((parent) => !proven.has(parent));
    const reason =
      otherThan(snapshot, draft) ??
      (lost === undefined ? undefined : `it reads ${lost}`) ??
      (isTaken(entry, record, takers) ? 'another definition has filled its table since' : undefined);
    if (reason !== undefined || draft === undefined) unproven.push({ model, kind, reason: reason ?? '' });
    else proven.set(model, { entry, snapshot: asTheProject(snapshot, draft) });
  }
  return { proven: [...proven.values()], unproven };
}

/** Why rows of a snapshot may not be those of the project's text; undefined when they are. */
function otherThan(recorded: Snapshot, draft: DraftSnapshot | undefined): string | undefined {
  if (draft === undefined) return 'no file of the project defines it';
  // No rows of ours; who reads it says itself which columns count.
  if (recorded.kind === 'external' && draft.kind === 'external') return undefined;
  if (recorded.dataHash !== draft.dataHash) return 'the project defines it otherwise';
  if (recorded.parentsHash !== draft.parentsHash) return 'the project defines otherwise what it reads';
  return undefined;
}

/** Who has filled which table that another definition began, by `tableKey`: one record knows of what came after another. */
export function takersOf(
  records: readonly Pick<PromotionRecord, 'takers'>[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const all = new Map<string, Set<string>>();
  for (const { takers } of records)
    for (const [key, fingerprints] of Object.entries(takers)) {
      const found = all.get(key) ?? new Set();
      for (const fingerprint of fingerprints) found.add(fingerprint);
      all.set(key, found);
    }
  return all;
}

/** What prod shows goes on as it is; elsewhere a table is taken by whatever the entry does not come from. */
function isTaken(
  entry: EnvironmentEntry,
  { environment, chains }: PromotionRecord,
  takers: ReadonlyMap<string, ReadonlySet<string>>,
): boolean {
  const table = tableOf(entry);
  if (table === undefined || environment.name === 'prod') return false;
  const chain = new Set(chains[entry.fingerprint]);
  return [...(takers.get(tableKey(table)) ?? [])].some((taker) => !chain.has(taker));
}

/**
 * The record's own decisions about the table. What only the project's files can say is the project's (signals), and of the audits
 * those stay that both demand alike: others are proven by the next plan.
 */
function asTheProject(recorded: Snapshot, draft: DraftSnapshot): Snapshot {
  const { audits, ...snapshot } = recorded;
  const kept = audits && draft.audits && commonAudits(audits, draft.audits);
  const schedule = { ...snapshot.schedule, signals: draft.schedule.signals };
  return { ...snapshot, schedule, ...(kept === undefined ? {} : { audits: kept }) };
}

function commonAudits(recorded: AuditFacts, draft: AuditFacts): AuditFacts | undefined {
  const demandOf = ({ blocking, demands = [] }: AuditFacts, name: string): string | undefined =>
    demands[blocking.indexOf(name)];
  const blocking = recorded.blocking.filter(
    (name) => demandOf(recorded, name) !== undefined && demandOf(recorded, name) === demandOf(draft, name),
  );
  const others = recorded.others.filter((name) => draft.others.includes(name));
  if (blocking.length + others.length === 0) return undefined;
  return {
    ...draft,
    blocking,
    others,
    ...(blocking.length === 0 ? {} : { demands: blocking.map((name) => demandOf(draft, name) as string) }),
  };
}

/** Nothing is ever due for it. */
const NO_SCHEDULE: Schedule = {
  cron: '@daily',
  cronTz: 'UTC',
  unit: 'day',
  lookback: 0,
  allowPartials: false,
  batchConcurrency: 1,
  disableRestatement: true,
  signals: [],
};

/** What stands in the state for a table whose rows are not proven: it keeps plans from taking them over, and lets the janitor find it. */
export function unprovenSnapshot(
  { model, version }: TableId,
  { planId, object }: { readonly planId: string; readonly object: 'table' | 'view' },
): Snapshot {
  const fingerprint = hash128('unproven', model, version);
  return {
    model,
    kind: object === 'view' ? 'view' : 'full',
    fingerprint,
    dataHash: fingerprint,
    parentsHash: fingerprint,
    metadataHash: fingerprint,
    version,
    category: null,
    isUnproven: true,
    planId,
    parents: [],
    inputs: {},
    schedule: NO_SCHEDULE,
  };
}
