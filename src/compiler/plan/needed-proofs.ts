import type { Environment } from '../../domain/environment.ts';
import type { NeededProof } from '../../domain/plan.ts';
import { type TableId, tableKey } from '../../domain/relation.ts';
import { isWritten, type Snapshot } from '../../domain/snapshot.ts';
import { AuditedTables } from './audited-tables.ts';
import { ShownTables } from './backfill-groups.ts';
import { modelsReadBy, standaloneTable } from './standalone-audits.ts';

export interface ProofInput {
  /** What will be shown. */
  readonly entries: Environment['entries'];
  /** Standalone audits that will be asked. */
  readonly audits?: Environment['audits'];
  /** All environments as they are shown now. */
  readonly environments: readonly Environment[];
  /** Snapshots of all their entries and of those that will be shown, by fingerprint. */
  readonly snapshots: ReadonlyMap<string, Snapshot>;
  /** Keys of the tables whose columns change in place: nothing is known of their rows. */
  readonly migrated: ReadonlySet<string>;
}

/**
 * The blocking audits that a promotion makes binding. Writes of others do not pass them before it, so they must be proven
 * while the leases of the tables they look at are held, whichever process wrote those tables.
 */
export function neededProofs({
  entries,
  audits: standalone = [],
  environments,
  snapshots,
  migrated,
}: ProofInput): readonly NeededProof[] {
  const tables = new AuditedTables(environments, snapshots);
  const shown = new ShownTables(entries, snapshots);
  const byModel = new Map(entries.map((entry) => [entry.model, entry]));
  const byKey = new Map<string, TableId>();
  for (const { model, version } of entries)
    if (version !== undefined) byKey.set(tableKey({ model, version }), { model, version });
  const proofs: NeededProof[] = [];
  for (const { model, version, fingerprint } of entries) {
    const snapshot = snapshots.get(fingerprint);
    const blocking = snapshot?.audits?.blocking ?? [];
    if (version === undefined || snapshot === undefined || blocking.length === 0) continue;
    const table = { model, version };
    const isOwn = isWritten(snapshot.kind);
    const keys = isOwn ? [tableKey(table)] : [...shown.below(model)];
    const audits = keys.some((key) => migrated.has(key))
      ? [...new Set(blocking)]
      : tables.unproven(snapshot, table, byModel);
    const over = keys.flatMap((key) => byKey.get(key) ?? []);
    if (audits.length === 0 || over.length === 0) continue;
    const read = shown.read(audits.flatMap((name) => snapshot.audits?.reads?.[name] ?? []));
    const reads = [...read].filter((key) => !keys.includes(key)).flatMap((key) => byKey.get(key) ?? []);
    proofs.push({ table, fingerprint, audits, over, ...(reads.length === 0 ? {} : { reads }) });
  }
  for (const entry of standalone) {
    const snapshot = snapshots.get(entry.fingerprint);
    if (snapshot === undefined) continue;
    const table = standaloneTable(entry);
    const names = tables.unproven(snapshot, table, byModel);
    const over = [...shown.read(modelsReadBy(snapshot) ?? [])].flatMap((key) => byKey.get(key) ?? []);
    const isMigrated = over.some((one) => migrated.has(tableKey(one)));
    const audits = isMigrated ? (snapshot.audits?.blocking ?? []) : names;
    if (audits.length > 0 && over.length > 0)
      proofs.push({ table, fingerprint: entry.fingerprint, audits, over });
  }
  return proofs;
}
