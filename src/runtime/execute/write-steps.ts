/*
 * One write: everything in it is published together or not at all.
 *
 *   BEGIN (tables and tokens) ─▶ each step: write, audit ─▶ audited views ─▶ ledger rows ─▶ COMMIT ─▶ state
 *                                        └── a blocking audit fails: ROLLBACK, nothing is visible
 *
 * A conflict or a lost keeper repeats all of it. A COMMIT whose answer was lost may have succeeded: the ledger shows whether it did.
 */
import { type Engine, type LedgerRow, randomDataVersion, type WriteSession } from '../../domain/engine.ts';
import { failure } from '../../domain/failure.ts';
import type { ModelKind } from '../../domain/model-kind.ts';
import type { AuditedView, BackfillMember } from '../../domain/plan.ts';
import { type TableId, tableKey } from '../../domain/relation.ts';
import { containsRange, subtractRanges, type TimeRange, unionRanges } from '../../foundation/time/ranges.ts';
import { auditTable } from './audit-table.ts';
import type { Batch } from './batch.ts';
import type { LoadedSnapshot, NamesOf } from './contents.ts';
import { addToTally, type ModelTally, NO_WRITES } from './model-tally.ts';
import { addOwnRows, NEVER_WRITTEN, openTable, versionWith } from './open-tables.ts';
import type { NamesIn, OpenTable, OpenTables } from './prepared-tables.ts';
import { isAdding } from './remaining-ranges.ts';
import { rollupSourceSql } from './rollup-source.ts';
import type { AuditOutcome } from './run-audits.ts';
import type { RunContext } from './run-context.ts';
import { type ShownNames, shownNames } from './shown-names.ts';
import { withRetries } from './with-retries.ts';
import { type BatchResult, hasPostStatements, writeBatch } from './write-batch.ts';

/** One model for one range, inside a write. */
export interface WriteStep {
  readonly member: BackfillMember;
  readonly snapshot: LoadedSnapshot;
  readonly range: TimeRange;
  /** False for a table that is only made: nothing of it counts as filled. */
  readonly isRecorded: boolean;
  /** The first step of its table makes it, and the others find nothing but what this write has written. */
  readonly isAnew: boolean;
  /** Brings rows that do not come from the model's query; absent: `writeBatch`. What it wrote gets a ledger row that fills nothing. */
  readonly fill?: (session: WriteSession, engine: Engine, batch: Batch) => Promise<BatchResult>;
}

export interface WriteRequest {
  readonly tables: OpenTables;
  /** Walked once per attempt, lazily. */
  readonly steps: () => Iterable<WriteStep>;
  /** Tables of kinds that add to what is there: a write that was forgotten about would be doubled. */
  readonly adding: readonly TableId[];
  readonly views: readonly AuditedView[];
  readonly names: NamesOf;
  /** What names mean where others demand something. */
  readonly namesIn: NamesIn;
  /** Told which model is next, so that an error can be blamed on it. */
  readonly begin: (model: string) => void;
}

/** What a write came to, by model. */
export interface WriteResult {
  readonly rows: readonly LedgerRow[];
  readonly tallies: ReadonlyMap<string, ModelTally>;
}

/** A blocking audit has failing rows: the write was rolled back. */
export class BlockedWrite extends Error {
  readonly model: string;
  readonly table: TableId;
  readonly result: AuditOutcome;
  /** The environment that demands the audit, when it is not the snapshot that was written. */
  readonly environment: string | undefined;

  constructor(table: TableId, result: AuditOutcome, environment?: string) {
    super(`a blocking audit of ${table.model} failed`);
    this.name = 'BlockedWrite';
    this.model = table.model;
    this.table = table;
    this.result = result;
    this.environment = environment;
  }
}

const NOTHING: TimeRange = { start: 0, end: 0 };

export async function writeSteps(context: RunContext, request: WriteRequest): Promise<WriteResult> {
  let last: WriteResult | undefined;
  return withRetries(context, async (earlierAttempts) => {
    if (earlierAttempts > 0) {
      const isCommitted = await readAgain(context, request.tables, last?.rows);
      if (isCommitted && last !== undefined) return last;
    }
    last = undefined;
    const written = await context.world.engine.write(
      [...request.tables.values()].map(({ fence }) => fence),
      async (session) => {
        await refuseWhenChanged(context, request, session);
        last = await writeAll(context, request, session);
        return last;
      },
      { signal: context.cancel },
    );
    addOwnRows(request.tables, written.rows);
    return written;
  });
}

async function writeAll(
  context: RunContext,
  { tables, steps, views, names, namesIn, begin }: WriteRequest,
  session: WriteSession,
): Promise<WriteResult> {
  const { world, execution } = context;
  const rows: LedgerRow[] = [];
  const tallies = new Map<string, ModelTally>();
  const begun = new Set<string>();
  let shown: Promise<ShownNames> | undefined;
  for (const { member, snapshot, range, isRecorded, isAnew, fill } of steps()) {
    const { table, model } = member;
    begin(model);
    const open = openTable(tables, table);
    const sourceSql = await rollupSourceSql(context, snapshot.content);
    for (const piece of fill === undefined ? piecesOf(snapshot.content.model.kind, range, open) : [range]) {
      const isFirst = (open.filled.length === 0 || isAnew) && !begun.has(model);
      begun.add(model);
      const result = await (fill ?? writeBatch)(session, world.engine, {
        ...snapshot,
        table,
        range: piece,
        isFirst,
        executionTime: execution.executionTime,
        environment: execution.run.environment,
        runId: execution.run.id,
        token: open.fence.token,
        tableOf: names,
        shown: () => (shown ??= shownNames(context)),
        isEmpty: member.isEmpty === true,
        isRestatement: member.isRestatement === true && !isAnew,
        filled: open.filled,
        ...(member.laterAudits === undefined ? {} : { laterAudits: member.laterAudits }),
        ...(sourceSql === undefined ? {} : { sourceSql }),
      });
      if (result.failed !== undefined) throw new BlockedWrite(table, result);
      if (member.isEmpty !== true)
        await auditForOthers(
          context,
          { member, snapshot, range: piece, isWhole: fill !== undefined, views, names, namesIn },
          session,
        );
      tallies.set(model, addToTally(tallies.get(model) ?? NO_WRITES, result, isRecorded ? piece : NOTHING));
      if (!isRecorded || (fill !== undefined && result.rows === 0)) continue;
      rows.push({
        table,
        range: piece,
        runId: execution.run.id,
        token: open.fence.token,
        dataVersion: randomDataVersion(),
      });
    }
  }
  for (const view of views) {
    begin(view.model);
    const { audits } = await auditView(context, { view, names, namesIn }, session);
    tallies.set(view.model, addToTally(tallies.get(view.model) ?? NO_WRITES, { rows: 0, audits }, NOTHING));
  }
  // Awaited: rows without their ledger row would be written again.
  if (rows.length > 0) await session.recordLedger(rows);
  return { rows, tallies };
}

/** Environments that show the table may demand more of it than the snapshot that writes it. */
async function auditForOthers(
  context: RunContext,
  {
    member: { table, alsoAudited = [] },
    snapshot,
    range,
    isWhole,
    views,
    names,
    namesIn,
  }: Pick<WriteRequest, 'views' | 'names' | 'namesIn'> &
    Pick<WriteStep, 'member' | 'snapshot' | 'range'> & { readonly isWhole: boolean },
  session: WriteSession,
): Promise<void> {
  for (const other of alsoAudited) {
    const later = views
      .filter((view) => view.fingerprint === other.fingerprint && tableKey(view.table) === tableKey(table))
      .flatMap(({ audits = [] }) => audits);
    const outcome = await auditTable((sql) => session.query(sql), context.world.engine, {
      ...(await context.contents.snapshot(other.fingerprint)),
      table,
      executionTime: context.execution.executionTime,
      tableOf: (await namesIn(other.environment)) ?? names,
      ...(isWhole ? {} : { range }),
      isWhole: isWhole || hasPostStatements(snapshot.content.model),
      audits: other.audits.filter((name) => !later.includes(name)),
      isBlockingOnly: true,
    });
    if (outcome.failed !== undefined) throw new BlockedWrite(table, outcome, other.environment);
  }
}

/** A view or table as it would be after the commit: one that is made here reads this run's tables, another those of its environment. */
async function auditView(
  context: RunContext,
  { view, names, namesIn }: Pick<WriteRequest, 'names' | 'namesIn'> & { readonly view: AuditedView },
  session: WriteSession,
): Promise<AuditOutcome> {
  const snapshot = await context.contents.snapshot(view.fingerprint);
  const { entries, run } = context.execution;
  const isMadeHere =
    view.environment === run.environment &&
    entries.some(({ model, version }) => model === view.model && version === view.table.version);
  const outcome = await auditTable((sql) => session.query(sql), context.world.engine, {
    ...snapshot,
    table: view.table,
    executionTime: context.execution.executionTime,
    tableOf: isMadeHere ? names : ((await namesIn(view.environment)) ?? names),
    isBlockingOnly: true,
    ...(view.audits === undefined ? {} : { audits: view.audits }),
  });
  const of = isMadeHere || view.environment === run.environment ? undefined : view.environment;
  if (outcome.failed !== undefined) throw new BlockedWrite(view.table, outcome, of);
  return outcome;
}

/** Kinds that add to their table must not write what an attempt before this one, or a former holder, has written after all. */
function piecesOf(kind: ModelKind, range: TimeRange, { foundLater }: OpenTable): readonly TimeRange[] {
  return isAdding(kind) ? subtractRanges([range], foundLater) : [range];
}

/**
 * A restarted keeper has forgotten which tokens it saw, so a former holder may have written between our
 * reading and this BEGIN, which fenced it off finally. BEGIN is answered before the ledger is asked.
 */
async function refuseWhenChanged(
  { world: { engine } }: RunContext,
  { tables, adding }: WriteRequest,
  session: WriteSession,
): Promise<void> {
  if (adding.length === 0) return;
  await session.query('SELECT 1');
  const summaries = new Map(
    (await engine.ledger({ tables: adding })).map((summary) => [tableKey(summary.table), summary]),
  );
  for (const table of adding) {
    const { dataVersion } = openTable(tables, table);
    if ((summaries.get(tableKey(table))?.dataVersion ?? NEVER_WRITTEN) !== dataVersion)
      throw failure(
        'engine.conflict',
        { detail: `another process has written ${table.model} since its ledger was read` },
        { isRetryable: true },
      );
  }
}

/** After a failed attempt: shuts out others again, reads the ledger again, and says whether the attempt was committed after all. */
async function readAgain(
  { world: { engine } }: RunContext,
  tables: OpenTables,
  attempted: readonly LedgerRow[] | undefined,
): Promise<boolean> {
  const fences = [...tables.values()].map(({ fence }) => fence);
  await engine.raiseFences(fences);
  const summaries = await engine.ledger({
    tables: fences.map(({ table }) => table),
    // Rows under our own token are rows of this run.
    since: new Map(fences.map(({ table, token }) => [tableKey(table), token - 1])),
  });
  const own = new Map(summaries.map((summary) => [tableKey(summary.table), summary]));
  const isThere = (attempted ?? []).every((row) => {
    const { dataVersion } = openTable(tables, row.table);
    const now = own.get(tableKey(row.table));
    // A row that fills nothing is known by what it makes of the data version: no other process can have written meanwhile.
    return row.range.start < row.range.end
      ? containsRange(now?.filledSince ?? [], row.range)
      : now?.dataVersion === versionWith(dataVersion, row.dataVersion);
  });
  for (const [key, table] of tables) {
    const now = own.get(key);
    if (now === undefined) continue;
    table.foundLater = unionRanges(table.foundLater, subtractRanges(now.filled, table.filled));
    table.filled = unionRanges(table.filled, now.filled);
    table.dataVersion = now.dataVersion;
  }
  return attempted !== undefined && attempted.length > 0 && isThere;
}
