/*
 * One batch of one model, inside a transaction that the caller begins and commits:
 *
 *   pre-statements ─▶ rows into the table (materialize/<kind>.ts) ─▶ post-statements ─▶ audits of the candidate
 *                        ├── rows that an audit holds back go to the quarantine table instead
 *                        └── where statements are for the making of the table: it is made, they run, then it is filled
 *
 * Statements are sent without waiting for each answer; only what decides about the next one is awaited.
 */

import { auditSettings, renderAudits } from '../../compiler/render/render-audits.ts';
import { renderSnapshot } from '../../compiler/render/render-snapshot.ts';
import type { Engine, TableLayout, WriteSession } from '../../domain/engine.ts';
import type { Model } from '../../domain/model.ts';
import { physicalRelation, relationSql } from '../../domain/relation.ts';
import type { AuditResult, ModelResult } from '../../domain/run.ts';
import type { SnapshotContent } from '../../domain/snapshot.ts';
import type { Batch } from './batch.ts';
import { materializeOf } from './materialize/materialize-of.ts';
import { readsOwnTable, withOwnPast } from './materialize/own-past.ts';
import { Sending } from './materialize/sending.ts';
import {
  type BatchRows,
  type BatchWrite,
  columnsOfQuery,
  intoStagingTable,
  sourceOf,
  type TableWrite,
} from './materialize/table-write.ts';
import { assertBalance, type HeldBack, holdBack } from './quarantine.ts';
import { refuseForeignWrites } from './refuse-foreign-writes.ts';
import { withSource } from './rollup-source.ts';
import { type AuditOutcome, type FailedAudit, runAudits } from './run-audits.ts';

export interface BatchResult {
  /** Rows that got into the table. */
  readonly rows: number;
  readonly audits: readonly AuditResult[];
  readonly balance?: NonNullable<ModelResult['balance']>;
  readonly rowsOutside?: number;
  /** Blocking audits with failing rows: the caller must roll back. */
  readonly failed?: readonly FailedAudit[];
  readonly warned?: readonly FailedAudit[];
}

/** Sends a batch and waits until all of it is answered; begin, ledger and commit are the caller's. */
export async function writeBatch(session: WriteSession, engine: Engine, batch: Batch): Promise<BatchResult> {
  const sending = new Sending();
  try {
    const result = await write(session, engine, batch, sending);
    await sending.settle();
    return result;
  } catch (error) {
    throw await sending.cause(error);
  }
}

async function write(
  session: WriteSession,
  engine: Engine,
  batch: Batch,
  sending: Sending,
): Promise<BatchResult> {
  const { content, isEmpty } = batch;
  const { model } = content;
  const { dialect } = engine;
  const relation = physicalRelation(batch.table, engine.capabilities.identifierMax);
  const isView = model.kind.kind === 'view';
  const rendering = { ...batch, dialect, thisModel: relation };
  const texts = await renderSnapshot(content, {
    ...rendering,
    runtimeStage: isView || isEmpty ? 'creating' : 'evaluating',
    isMaking: batch.isFirst && !isEmpty,
  });
  const rendered =
    batch.sourceSql === undefined
      ? texts
      : { ...texts, query: withSource(texts.query, model, batch.sourceSql, dialect) };
  let to: TableWrite = {
    session,
    engine,
    batch,
    model,
    rendered,
    relation,
    dialect,
    layout: layoutOf(model),
    sending,
    stagingTables: [],
  };
  const { preStatements, afterMaking, postStatements } = rendered;
  await refuseForeignWrites([...preStatements, ...afterMaking, ...postStatements], {
    ...{ writer: model.name, own: { relation, isShown: false } },
    ...{ shown: batch.shown, dialect },
  });
  const execute = (statements: readonly string[]): void => {
    // A table that is there already is not made again.
    if (isEmpty && !batch.isFirst) return;
    for (const statement of statements) sending.send(session.execute(statement));
  };
  execute(preStatements);
  const readsItself = readsOwnTable(to);
  if (readsItself) to = await withOwnPast(to);
  // Only columns were wanted, and they are there by now.
  if (readsItself && isEmpty) to = { ...to, batch: { ...batch, isFirst: false } };
  const isMade = afterMaking.length > 0 && !isView;
  if (isMade && !readsItself) await materializeOf(model.kind, true)(to, sourceOf(to));
  if (isMade) {
    execute(afterMaking);
    to = await keepingTable(to);
  }
  const source = ownSource(to, readsItself);
  const held = isView || isEmpty || !holdsBack(content) ? undefined : await holdBack(to, source);
  const written = await materializeOf(model.kind, isEmpty)(to, held?.source ?? source);
  if (to.stagingTables.length > 0)
    sending.send(session.drop(to.stagingTables.map((stage) => ({ relation: stage, object: 'table' }))));
  if (!isMade) execute(afterMaking);
  execute(postStatements);
  const outcome = await audited(batch, { to, written, held, rendering });
  return resultOf(to, written, held, outcome);
}

/** What is computed from a table that the write replaces or adds to is computed before; an interval's own past is not touched. */
function ownSource(to: TableWrite, readsItself: boolean): BatchRows {
  const { batch, model } = to;
  const source = sourceOf(to);
  const isSafe = model.kind.kind === 'incremental-by-time-range' && !batch.isFirst;
  return !readsItself || batch.isEmpty || isSafe ? source : intoStagingTable(to, source).source;
}

/** What fills the table must not put another in its place: statements for its making may have given it an index. */
async function keepingTable(to: TableWrite): Promise<TableWrite> {
  const { session, relation, dialect } = to;
  const columns = await columnsOfQuery(to, `SELECT * FROM ${relationSql(relation, dialect)}`);
  const names = columns.map(({ name }) => name);
  const replaceTable: WriteSession['replaceTable'] = (table, query, layout) => {
    if (table !== relation) return session.replaceTable(table, query, layout);
    to.sending.send(session.remove(relation));
    return session.insert(relation, names, query);
  };
  return { ...to, session: { ...session, replaceTable } };
}

/** Whether an audit of the model keeps rows away from its table. */
function holdsBack({ model, audits }: SnapshotContent): boolean {
  return model.audits.some((use) => {
    const own = [...model.inlineAudits, ...audits].find(({ name }) => name === use.name);
    const { onFailure, isSkipped } = auditSettings(use, own);
    return onFailure === 'quarantine' && !isSkipped;
  });
}

interface Auditing {
  readonly to: TableWrite;
  readonly written: BatchWrite;
  readonly held: HeldBack | undefined;
  readonly rendering: Parameters<typeof renderAudits>[1] extends infer Options
    ? Omit<Options, 'candidate' | 'only'>
    : never;
}

/** Whether statements after the write could reach rows of any time. */
export function hasPostStatements({ source }: Model): boolean {
  return source.kind !== 'external' && source.postStatements.length > 0;
}

/** Whether rows may become others than those that were looked at when failing ones were held back. */
export const mayChangeRows = (model: Model): boolean =>
  hasPostStatements(model) ||
  (model.kind.kind === 'incremental-by-unique-key' && model.kind.whenMatched !== undefined);

/** A view is audited by its own stage, once everything below it is filled; an empty table has nothing to audit. */
async function audited(
  { content, isEmpty, laterAudits = [] }: Batch,
  { to, written, held, rendering }: Auditing,
): Promise<AuditOutcome> {
  const { model } = content;
  if (model.kind.kind === 'view' || model.audits.length === 0) return { audits: [] };
  if (isEmpty)
    return { audits: model.audits.map(({ name }) => ({ name, status: 'skipped', failedRows: 0 })) };
  const candidate = {
    relation: to.relation,
    ...(written.filter === undefined || hasPostStatements(model) ? {} : { filter: written.filter }),
  };
  const rendered = await renderAudits(content, {
    ...rendering,
    candidate,
    ...(held === undefined || mayChangeRows(model) ? {} : { only: 'others' as const }),
  });
  const audits = rendered
    .filter(({ name, onFailure }) => onFailure === 'quarantine' || !laterAudits.includes(name))
    // What was held back already cannot be held back again: a row that came to fail since then stops the write.
    .map((audit) => (audit.onFailure === 'quarantine' ? { ...audit, isBlocking: true } : audit));
  const ask = (sql: string): ReturnType<WriteSession['query']> => to.sending.send(to.session.query(sql));
  const outcome = await runAudits(ask, model.name, audits);
  if (held === undefined) return outcome;
  const isHeld = new Set(held.audits.map(({ name }) => name));
  const others = outcome.audits.filter(({ name, status }) => status === 'failed' || !isHeld.has(name));
  const failed = new Set(others.map(({ name }) => name));
  return { ...outcome, audits: [...others, ...held.audits.filter(({ name }) => !failed.has(name))] };
}

async function resultOf(
  to: TableWrite,
  written: BatchWrite,
  held: HeldBack | undefined,
  outcome: AuditOutcome,
): Promise<BatchResult> {
  const rows = await written.rows;
  const rowsOutside = held?.rowsOutside ?? (await written.rowsOutside);
  const balance =
    held === undefined ? undefined : assertBalance(to.model.name, held, (await written.accounted) ?? rows);
  return {
    ...outcome,
    rows,
    ...(balance === undefined ? {} : { balance }),
    ...(rowsOutside === undefined ? {} : { rowsOutside }),
  };
}

/** How the table of a model is laid out. */
export function layoutOf({
  kind,
  partitionedBy,
  clusteredBy,
  physicalProperties,
  description,
}: Model): TableLayout {
  const byTime =
    kind.kind === 'incremental-by-time-range' && kind.partitionByTimeColumn && partitionedBy.length === 0
      ? [kind.timeColumn.column]
      : [];
  return {
    partitionedBy: [...byTime, ...partitionedBy],
    clusteredBy,
    properties: physicalProperties,
    ...(description === undefined ? {} : { comment: description }),
  };
}
