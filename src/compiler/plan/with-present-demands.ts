/*
 * What others demand of a write is found when its stage is made. Another run may promote a new audit, or a new view with
 * audits, before the table's lease is held: then it is found again, for the stage as it is about to be executed.
 */
import type { Environment, EnvironmentEntry } from '../../domain/environment.ts';
import type { AuditedView, BackfillStage } from '../../domain/plan.ts';
import { tableKey } from '../../domain/relation.ts';
import { isWritten, type Snapshot } from '../../domain/snapshot.ts';
import { AuditedTables } from './audited-tables.ts';
import { watchedViews } from './backfill-groups.ts';

export interface DemandInput {
  /** All environments as they are now, with promotions that were begun as environments of their own. */
  readonly environments: readonly Environment[];
  /** Snapshots of all their entries and of the models that are written, by fingerprint. */
  readonly snapshots: ReadonlyMap<string, Snapshot>;
  /** What names mean while building. */
  readonly entries: readonly EnvironmentEntry[];
  /** The environment that is planned or run. */
  readonly environment: string;
  /** Keys of the tables whose columns this plan changes: what its environment demanded of the old ones is over. */
  readonly migrated: ReadonlySet<string>;
}

/** The stage with the audits and views that its write must pass now. */
export function withPresentDemands(stage: BackfillStage, input: DemandInput): BackfillStage {
  const { environments, snapshots, environment, migrated } = input;
  const tables = new AuditedTables(environments, snapshots);
  const entries = new Map(input.entries.map((entry) => [entry.model, entry]));
  const members = stage.members.map((member) => {
    const snapshot = snapshots.get(member.fingerprint);
    if (snapshot === undefined || !isWritten(snapshot.kind)) return member;
    const { alsoAudited: _, ...rest } = member;
    const except = migrated.has(tableKey(member.table)) ? environment : undefined;
    const alsoAudited = tables.foreign(snapshot, member.table, { entries, except });
    return alsoAudited.length === 0 ? rest : { ...rest, alsoAudited };
  });
  return { ...stage, members, auditedViews: viewsOf(stage, input) };
}

/** Views that are made in the stage itself stay; those that an environment shows are looked for again. */
function viewsOf(stage: BackfillStage, { environments, snapshots }: DemandInput): readonly AuditedView[] {
  const byKey = new Map(stage.members.map(({ table, model }) => [tableKey(table), model]));
  const own = stage.auditedViews.filter(({ table }) => byKey.has(tableKey(table)));
  const watched = watchedViews(environments, snapshots, byKey).map(({ view }) => view);
  const known = new Set(own.map(viewId));
  return [...watched.filter((view) => !known.has(viewId(view))), ...own];
}

const viewId = ({ table, fingerprint }: AuditedView): string => `${tableKey(table)} ${fingerprint}`;
