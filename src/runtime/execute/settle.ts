/*
 * Releases or discards rows that audits hold back, as every other write is done:
 *
 *   lease of the table, intent ─▶ one transaction (settle-held.ts): rows, decision, audits, ledger row ─▶ state: data version, event,
 *                                                                                                       tables below to be filled again
 *
 * The decision is a row in the warehouse, so recovery tells what a process did that died before it updated state.
 */
import { failure } from '../../domain/failure.ts';
import type { BackfillStage } from '../../domain/plan.ts';
import type { HeldDecision, HeldOutcome } from '../../domain/quarantine.ts';
import { relationText, type TableId } from '../../domain/relation.ts';
import type { Intent, RunEvent } from '../../domain/run.ts';
import type { World } from '../world.ts';
import type { BackfillProgress } from './backfill-work.ts';
import { loggedEvent } from './event-log.ts';
import { decisionsRelation, outcomeOf, outcomeSql } from './held-outcomes.ts';
import { holdStage } from './hold-stage.ts';
import { openTables } from './open-tables.ts';
import type { DemandedStage, HeldTables } from './prepared-tables.ts';
import { reportBuilt, reportFailedBackfill } from './report-backfill.ts';
import { restatedBelow } from './restated-below.ts';
import type { RunContext } from './run-context.ts';
import { settleHeld } from './settle-held.ts';
import { withRetries } from './with-retries.ts';
import { type WriteResult, writeSteps } from './write-steps.ts';

type SettlingStage = BackfillStage & { readonly settles: HeldDecision };

/** Its ledger row fills nothing. */
const NO_TIME = { start: 0, end: 0 };

/** Carries out the decision of a stage about the quarantine of its one member. */
export async function settle(context: RunContext, requested: SettlingStage): Promise<void> {
  const { clock, state } = context.world;
  const began = clock.now();
  const progress: BackfillProgress = { tallies: new Map(), current: undefined };
  let stage: BackfillStage = requested;
  try {
    const demanded = await holdStage(context, requested);
    stage = demanded.stage;
    try {
      const written = await withRetries(context, () =>
        settleOnce(context, requested, { demanded, progress }),
      );
      for (const [model, tally] of written.tallies) progress.tallies.set(model, tally);
      await finish(context, requested, { held: demanded.held, written });
    } finally {
      context.finishLater(
        state.journal.releaseTables(
          context.execution.run.id,
          demanded.held.fences.map(({ table }) => table),
        ),
      );
      demanded.unlock?.();
    }
  } catch (error) {
    throw await reportFailedBackfill(context, { stage, error, progress, ms: clock.now() - began });
  }
  reportBuilt(context, { stage, progress, ms: clock.now() - began });
}

async function settleOnce(
  context: RunContext,
  { settles, members: [member] }: SettlingStage,
  {
    demanded: { stage, held, namesIn },
    progress,
  }: {
    readonly demanded: DemandedStage & { readonly held: HeldTables };
    readonly progress: BackfillProgress;
  },
): Promise<WriteResult> {
  const { world, execution, contents } = context;
  const { id: runId, who } = execution.run;
  const own = stage.members.find(({ model }) => model === member?.model);
  if (own === undefined) throw new Error('a decision about no model');
  const snapshot = await contents.snapshot(own.fingerprint);
  const decider = { runId, who, at: world.clock.now() };
  const written = await writeSteps(context, {
    tables: await openTables(context, held.fences),
    steps: () => [
      {
        ...{ member: own, snapshot, range: NO_TIME, isAnew: false },
        isRecorded: settles.decision === 'release',
        fill: (session, engine, batch) =>
          settleHeld(session, engine, {
            // The table is there, and the rows are of no interval of their own.
            batch: { ...batch, isFirst: false, range: { start: 0, end: execution.executionTime } },
            decision: settles,
            decider,
          }),
      },
    ],
    adding: [own.table],
    views: stage.auditedViews,
    names: await contents.namesAmong(execution.entries),
    namesIn,
    begin(model) {
      progress.current = model;
    },
  });
  // Without a ledger row nothing else shows whether the commit was one.
  const rows = written.tallies.get(own.model)?.rows ?? 0;
  if (rows > 0 && (await decisionOf(world, own.table, runId)) === undefined)
    throw failure(
      'engine.conflict',
      { detail: `what was decided about ${own.model} was not kept` },
      { isRetryable: true },
    );
  return written;
}

async function finish(
  context: RunContext,
  { members: [member] }: SettlingStage,
  { held, written }: { readonly held: HeldTables; readonly written: WriteResult },
): Promise<void> {
  const { world, execution } = context;
  const { run } = execution;
  const { journal } = world.state;
  if (member === undefined) return;
  const outcome = await decisionOf(world, member.table, run.id);
  if (outcome === undefined) return journal.dropIntent(held.intentId, context.takeEvents());
  context.emit(outcomeEvent(member.table, outcome));
  await journal.finishBackfill(held.intentId, {
    rows: written.rows,
    events: context.takeEvents(),
    restated: { by: run.id, tables: await tablesBelow(world, member.table, outcome) },
  });
}

/** What an interrupted run decided and did, told to state; answers with the events, none when it did nothing. */
export async function recoverSettling(world: World, intent: Intent): Promise<readonly RunEvent[]> {
  const { stage, runId } = intent;
  if (stage.kind !== 'backfill' || stage.settles === undefined) return [];
  const [member] = stage.members;
  const run = await world.state.journal.run(runId);
  const outcome = member && (await decisionOf(world, member.table, runId));
  if (member === undefined || run === undefined || outcome === undefined) return [];
  const event = outcomeEvent(member.table, outcome);
  await world.state.journal.finishBackfill(intent.id, {
    rows: [],
    events: [loggedEvent(event, run, world.clock.now())],
    restated: { by: runId, tables: await tablesBelow(world, member.table, outcome) },
  });
  return [event];
}

function tablesBelow(world: World, table: TableId, { decision, intervals }: HeldOutcome) {
  return decision === 'release' ? restatedBelow(world, table, intervals) : Promise.resolve([]);
}

function outcomeEvent(
  { model, version }: TableId,
  { decision, rows, accepted, reason, who }: HeldOutcome,
): RunEvent {
  return {
    event: decision === 'release' ? 'quarantine.released' : 'quarantine.discarded',
    ...{ model, table: `${model}__${version}`, rows, accepted, who },
    ...(reason === undefined ? {} : { reason }),
  };
}

/** What a run did with rows of a quarantine; undefined when it did nothing. */
async function decisionOf(
  { engine }: World,
  table: TableId,
  runId: string,
): Promise<HeldOutcome | undefined> {
  const relation = decisionsRelation(table, engine.capabilities.identifierMax);
  if (!(await engine.columnsOf([relation])).has(relationText(relation))) return undefined;
  return outcomeOf(await engine.query(outcomeSql(relation, runId, engine.dialect)));
}
