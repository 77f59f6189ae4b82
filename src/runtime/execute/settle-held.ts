/*
 * Rows leave the quarantine, inside a transaction that the caller begins and commits:
 *
 *   selected rows ─┬─ discard ─────────────────────────────▶ gone, counted in the table of decisions
 *                  └─ release ─▶ audited again ─┬─ passes ──▶ the model's table, by the rules of its kind (publish-held.ts)
 *                                               └─ fails ───▶ stays, with the audits that it fails now; with `isAccepted` it goes, too
 *
 * Selected = released + still held is asserted. A decision that is recorded already is not carried out again: the attempt before this
 * one was committed after all.
 */
import { type RenderedAudit, renderAudits } from '../../compiler/render/render-audits.ts';
import { renderSnapshot } from '../../compiler/render/render-snapshot.ts';
import type { Engine, WriteSession } from '../../domain/engine.ts';
import { failure } from '../../domain/failure.ts';
import type { HeldDecision } from '../../domain/quarantine.ts';
import { physicalRelation, quarantineRelation, type Relation, relationSql } from '../../domain/relation.ts';
import type { AuditResult } from '../../domain/run.ts';
import type { Batch } from './batch.ts';
import { anyFlag, countFlags, failedAudits, flaggedQuery } from './flagged-rows.ts';
import { columnsInside, heldCondition, isHeldColumn } from './held-columns.ts';
import { type Decider, outcomeInside, recordOutcome } from './held-outcomes.ts';
import { Sending } from './materialize/sending.ts';
import {
  type BatchRows,
  columnsOfQuery,
  intoStagingTable,
  listSql,
  subquery,
  type TableWrite,
} from './materialize/table-write.ts';
import { publishHeld, tableWith } from './publish-held.ts';
import { unbalanced } from './quarantine.ts';
import { runAudits } from './run-audits.ts';
import { type BatchResult, layoutOf, mayChangeRows } from './write-batch.ts';

const NOTHING: BatchResult = { rows: 0, audits: [] };

/** Rows that were selected, in a table of their own. */
interface Selected {
  readonly held: Relation;
  readonly condition: string;
  /** The names of all columns of the quarantine. */
  readonly names: readonly string[];
  readonly query: string;
  readonly count: number;
}

/** Carries out a decision; `rows` of the answer are those that left. Begin, ledger and commit are the caller's. */
export async function settleHeld(
  session: WriteSession,
  engine: Engine,
  { batch, decision, decider }: { batch: Batch; decision: HeldDecision; decider: Decider },
): Promise<BatchResult> {
  const sending = new Sending();
  try {
    const write = await tableWriteOf({ session, engine, batch, sending });
    const before = await outcomeInside(write, decider.runId);
    const result =
      before !== undefined
        ? { ...NOTHING, rows: before.rows }
        : decision.decision === 'discard'
          ? await discard(write, decision, decider)
          : await release(write, decision, decider);
    if (write.stagingTables.length > 0)
      sending.send(
        session.drop(write.stagingTables.map((relation) => ({ relation, object: 'table' as const }))),
      );
    await sending.settle();
    return result;
  } catch (error) {
    throw await sending.cause(error);
  }
}

async function tableWriteOf({
  session,
  engine,
  batch,
  sending,
}: Pick<TableWrite, 'session' | 'engine' | 'batch' | 'sending'>): Promise<TableWrite> {
  const { model } = batch.content;
  const { dialect } = engine;
  const relation = physicalRelation(batch.table, engine.capabilities.identifierMax);
  const rendered = await renderSnapshot(batch.content, {
    ...batch,
    dialect,
    thisModel: relation,
    runtimeStage: 'evaluating',
  });
  const layout = layoutOf(model);
  return { session, engine, batch, model, rendered, relation, dialect, layout, sending, stagingTables: [] };
}

async function selectedRows(write: TableWrite, { selection }: HeldDecision): Promise<Selected | undefined> {
  const { engine, batch, dialect } = write;
  const held = quarantineRelation(batch.table, engine.capabilities.identifierMax);
  if ((await columnsInside(write, held)).size === 0) return undefined;
  const condition = heldCondition(selection, dialect);
  const all = `SELECT * FROM ${relationSql(held, dialect)}`;
  const columns = await columnsOfQuery(write, all);
  const staged = intoStagingTable(write, {
    query: `${all} WHERE ${condition}`,
    columns,
    isStaged: false,
  });
  const count = await staged.rows();
  const names = columns.map(({ name }) => name);
  return { held, condition, names, query: staged.source.query, count };
}

async function discard(write: TableWrite, decision: HeldDecision, decider: Decider): Promise<BatchResult> {
  const selected = await selectedRows(write, decision);
  if (selected === undefined || selected.count === 0) return NOTHING;
  await takeOut(write, selected);
  await recordOutcome(write, decision, { ...decider, leaving: selected.query, accepted: 'FALSE' });
  return { ...NOTHING, rows: selected.count };
}

async function release(write: TableWrite, decision: HeldDecision, decider: Decider): Promise<BatchResult> {
  const { model, session, sending, dialect, batch } = write;
  const selected = await selectedRows(write, decision);
  if (selected === undefined || selected.count === 0) return NOTHING;
  if (decision.isAccepted === true && mayChangeRows(model))
    throw failure('quarantine.cannot-accept', { model: model.name });
  const columns = await sharedColumns(write, selected);
  const staged: BatchRows = { query: selected.query, columns, isStaged: true };
  const audits = await heldAudits(write, staged);
  const flagged = intoStagingTable(write, {
    query: flaggedQuery(selected.query, audits),
    columns: [],
    isStaged: false,
  }).source.query;
  const [count = 0, failing = 0, ...each] = await countFlags(write, flagged, audits);
  const leaving = decision.isAccepted === true ? 'TRUE' : `NOT (${anyFlag(audits)})`;
  const released = decision.isAccepted === true ? count : count - failing;
  const results = audits.map(({ name }, i): AuditResult => {
    const failedRows = each[i] ?? 0;
    // Rows that are accepted fail, and are published.
    const status = decision.isAccepted === true ? 'warned' : 'quarantined';
    return { name, status: failedRows > 0 ? status : 'passed', failedRows };
  });
  const balance = { input: selected.count, published: released, quarantined: selected.count - released };
  if (released === 0) return { rows: 0, audits: results, balance };
  await takeOut(write, selected);
  if (released < count) await putBack(write, { selected, flagged, audits });
  const passing = `SELECT * FROM ${subquery(flagged)} AS plinth__flagged WHERE ${leaving}`;
  const list = listSql(
    columns.map(({ name }) => name),
    dialect,
  );
  const source = { ...staged, query: `SELECT ${list} FROM ${subquery(passing)} AS plinth__passing` };
  const published = await publishHeld(write, source);
  if (published !== released) throw unbalanced(model.name, { ...balance, published });
  await recordOutcome(write, decision, { ...decider, leaving: passing, accepted: anyFlag(audits) });
  const outcome = await runAudits(
    (sql) => sending.send(session.query(sql)),
    model.name,
    await demandsAfter(write),
  );
  const others = outcome.audits.filter(({ name }) => !batch.laterAudits?.includes(name));
  return { ...outcome, rows: released, audits: [...results, ...others], balance };
}

/** Columns of the table that the quarantine has, too: it may be older than a column, or have one that the table lost. */
async function sharedColumns(write: TableWrite, { names }: Selected): Promise<BatchRows['columns']> {
  const table = await columnsOfQuery(write, `SELECT * FROM ${relationSql(write.relation, write.dialect)}`);
  const has = new Set(names.filter((name) => !isHeldColumn(name)).map((name) => name.toLowerCase()));
  return table.filter(({ name }) => has.has(name.toLowerCase()));
}

/** The audits that hold rows back as the model has them now, asked of the table as it would be. */
async function heldAudits(write: TableWrite, staged: BatchRows): Promise<readonly RenderedAudit[]> {
  const { batch, dialect, relation } = write;
  const audits = await renderAudits(batch.content, {
    ...batch,
    dialect,
    thisModel: relation,
    candidate: { relation, query: tableWith(write, staged) },
    only: 'quarantine',
  });
  return audits.filter(({ isSkipped }) => !isSkipped);
}

/** What the whole table must meet afterwards, as in every write. */
async function demandsAfter(write: TableWrite): Promise<readonly RenderedAudit[]> {
  const { batch, dialect, relation, model } = write;
  const audits = await renderAudits(batch.content, {
    ...batch,
    dialect,
    thisModel: relation,
    candidate: { relation },
    ...(mayChangeRows(model) ? {} : { only: 'others' as const }),
  });
  return audits
    .filter(({ name, onFailure }) => onFailure === 'quarantine' || batch.laterAudits?.includes(name) !== true)
    .map((audit) => (audit.onFailure === 'quarantine' ? { ...audit, isBlocking: true } : audit));
}

async function takeOut(write: TableWrite, { held, condition, count }: Selected): Promise<void> {
  const removed = await write.sending.send(write.session.remove(held, condition));
  if (removed !== count)
    throw unbalanced(write.model.name, { input: count, published: removed, quarantined: 0 });
}

/** What still fails is held back further, for the reasons of today. */
async function putBack(
  { session, sending, dialect, model }: TableWrite,
  {
    selected,
    flagged,
    audits,
  }: { readonly selected: Selected; readonly flagged: string; readonly audits: readonly RenderedAudit[] },
): Promise<void> {
  const cells = selected.names.map((name) =>
    name === 'plinth__audits' ? `${failedAudits(audits, dialect)} AS ${name}` : listSql([name], dialect),
  );
  const any = anyFlag(audits);
  const [kept, still] = await Promise.all([
    sending.send(
      session.insert(
        selected.held,
        selected.names,
        `SELECT ${cells.join(', ')} FROM ${subquery(flagged)} AS plinth__flagged WHERE ${any}`,
      ),
    ),
    sending.send(session.query(`SELECT COUNT(*) FROM ${subquery(flagged)} AS plinth__flagged WHERE ${any}`)),
  ]);
  if (kept !== Number(still.rows[0]?.[0]))
    throw unbalanced(model.name, { input: selected.count, published: 0, quarantined: kept });
}
