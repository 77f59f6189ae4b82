/*
 * Write, audit, publish. A stage with one model is a transaction per batch; with several models, or views to audit, it
 * is one transaction for all of it.
 *
 *   leases + intent ─▶ fences, ledger: what is left? ─▶ write (see write-steps.ts) ─▶ state ─▶ next batch … ─▶ release
 *                                       └── nothing: another environment, or this run before a crash, has done it
 */

import type { NewEvent } from '../../domain/event.ts';
import { type Failure, failure } from '../../domain/failure.ts';
import type { BackfillMember, BackfillStage } from '../../domain/plan.ts';
import { tableKey } from '../../domain/relation.ts';
import { DAY_MS } from '../../foundation/time/civil.ts';
import { subtractRanges, type TimeRange } from '../../foundation/time/ranges.ts';
import { batchesOfUnits, countBatches } from '../../foundation/time/unit-ranges.ts';
import type { BackfillProgress, BackfillWork } from './backfill-work.ts';
import type { NamesOf } from './contents.ts';
import { holdStage } from './hold-stage.ts';
import { holdTables } from './hold-tables.ts';
import { mergeTallies } from './model-tally.ts';
import { openTable, openTables } from './open-tables.ts';
import type { HeldTables, NamesIn, OpenTable, OpenTables } from './prepared-tables.ts';
import { isAdding, isRebuilt, remainingRanges } from './remaining-ranges.ts';
import { rememberProofs } from './remember-proofs.ts';
import { reportBuilt, reportFailedBackfill } from './report-backfill.ts';
import { type RunContext, refuseWhenStopped } from './run-context.ts';
import { withRetries } from './with-retries.ts';
import { type WriteResult, type WriteStep, writeSteps } from './write-steps.ts';

/** A stage whose leases are held. */
interface Filling {
  readonly stage: BackfillStage;
  readonly held: HeldTables;
  readonly opened: OpenTables;
  readonly names: NamesOf;
  readonly namesIn: NamesIn;
  readonly progress: BackfillProgress;
}

/** For the macros of a query that is asked for its columns only. */
const ANY_DAY: TimeRange = { start: 0, end: DAY_MS };

export async function backfill(context: RunContext, requested: BackfillStage): Promise<void> {
  const { clock, state } = context.world;
  const began = clock.now();
  const progress: BackfillProgress = { tallies: new Map(), current: undefined };
  let stage = requested;
  try {
    const prepared = await context.prepared.get(requested.id);
    const { held, namesIn, unlock, ...demanded } = prepared ?? (await holdStage(context, requested));
    stage = demanded.stage;
    const tables = held.fences.map(({ table }) => table);
    try {
      const names = await context.contents.namesAmong(context.execution.entries);
      const opened = prepared?.opened ?? (await withRetries(context, () => openTables(context, held.fences)));
      const found = new Map([...opened].map(([key, { filled }]) => [key, filled]));
      const written = await fill(context, { stage, held, opened, names, namesIn, progress });
      rememberProofs(context, { stage, opened, found, written });
    } finally {
      // Not waited for: only others want them, and the end of the run lets go of everything anyway.
      context.finishLater(state.journal.releaseTables(context.execution.run.id, tables));
      unlock?.();
    }
  } catch (error) {
    throw await reportFailedBackfill(context, { stage, error, progress, ms: clock.now() - began });
  }
  reportBuilt(context, { stage, progress, ms: clock.now() - began });
}

/** Answers with what was written. */
async function fill(context: RunContext, filling: Filling): Promise<readonly BackfillWork[]> {
  const { stage, held, opened } = filling;
  const { state, clock } = context.world;
  const works = await Promise.all(stage.members.map((member) => workOf(context, member, opened)));
  const shared = works.filter(({ member, left }) => subtractRanges(member.ranges, left).length > 0);
  // Another process wrote these and state does not have it yet, else they would not have been planned.
  const summaries = shared.flatMap(({ member }) => {
    const { summary } = openTable(opened, member.table);
    // What waits to be filled again may have been asked for once more meanwhile: recovery settles that, not this run.
    return summary === undefined ? [] : [{ ...summary, filledSince: [] }];
  });
  if (summaries.length > 0) await state.journal.reconcile(summaries, [], clock.now());
  const due = works.filter((work) => work.left.length > 0 || isOnlyMade(work, opened));
  if (due.length === 0) {
    await state.journal.dropIntent(held.intentId, context.takeEvents());
    return due;
  }
  for (const work of due)
    context.emit({ event: 'model.started', model: work.member.model, batches: countOf(work) });
  const [only] = due;
  const isAlone = stage.members.length === 1 && stage.auditedViews.length === 0;
  if (isAlone && only !== undefined && only.member.isTogether !== true)
    await writeInBatches(context, filling, only);
  else await publishTogether(context, filling, due);
  return due;
}

/** Everything in one transaction. */
async function publishTogether(
  context: RunContext,
  filling: Filling,
  due: readonly BackfillWork[],
): Promise<void> {
  await publish(context, filling, {
    intentId: filling.held.intentId,
    due,
    steps: () => stepsOf(due),
    progressOf: ({ model }) => ({ batch: 1, batches: 1, model }),
  });
}

async function workOf(
  context: RunContext,
  member: BackfillMember,
  opened: OpenTables,
): Promise<BackfillWork> {
  const snapshot = await context.contents.snapshot(member.fingerprint);
  const table = openTable(opened, member.table);
  const key = tableKey(member.table);
  const isRecordedRestatement =
    context.execution.plan?.restatements.some((entry) => tableKey(entry.table) === key) === true;
  const left = remainingRanges({
    member,
    kind: snapshot.content.model.kind,
    ledger: table,
    pending: table.pending,
    isRecordedRestatement,
  });
  if (isRecordedRestatement && left.length === 0 && member.ranges.length > 0)
    refuseNothingRestated(context, member, table);
  const isAnew = member.isAnew === true && left.length > 0 && subtractRanges(table.filled, left).length === 0;
  return { member, snapshot, left, isAnew };
}

/** Another run may have filled it again since the plan began; then it had the table's lease in between. */
function refuseNothingRestated(
  { restatements, results }: RunContext,
  { model, table }: BackfillMember,
  { fence }: OpenTable,
): void {
  const key = tableKey(table);
  const asked = restatements.find((entry) => tableKey(entry.table) === key);
  const isAlone = asked === undefined || fence.token <= asked.sinceToken + 1;
  if (isAlone && !results.has(model)) throw failure('run.nothing-restated', { model });
}

/** A member without ranges has its table made, empty, unless there is one. */
function isOnlyMade({ member }: Pick<BackfillWork, 'member'>, opened: OpenTables): boolean {
  return member.ranges.length === 0 && openTable(opened, member.table).filled.length === 0;
}

/** One model: a transaction per batch, some of them side by side. The batch that makes the table goes first, alone. */
async function writeInBatches(context: RunContext, filling: Filling, work: BackfillWork): Promise<void> {
  const { stage, held, opened } = filling;
  const { member, snapshot } = work;
  const ranges = batchesOf(work);
  const batches = countOf(work);
  const isEmpty = openTable(opened, member.table).filled.length === 0;
  let begun = 0;
  let hasFailed = false;

  async function writeNext(): Promise<boolean> {
    const next = hasFailed ? undefined : ranges.next();
    if (next === undefined || next.done === true) return false;
    refuseWhenStopped(context, `${member.model} (batch ${begun + 1} of ${batches})`);
    const range = next.value;
    const batch = ++begun;
    try {
      const narrowed: BackfillStage = { ...stage, members: [{ ...member, ranges: [range] }] };
      const intent = batch === 1 ? held : await holdTables(context, narrowed, [member.table]);
      refuseOtherToken(context, opened, intent);
      await publish(context, filling, {
        intentId: intent.intentId,
        due: [work],
        steps: () => [{ member, snapshot, range, isRecorded: member.ranges.length > 0, isAnew: false }],
        progressOf: ({ model }) => ({ batch, batches, model }),
      });
    } catch (error) {
      hasFailed = true;
      throw error;
    }
    return true;
  }

  if (isEmpty) await writeNext();
  const lanes = isAdding(snapshot.content.model.kind) ? 1 : Math.max(1, member.batchConcurrency);
  const ends = await Promise.allSettled(
    Array.from({ length: Math.min(lanes, batches) }, async () => {
      while (await writeNext());
    }),
  );
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

/** One write, then state: what the ledger got, with the row balance in the same change. */
async function publish(
  context: RunContext,
  { stage, opened, names, namesIn, progress }: Filling,
  write: {
    readonly intentId: string;
    readonly due: readonly BackfillWork[];
    readonly steps: () => Iterable<WriteStep>;
    readonly progressOf: (of: { readonly model: string }) => {
      readonly model: string;
      readonly batch: number;
      readonly batches: number;
    };
  },
): Promise<void> {
  const written = await writeSteps(context, {
    tables: opened,
    steps: write.steps,
    adding: write.due.flatMap(({ member, snapshot }) =>
      isAdding(snapshot.content.model.kind) ? [member.table] : [],
    ),
    views: stage.auditedViews,
    names,
    namesIn,
    begin(model) {
      progress.current = model;
    },
  });
  await context.world.state.journal.finishBackfill(write.intentId, {
    rows: written.rows,
    events: [...context.takeEvents(), ...writtenEvents(context, written)],
  });
  const members = new Set(stage.members.map(({ model }) => model));
  for (const [model, tally] of written.tallies) {
    progress.tallies.set(model, mergeTallies(progress.tallies.get(model), tally));
    for (const audit of tally.audits)
      if (audit.status === 'warned' || audit.status === 'quarantined')
        context.emit({ event: 'audit.failed', model, audit, isBlocking: false });
    if (members.has(model))
      context.emit({ event: 'model.progress', ...write.progressOf({ model }), rows: tally.rows });
  }
}

function writtenEvents(context: RunContext, written: WriteResult): readonly NewEvent[] {
  const { id: runId, environment } = context.execution.run;
  const at = context.world.clock.now();
  const models = new Set(written.rows.map(({ table }) => table.model));
  return [...written.tallies]
    .filter(([model]) => models.has(model))
    .map(([model, data]) => ({
      at,
      event: 'model.written',
      environment,
      runId,
      model,
      data,
    }));
}

/** A lease that went and came back has another token: what was read under the old one is stale. */
function refuseOtherToken(context: RunContext, opened: OpenTables, held: HeldTables): void {
  for (const { table, token } of held.fences) {
    if (openTable(opened, table).fence.token === token) continue;
    context.loseLease(`the lease of ${table.model} passed to another run meanwhile`);
    throw context.cancel.reason as Failure;
  }
}

function* stepsOf(due: readonly BackfillWork[]): Generator<WriteStep> {
  for (const work of due)
    for (const range of batchesOf(work))
      yield {
        member: work.member,
        snapshot: work.snapshot,
        range,
        isRecorded: work.member.ranges.length > 0,
        isAnew: work.isAnew,
      };
}

function* batchesOf({ member, snapshot, left }: BackfillWork): Generator<TimeRange, void> {
  if (member.ranges.length === 0) yield ANY_DAY;
  else if (member.batchSize === undefined || isRebuilt(snapshot.content.model.kind)) yield* left;
  else yield* batchesOfUnits(left, member.unit, member.batchSize);
}

function countOf({ member, snapshot, left }: BackfillWork): number {
  if (member.ranges.length === 0) return 1;
  return member.batchSize === undefined || isRebuilt(snapshot.content.model.kind)
    ? left.length
    : countBatches(left, member.unit, member.batchSize);
}
