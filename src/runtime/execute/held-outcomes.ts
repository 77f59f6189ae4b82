/*
 * What became of rows that were held back: one row per decision and interval, in a table beside the quarantine, written in the
 * transaction that moved the rows. It shows whether a decision was carried out whose process died, and who made it.
 */
import type { Answer } from '../../domain/engine.ts';
import type { HeldDecision, HeldOutcome } from '../../domain/quarantine.ts';
import { physicalRelation, type Relation, relationSql, type TableId } from '../../domain/relation.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';
import { quoteText } from '../../foundation/sql/quote.ts';
import { normalizeRanges } from '../../foundation/time/ranges.ts';
import { columnsInside } from './held-columns.ts';
import { subquery, type TableWrite } from './materialize/table-write.ts';
import { timestampSql } from './materialize/time-filter.ts';

const COLUMNS = [
  { name: 'run_id', type: 'VARCHAR' },
  { name: 'decision', type: 'VARCHAR' },
  { name: 'interval_start', type: 'TIMESTAMP' },
  { name: 'interval_end', type: 'TIMESTAMP' },
  { name: 'rows', type: 'BIGINT' },
  { name: 'accepted_rows', type: 'BIGINT' },
  { name: 'reason', type: 'VARCHAR' },
  { name: 'who', type: 'VARCHAR' },
  { name: 'at', type: 'TIMESTAMP' },
] as const;

/** Who decided, in which run, when. */
export interface Decider {
  readonly runId: string;
  readonly who: string;
  readonly at: number;
}

/** The table of decisions about the rows of a quarantine. */
export function decisionsRelation(id: TableId, identifierMax?: number): Relation {
  return physicalRelation({ ...id, version: `${id.version}__decisions` }, identifierMax);
}

/** Records what leaves the quarantine: `leaving` has its rows, `accepted` is a condition for those that still fail. */
export async function recordOutcome(
  write: TableWrite,
  { decision, reason }: HeldDecision,
  { runId, who, at, leaving, accepted }: Decider & { readonly leaving: string; readonly accepted: string },
): Promise<void> {
  const { session, sending, engine, batch, dialect } = write;
  const relation = decisionsRelation(batch.table, engine.capabilities.identifierMax);
  const text = (value: string): string => quoteText(value, dialect);
  sending.send(session.createTable(relation, COLUMNS));
  const cells = [
    text(runId),
    text(decision),
    'plinth__interval_start',
    'plinth__interval_end',
    'COUNT(*)',
    `COALESCE(SUM(CASE WHEN ${accepted} THEN 1 ELSE 0 END), 0)`,
    reason === undefined ? 'NULL' : text(reason),
    text(who),
    timestampSql(at),
  ].map((text, i) => `${text} AS ${COLUMNS[i]?.name}`);
  await sending.send(
    session.insert(
      relation,
      COLUMNS.map(({ name }) => name),
      `SELECT ${cells.join(', ')} FROM ${subquery(leaving)} AS plinth__leaving GROUP BY plinth__interval_start, plinth__interval_end`,
    ),
  );
}

/** What a run did, asked inside a transaction; undefined when it did nothing yet. */
export async function outcomeInside(write: TableWrite, runId: string): Promise<HeldOutcome | undefined> {
  const { session, sending, engine, batch, dialect } = write;
  const relation = decisionsRelation(batch.table, engine.capabilities.identifierMax);
  if ((await columnsInside(write, relation)).size === 0) return undefined;
  return outcomeOf(await sending.send(session.query(outcomeSql(relation, runId, dialect))));
}

/** SQL of what a run did, for `outcomeOf`. */
export function outcomeSql(relation: Relation, runId: string, dialect: Dialect): string {
  return `SELECT decision, CAST(interval_start AS VARCHAR), CAST(interval_end AS VARCHAR), rows, accepted_rows, reason, who FROM ${relationSql(relation, dialect)} WHERE run_id = ${quoteText(runId, dialect)} ORDER BY 2`;
}

/** Puts the answer together; undefined without rows. */
export function outcomeOf({ rows }: Answer): HeldOutcome | undefined {
  const [first] = rows;
  if (first === undefined) return undefined;
  const sum = (column: number): number => rows.reduce((total, row) => total + Number(row[column]), 0);
  const [decision, , , , , reason, who] = first;
  return {
    decision: decision === 'discard' ? 'discard' : 'release',
    rows: sum(3),
    accepted: sum(4),
    intervals: normalizeRanges(rows.map((row) => ({ start: instantOf(row[1]), end: instantOf(row[2]) }))),
    ...(typeof reason === 'string' ? { reason } : {}),
    who: String(who),
  };
}

/** A timestamp as the engine writes it, in UTC. */
export function instantOf(text: unknown): number {
  return Date.parse(`${String(text).replace(' ', 'T')}Z`);
}
