import { ShownTables } from '../../compiler/plan/backfill-groups.ts';
import { withPresentDemands } from '../../compiler/plan/with-present-demands.ts';
import type { WriteSession } from '../../domain/engine.ts';
import { type EnvironmentEntry, tableOf } from '../../domain/environment.ts';
import type { MigrationWork, NeededProof } from '../../domain/plan.ts';
import { type TableId, tableKey } from '../../domain/relation.ts';
import { isWritten, type Snapshot } from '../../domain/snapshot.ts';
import { auditTable } from './audit-table.ts';
import { readShownEnvironments } from './read-shown-environments.ts';
import { blockedFailure } from './report-backfill.ts';
import type { RunContext } from './run-context.ts';
import { BlockedWrite } from './write-steps.ts';

/** One audit over a table or view as it is inside the transaction. */
interface Audited extends Pick<NeededProof, 'table' | 'fingerprint' | 'audits'> {
  readonly environment?: string;
}

/**
 * A column that gets a narrower type is empty afterwards: what every environment demands of the table, and of views over
 * it, is asked again before that commits.
 */
export async function auditNarrowed(
  context: RunContext,
  session: WriteSession,
  { works, proofs }: { readonly works: readonly MigrationWork[]; readonly proofs: readonly NeededProof[] },
): Promise<void> {
  if (works.length === 0) return;
  const { world, contents, execution } = context;
  const { audited, namesIn } = await demandsOn(context, { works, proofs });
  const names = await contents.namesAmong(execution.entries);
  for (const { table, fingerprint, audits, environment } of audited) {
    const outcome = await auditTable((sql) => session.query(sql), world.engine, {
      ...(await contents.snapshot(fingerprint)),
      table,
      executionTime: execution.executionTime,
      tableOf: environment === undefined ? names : ((await namesIn(environment)) ?? names),
      audits,
      isBlockingOnly: true,
    });
    if (outcome.failed !== undefined)
      throw (await blockedFailure(context, new BlockedWrite(table, outcome, environment))).error;
  }
}

/**
 * What those audits look at: views with every table whose rows they show, and what only the audits themselves read. A write
 * of such a table, asked at the same moment, would find the narrowed one as it was, and this one would not see that write.
 */
export async function tablesAuditedWhenNarrowed(
  context: RunContext,
  narrowing: { readonly works: readonly MigrationWork[]; readonly proofs: readonly NeededProof[] },
): Promise<readonly TableId[]> {
  return narrowing.works.length === 0 ? [] : (await demandsOn(context, narrowing)).over;
}

async function demandsOn(
  context: RunContext,
  { works, proofs }: { readonly works: readonly MigrationWork[]; readonly proofs: readonly NeededProof[] },
): Promise<{
  /** The run's own come first; those of others name their environment. */
  readonly audited: readonly Audited[];
  readonly over: readonly TableId[];
  readonly namesIn: Awaited<ReturnType<typeof readShownEnvironments>>['namesIn'];
}> {
  const { entries, run } = context.execution;
  const { environments, begun, snapshots, namesIn } = await readShownEnvironments(context);
  const shown = [...environments, ...begun].filter(({ name }) => name !== run.environment);
  const members = works.map(({ table, fingerprint }) => ({
    ...{ model: table.model, fingerprint, table, ranges: [] },
    ...({ unit: 'day', batchConcurrency: 1 } as const),
  }));
  const stage = withPresentDemands(
    { id: 'narrowed', needs: [], kind: 'backfill', members, auditedViews: [] },
    { environments: shown, snapshots, entries, environment: run.environment, migrated: new Set() },
  );
  const keys = new Set(works.map(({ table }) => tableKey(table)));
  const own: readonly Audited[] = proofs.filter(({ over }) =>
    over.some((table) => keys.has(tableKey(table))),
  );
  const ofTables = stage.members.flatMap(({ table, alsoAudited = [] }) =>
    alsoAudited.map((other): Audited => ({ ...other, table })),
  );
  const ofViews = stage.auditedViews.map(({ environment, fingerprint, table, audits }) => ({
    ...{ environment, fingerprint, table },
    audits: audits ?? snapshots.get(fingerprint)?.audits?.blocking ?? [],
  }));
  const audited = [...own, ...ofTables, ...ofViews];
  const over = audited.flatMap((one) => {
    const shower = shown.find(({ name }) => name === one.environment);
    return tablesUnder(one, one.environment === undefined ? entries : (shower?.entries ?? []), snapshots);
  });
  return { audited, over, namesIn };
}

/** What is audited, and what its audits name; of views the tables below them, too. A macro could name any model. */
function tablesUnder(
  { table, fingerprint, audits }: Audited,
  entries: readonly EnvironmentEntry[],
  snapshots: ReadonlyMap<string, Snapshot>,
): readonly TableId[] {
  const { reads = {}, mayReadMore = false } = snapshots.get(fingerprint)?.audits ?? {};
  const named = Object.entries(reads).flatMap(([audit, models]) => (audits.includes(audit) ? models : []));
  const models = new Set([table.model, ...(mayReadMore ? entries.map(({ model }) => model) : named)]);
  const below = new ShownTables(entries, snapshots);
  const keys = new Set(
    entries.flatMap((entry) => {
      if (!models.has(entry.model)) return [];
      const own = tableOf(entry);
      const kind = snapshots.get(entry.fingerprint)?.kind;
      const shown = kind === undefined || isWritten(kind) ? [] : below.below(entry.model);
      return [...(own === undefined ? [] : [tableKey(own)]), ...shown];
    }),
  );
  return entries.flatMap((entry) => {
    const found = tableOf(entry);
    return found !== undefined && keys.has(tableKey(found)) ? [found] : [];
  });
}
