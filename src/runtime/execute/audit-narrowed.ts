import { ShownTables } from '../../compiler/plan/backfill-groups.ts';
import { withPresentDemands } from '../../compiler/plan/present-demands.ts';
import type { WriteSession } from '../../domain/engine.ts';
import type { MigrationWork, NeededProof } from '../../domain/plan.ts';
import { type TableId, tableKey } from '../../domain/relation.ts';
import { auditTable } from './audit-table.ts';
import { blockedFailure } from './report-backfill.ts';
import type { RunContext } from './run-context.ts';
import { standingNow } from './standing.ts';
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
  const keys = new Set(works.map(({ table }) => tableKey(table)));
  const own: readonly Audited[] = proofs.filter(({ over }) =>
    over.some((table) => keys.has(tableKey(table))),
  );
  const { others, namesIn } = await demandsOfOthers(context, works);
  const names = await contents.namesAmong(execution.entries);
  for (const { table, fingerprint, audits, environment } of [...own, ...others]) {
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
 * The views of other environments that are audited then, with every table whose rows they show: a write of another table
 * below such a view, asked at the same moment, would find the narrowed one as it was.
 */
export async function tablesAuditedForOthers(
  context: RunContext,
  works: readonly MigrationWork[],
): Promise<readonly TableId[]> {
  return works.length === 0 ? [] : (await demandsOfOthers(context, works)).over;
}

async function demandsOfOthers(
  context: RunContext,
  works: readonly MigrationWork[],
): Promise<{
  readonly others: readonly Audited[];
  /** What those of views look at. */
  readonly over: readonly TableId[];
  readonly namesIn: Awaited<ReturnType<typeof standingNow>>['namesIn'];
}> {
  const { entries, run } = context.execution;
  const { environments, begun, snapshots, namesIn } = await standingNow(context);
  const shown = [...environments, ...begun].filter(({ name }) => name !== run.environment);
  const members = works.map(({ table, fingerprint }) => ({
    ...{ model: table.model, fingerprint, table, ranges: [] },
    ...({ unit: 'day', batchConcurrency: 1 } as const),
  }));
  const stage = withPresentDemands(
    { id: 'narrowed', needs: [], kind: 'backfill', members, auditedViews: [] },
    { environments: shown, snapshots, entries, environment: run.environment, migrated: new Set() },
  );
  const ofTables = stage.members.flatMap(({ table, alsoAudited = [] }) =>
    alsoAudited.map((other): Audited => ({ ...other, table })),
  );
  const ofViews = stage.auditedViews.map(({ environment, fingerprint, table }) => ({
    ...{ environment, fingerprint, table },
    audits: snapshots.get(fingerprint)?.audits?.blocking ?? [],
  }));
  const over = ofViews.flatMap(({ environment, table }) => {
    const shower = shown.find(({ name }) => name === environment);
    const keys = new ShownTables(shower?.entries ?? [], snapshots).below(table.model);
    const below = (shower?.entries ?? []).flatMap(({ model, version }) =>
      version !== undefined && keys.has(tableKey({ model, version })) ? [{ model, version }] : [],
    );
    return [table, ...below];
  });
  return { others: [...ofTables, ...ofViews], over, namesIn };
}
