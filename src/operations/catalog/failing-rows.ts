import { Failure } from '../../domain/failure.ts';
import type { AuditResult, Run } from '../../domain/run.ts';
import { quoteName, quoteText } from '../../foundation/sql/quote.ts';
import type { OpenedWorldReader } from '../open-world.ts';

/** Failing rows of one audit, each as the audit answered with it. */
export type FailingRows = readonly Readonly<Record<string, unknown>>[];

const ROWS_MAX = 20;

/** Rows that were kept when audits of a run failed, by audit; one whose rows a later run has replaced has none. */
export async function failingRows(
  { engine }: OpenedWorldReader,
  run: Run,
): Promise<ReadonlyMap<AuditResult, FailingRows>> {
  const failed = run.models.flatMap(({ audits }) => audits.filter(({ sample }) => sample !== undefined));
  const found = new Map<AuditResult, FailingRows>();
  for (const audit of failed) {
    const text = (value: string): string => quoteText(value, engine.dialect);
    const table = (audit.sample ?? '')
      .split('.')
      .map((part) => quoteName(part, engine.dialect))
      .join('.');
    const where = `run_id = ${text(run.id)} AND audit = ${text(audit.name)}`;
    const answer = await engine
      .query(`SELECT row FROM ${table} WHERE ${where} LIMIT ${ROWS_MAX}`)
      .catch((error: unknown) => {
        // The janitor removes them with the table that they are of.
        if (error instanceof Failure && error.code === 'engine.statement-failed') return undefined;
        throw error;
      });
    if (answer !== undefined)
      found.set(
        audit,
        answer.rows.map(([row]) => JSON.parse(String(row)) as Readonly<Record<string, unknown>>),
      );
  }
  return found;
}
