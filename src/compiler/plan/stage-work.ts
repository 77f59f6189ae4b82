/** What the stages of a plan or run do: which tables are written, and which audits are stages of their own. */
import type { EnvironmentEntry } from '../../domain/environment.ts';
import type { BackfillMember, StageWork } from '../../domain/plan.ts';
import { type TableId, tableKey } from '../../domain/relation.ts';
import { isWritten, type Snapshot } from '../../domain/snapshot.ts';
import { type RangeSet, subtractRanges, unionRanges } from '../../foundation/time/ranges.ts';
import type { AuditedTables } from './audited-tables.ts';
import { backfillMember } from './intervals/backfill-member.ts';
import type { BuiltModel, StageInput } from './stage-input.ts';

/** By name, upstream first. */
export type Models = ReadonlyMap<string, BuiltModel>;

export type AuditWork = Extract<StageWork, { kind: 'audit' }> & { readonly isBlocking: boolean };

/** What is written, upstream first. */
export function membersOf(
  input: StageInput,
  models: Models,
  tables: AuditedTables,
): ReadonlyMap<string, BackfillMember> {
  const { missing, filled, restated, concurrency, isEmpty = false } = input;
  const entries = entriesOf(models);
  const members = new Map<string, BackfillMember>();
  for (const [model, built] of models) {
    const ranges = missing.get(model);
    if (ranges === undefined) continue;
    const key = tableKey({ model, version: built.entry.version ?? '' });
    const member = backfillMember(built, ranges, {
      filled: filled.get(key) ?? [],
      restated: restated?.get(key) ?? [],
      concurrency,
      isEmpty,
    });
    // The audits of views stand in `auditedViews`. Where columns change, what this environment demanded of the old ones is over.
    const except = isMigrated(input, member.table) ? input.environment : undefined;
    const alsoAudited = isWritten(built.snapshot.kind)
      ? tables.foreign(built.snapshot, member.table, { entries, except })
      : [];
    members.set(model, alsoAudited.length === 0 ? member : { ...member, alsoAudited });
  }
  return members;
}

/** Audits that are stages of their own: views that are not visible yet, and audits that are not known to have passed. */
export function auditsOf(
  input: StageInput,
  {
    models,
    members,
    tables,
  }: {
    readonly models: Models;
    readonly members: ReadonlyMap<string, BackfillMember>;
    readonly tables: AuditedTables;
  },
): ReadonlyMap<string, AuditWork> {
  const entries = entriesOf(models);
  const audits = new Map<string, AuditWork>();
  for (const [model, { snapshot, entry }] of models) {
    const { version } = entry;
    if (version === undefined || snapshot.audits === undefined) continue;
    const { fingerprint, kind } = snapshot;
    const table = { model, version };
    const work = { kind: 'audit', table, fingerprint } as const;
    const { blocking } = snapshot.audits;
    if (kind === 'view' && !tables.isShown(table)) {
      audits.set(model, { ...work, reason: 'new-view', isBlocking: blocking.length > 0 });
      continue;
    }
    const unproven = isMigrated(input, table) ? blocking : tables.unproven(snapshot, table, entries);
    if (unproven.length === 0) continue;
    const had = hadRanges(input, table);
    if (kind !== 'view' && (had.length === 0 || isWrittenWhole(kind, members.get(model), had))) continue;
    audits.set(model, { ...work, audits: unproven, reason: 'new-audit', isBlocking: true });
  }
  return audits;
}

/** Whether the audits of a write look at every row the table will have: of its time only, or of all there is. */
function isWrittenWhole(kind: Snapshot['kind'], member: BackfillMember | undefined, had: RangeSet): boolean {
  if (member === undefined || member.isEmpty === true || member.ranges.length === 0) return false;
  return kind !== 'incremental-by-time-range' || subtractRanges(had, member.ranges).length === 0;
}

/** Ranges of which rows may be there now. */
export function hadRanges({ filled, restated }: StageInput, table: TableId): RangeSet {
  const key = tableKey(table);
  return unionRanges(filled.get(key) ?? [], restated?.get(key) ?? []);
}

function isMigrated({ migrations = [] }: StageInput, table: TableId): boolean {
  return migrations.some((migration) => tableKey(migration.table) === tableKey(table));
}

function entriesOf(models: Models): ReadonlyMap<string, EnvironmentEntry> {
  return new Map([...models].map(([model, { entry }]) => [model, entry]));
}
