/*
 * When audits are asked that look at more than the rows of one write:
 *
 *   blocking, read what else is written in the stage      at the end of its transaction
 *   only warn, read what is written, or a view over it    after it was written
 *   what they read is not known                           after everything was written
 */
import type { EnvironmentEntry } from '../../domain/environment.ts';
import type { AuditedView, BackfillMember, Stage } from '../../domain/plan.ts';
import { tableKey } from '../../domain/relation.ts';
import { isWritten, type Snapshot } from '../../domain/snapshot.ts';
import type { AuditWork, Models } from './stage-work.ts';
import { modelsReadBy, standaloneTable } from './standalone-audits.ts';

/** The member without the audits that its stage asks when all of it is written. */
export function withLaterAudits(member: BackfillMember, audited: readonly AuditedView[]): BackfillMember {
  const own = audited.filter(
    ({ table, fingerprint }) =>
      tableKey(table) === tableKey(member.table) && fingerprint === member.fingerprint,
  );
  const names = own.flatMap(({ audits = [] }) => audits);
  return names.length === 0 ? member : { ...member, laterAudits: [...new Set(names)] };
}

interface Touching {
  readonly models: Models;
  readonly members: ReadonlyMap<string, BackfillMember>;
  /** Whether a model has an audit stage for another reason. */
  readonly isAudited: (model: string) => boolean;
  /** The nearest members whose rows a view or EMBEDDED model shows. */
  readonly membersAbove: (model: string) => ReadonlySet<string>;
}

/** Audits that hold nothing back, of models whose own table is not written. */
export function touchedAudits(touching: Touching): readonly (readonly [string, AuditWork])[] {
  return [...touching.models].flatMap(([model, { snapshot, entry }]) => {
    const { audits, fingerprint } = snapshot;
    if (audits === undefined || entry.version === undefined || touching.isAudited(model)) return [];
    const names = namesTouched(model, snapshot, touching);
    if (names?.length === 0) return [];
    const table = { model, version: entry.version };
    const work = { kind: 'audit', table, fingerprint, reason: 'touched', isBlocking: false } as const;
    return [[model, names === undefined ? work : { ...work, audits: names }] as const];
  });
}

/** Undefined: all of them. */
function namesTouched(
  model: string,
  { kind, audits }: Snapshot,
  { models, members, membersAbove }: Touching,
): readonly string[] | undefined {
  if (audits === undefined) return [];
  if (kind === 'view' && audits.blocking.length === 0 && membersAbove(model).size > 0) return undefined;
  if (members.size === 0 || members.has(model)) return [];
  if (audits.mayReadMore === true) return undefined;
  const isWrittenHere = (read: string): boolean => {
    const found = models.get(read)?.snapshot.kind;
    if (found === undefined || members.has(read)) return found !== undefined;
    return !isWritten(found) && membersAbove(read).size > 0;
  };
  return audits.others.filter((name) => (audits.reads?.[name] ?? []).some(isWrittenHere));
}

/** Audit stages of standalone audits: new ones that only warn, and those that no write of what they read asks. */
export function standaloneStages({
  standalone,
  snapshots,
  present,
  stagesOf,
  written,
  roots,
  auditId,
}: {
  readonly standalone: readonly EnvironmentEntry[];
  readonly snapshots: ReadonlyMap<string, Snapshot>;
  /** Those that the environment has now. */
  readonly present: readonly EnvironmentEntry[];
  /** Stages that make or change what a model shows. */
  readonly stagesOf: (model: string) => readonly string[];
  /** All stages that write. */
  readonly written: readonly string[];
  readonly roots: readonly string[];
  readonly auditId: (model: string) => string;
}): readonly Stage[] {
  const known = new Set(present.map(({ fingerprint }) => fingerprint));
  return standalone.flatMap((entry): readonly Stage[] => {
    const { model, fingerprint } = entry;
    const snapshot = snapshots.get(fingerprint);
    const models = snapshot && modelsReadBy(snapshot);
    const isBlocking = (snapshot?.audits?.blocking ?? []).length > 0;
    // A write asks a blocking one, and a promotion proves it.
    if (snapshot?.audits === undefined || (isBlocking && models !== undefined)) return [];
    const after = models === undefined ? written : [...new Set(models.flatMap(stagesOf))];
    const isNew = !known.has(fingerprint);
    if (after.length === 0 && !isNew) return [];
    const reason = isNew ? 'new-audit' : 'touched';
    const needs = after.length === 0 ? roots : after;
    return [{ id: auditId(model), needs, kind: 'audit', table: standaloneTable(entry), fingerprint, reason }];
  });
}
