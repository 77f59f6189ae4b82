/*
 * A promotion makes audits binding that writes of others have not passed so far. They are proven while no process can write
 * the tables they look at, and the promotion commits before another process can again:
 *
 *   leases of those tables ─▶ fences ─▶ audits that are not known to hold ─▶ promotion announced in state ─┐
 *        ▲                                                                                                 │
 *        └── more tables ◀── what must be proven now? ◀── no ── is all else promoted as it was when planned? ──yes──▶ commit
 *
 * An audit that another environment demands needs no proof as long as that one demands it. It may stop doing so: therefore
 * the question after the announcement. A process that takes a lease later has seen the announcement.
 *
 * A promotion that takes columns away also asks what others demand of views over them (`auditNarrowed`). What it looks at
 * there, and what only those audits read, is held as well.
 *
 * All leases are taken at once and nothing is waited for under them, so two plans cannot wait for each other.
 */
import { neededProofs } from '../../compiler/plan/needed-proofs.ts';
import type { Fence } from '../../domain/engine.ts';
import type { Environment } from '../../domain/environment.ts';
import type { MigrationWork, NeededProof, Stage } from '../../domain/plan.ts';
import { type TableId, tableKey } from '../../domain/relation.ts';
import { tablesAuditedWhenNarrowed } from './audit-narrowed.ts';
import { auditTable } from './audit-table.ts';
import { blameModel } from './blame-model.ts';
import { uniqueTables } from './hold-stage.ts';
import { holdTables } from './hold-tables.ts';
import { NEVER_WRITTEN } from './open-tables.ts';
import type { DataVersions } from './proofs.ts';
import { migratedKeys, readShownEnvironments } from './read-shown-environments.ts';
import { blockedFailure } from './report-backfill.ts';
import { diagnosticOf, EMPTY_RESULT, type RunContext, report } from './run-context.ts';
import { withRetries } from './with-retries.ts';
import { type PromotionWrite, writePromotion } from './write-promotion.ts';
import { BlockedWrite } from './write-steps.ts';

type PromoteStage = Extract<Stage, { kind: 'promote' }>;

/** What has to be proven, and the promotions among which that is all. */
interface Basis {
  readonly mark: string | undefined;
  readonly proofs: readonly NeededProof[];
  /** What is looked at again when columns go. */
  readonly narrowed: readonly TableId[];
}

/** Announces a promotion once all it demands holds, and writes it while that cannot change. */
export async function promoteProven(
  context: RunContext,
  stage: PromoteStage,
  promotion: PromotionWrite,
): Promise<void> {
  const { engine, state } = context.world;
  const { target } = promotion;
  const works = stage.migrations ?? [];
  const changed = works.map(({ table }) => table);
  const planned = stage.mark === undefined ? await proofsNow(context, target) : (stage.proofs ?? []);
  let basis = await basisOf(context, { works, mark: stage.mark, proofs: planned });
  for (let isDone = false; !isDone; ) {
    const tables = uniqueTables([...changed, ...tablesOf(basis)]);
    const held = tables.length === 0 ? undefined : await holdTables(context, briefly(stage), tables);
    try {
      if (held !== undefined) await withRetries(context, () => engine.raiseFences(held.fences));
      const next = await promoteOnceProven(context, {
        ...{ stage, promotion, basis, held: new Set(tables.map(tableKey)) },
        fences: held?.fences ?? [],
      });
      if (next === undefined) isDone = true;
      else basis = next;
    } finally {
      if (held !== undefined) {
        await state.journal.dropIntent(held.intentId, context.takeEvents());
        await state.journal.releaseTables(context.execution.run.id, tables);
      }
    }
  }
}

/** Answers with what must be proven instead when that needs tables which are not held. */
async function promoteOnceProven(
  context: RunContext,
  request: {
    readonly stage: PromoteStage;
    readonly promotion: PromotionWrite;
    readonly basis: Basis;
    readonly held: ReadonlySet<string>;
    readonly fences: readonly Fence[];
  },
): Promise<Basis | undefined> {
  const { stage, promotion, held, fences } = request;
  const { target } = promotion;
  const { snapshots } = context.world.state;
  const runId = context.execution.run.id;
  const proven = new Set<string>();
  let { basis } = request;
  for (;;) {
    // Another promotion may have changed columns, too: then only what is read under these leases is valid.
    const isEarlierValid = basis.mark !== undefined && basis.mark === stage.mark;
    const left = basis.proofs.filter((proof) => !proven.has(idOf(proof)));
    await prove(context, left, isEarlierValid);
    for (const proof of left) proven.add(idOf(proof));
    const mark = await snapshots.beginPromotion({ target, runId });
    if (mark !== basis.mark)
      basis = await basisOf(context, {
        works: stage.migrations ?? [],
        mark,
        proofs: await proofsNow(context, target),
      });
    const isHeld = tablesOf(basis).every((table) => held.has(tableKey(table)));
    if (isHeld && basis.proofs.every((proof) => proven.has(idOf(proof)))) {
      await writePromotion(context, stage, { promotion, proven: { fences, proofs: basis.proofs } });
      return undefined;
    }
    await snapshots.dropPromotion(target.name, runId);
    if (!isHeld) return basis;
  }
}

async function basisOf(
  context: RunContext,
  { works, mark, proofs }: Omit<Basis, 'narrowed'> & { readonly works: readonly MigrationWork[] },
): Promise<Basis> {
  return { mark, proofs, narrowed: await tablesAuditedWhenNarrowed(context, { works, proofs }) };
}

const tablesOf = ({ proofs, narrowed }: Basis): readonly TableId[] => [
  ...narrowed,
  ...proofs.flatMap(({ over, reads = [] }) => [...over, ...reads]),
];

const idOf = ({ table, fingerprint, audits }: NeededProof): string =>
  [tableKey(table), fingerprint, ...audits].join(' ');

/** What is stored while the leases are held: which promotion it is, without the whole environment. */
const briefly = (stage: PromoteStage): PromoteStage => ({
  ...{ id: stage.id, needs: [], kind: 'promote', views: [], removed: [], virtualUpdates: [] },
  target: { ...stage.target, entries: [], definitions: {} },
});

async function proofsNow(
  context: RunContext,
  { entries, audits = [] }: Environment,
): Promise<readonly NeededProof[]> {
  const { environments, snapshots } = await readShownEnvironments(context);
  return neededProofs({ entries, audits, environments, snapshots, migrated: migratedKeys(context) });
}

/** Runs the audits that are not known to hold of the tables as they are, whose leases are held. */
async function prove(
  context: RunContext,
  proofs: readonly NeededProof[],
  isEarlierValid: boolean,
): Promise<void> {
  if (proofs.length === 0) return;
  const now = await dataVersionsOf(
    context,
    uniqueTables(proofs.flatMap(({ over, reads = [] }) => [...over, ...reads])),
  );
  for (const proof of proofs) {
    const isEmpty = proof.over.every((table) => now.get(tableKey(table)) === NEVER_WRITTEN);
    const missing = isEarlierValid ? context.proofs.missing(proof, now) : proof.audits;
    // Nothing was ever written: there are no rows, and maybe no table.
    if (!isEmpty && missing.length > 0) await audit(context, proof, missing);
  }
}

/** The state of the data of tables, as the ledger names it now. */
export async function dataVersionsOf(
  { world: { engine } }: Pick<RunContext, 'world'>,
  tables: NeededProof['over'],
): Promise<DataVersions> {
  const versions = new Map(tables.map((table) => [tableKey(table), NEVER_WRITTEN]));
  for (const { table, dataVersion } of await engine.ledger({ tables }))
    versions.set(tableKey(table), dataVersion);
  return versions;
}

async function audit(
  context: RunContext,
  { table, fingerprint }: NeededProof,
  audits: readonly string[],
): Promise<void> {
  const { world, contents, execution } = context;
  const outcome = await auditTable(
    (sql) => world.engine.query(sql, { signal: context.cancel }),
    world.engine,
    {
      ...(await contents.snapshot(fingerprint)),
      table,
      executionTime: execution.executionTime,
      tableOf: await contents.namesAmong(execution.entries),
      audits,
      isBlockingOnly: true,
    },
  );
  if (outcome.failed === undefined) return;
  const { model } = table;
  const blocked = await blockedFailure(context, new BlockedWrite(table, outcome));
  const error = await blameModel(context, blocked.error, { model, fingerprint });
  report(context, {
    ...(context.results.get(model) ?? EMPTY_RESULT),
    ...{ name: model, status: 'failed', error: diagnosticOf(error, `the audits of ${model}`) },
    audits: blocked.audits,
  });
  throw error;
}
