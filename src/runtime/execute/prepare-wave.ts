/*
 * Leases for many stages at once. Every stage that is ready needs the same three things before it writes (leases with
 * an intent, fences, what the ledger says), so the stages that are ready together get them together: four calls for all
 * of them instead of four for each.
 *
 *   ready: a b c d ──▶ one intent, leases of a b c d ──▶ fences, ledger ──▶ a, b, c, d write as their turn comes
 *
 * All or nothing: when another run has one of the tables, nothing is taken and each stage asks (and waits) for itself,
 * so two runs can never wait for each other.
 */

import type { BackfillStage, Stage } from '../../domain/plan.ts';
import { tableKey } from '../../domain/relation.ts';
import type { Intent } from '../../domain/run.ts';
import { asPlanned, isCovered, tablesOf, uniqueTables, withDemandsAt } from './hold-stage.ts';
import { openTable, openTables } from './open-tables.ts';
import type { PreparedTables } from './prepared-tables.ts';
import type { RunContext } from './run-context.ts';
import { withRetries } from './with-retries.ts';

/** Leases are not held for longer than it takes to do this many stages. */
const STAGES_MAX = 64;

/** Prepares a stage together with those that are ready behind it; later it is found in `context.prepared`. */
export function prepareWave(context: RunContext, stage: Stage, ready: readonly Stage[]): void {
  if (stage.kind !== 'backfill' || context.prepared.has(stage.id)) return;
  const wave = [
    stage,
    ...ready.filter(
      (other): other is BackfillStage => other.kind === 'backfill' && !context.prepared.has(other.id),
    ),
  ].slice(0, STAGES_MAX);
  if (wave.length === 1) return;
  const holding = holdWave(context, wave);
  for (const { id } of wave) {
    const own = holding.then((prepared) => prepared?.get(id));
    // The executor of the stage awaits it and reports the failure.
    own.catch(() => {});
    context.prepared.set(id, own);
  }
}

async function holdWave(
  context: RunContext,
  wave: readonly BackfillStage[],
): Promise<ReadonlyMap<string, PreparedTables> | undefined> {
  const { world, execution } = context;
  const { id: runId, environment, who } = execution.run;
  const now = world.clock.now();
  const tables = uniqueTables(wave.flatMap(tablesOf));
  const members = wave.flatMap((stage) => stage.members);
  const intent: Intent = {
    id: crypto.randomUUID(),
    runId,
    environment,
    stage: { id: `wave:${wave[0]?.id}`, needs: [], kind: 'backfill', members, auditedViews: [] },
    at: now,
  };
  const answer = await world.state.journal.startBackfill(intent, { tables, who, now });
  if (answer.kind === 'held') return undefined;
  const tokens = new Map(answer.leases.map((lease) => [lease.name, lease.token]));
  const fences = tables.map((table) => {
    const token = tokens.get(`table:${tableKey(table)}`);
    if (token === undefined) throw new Error(`no lease was granted for ${tableKey(table)}`);
    return { table, token };
  });
  const { mark } = answer;
  const demanded = await Promise.all(
    wave.map((stage) => withDemandsAt(context, asPlanned(context, stage), mark)),
  );
  // A view that was shown meanwhile needs its lease, too: each stage takes all of its own.
  if (!demanded.every(({ stage }, i) => isCovered(stage, tablesOf(wave[i] as BackfillStage)))) {
    await world.state.journal.dropIntent(intent.id, []);
    await world.state.journal.releaseTables(runId, tables);
    return undefined;
  }
  const opened = await withRetries(context, () => openTables(context, fences));
  return new Map(
    demanded.map(({ stage, namesIn }, i) => {
      const own = tablesOf(wave[i] as BackfillStage).map((table) => openTable(opened, table));
      const held = { intentId: crypto.randomUUID(), mark, fences: own.map(({ fence }) => fence) };
      const ownTables = new Map(own.map((table) => [tableKey(table.fence.table), table]));
      return [stage.id, { stage, namesIn, held, opened: ownTables }];
    }),
  );
}
