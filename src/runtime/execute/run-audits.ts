/*
 * All audits of a write are one question with one answer row, so that a write waits for the engine once:
 *
 *   SELECT (SELECT COUNT(*) FROM (audit 1)), (SELECT COUNT(*) FROM (audit 2)), …
 *
 * Failing rows are looked at only when there are some.
 */
import type { RenderedAudit } from '../../compiler/render/render-audits.ts';
import type { Answer, AnswerColumn } from '../../domain/engine.ts';
import { Failure, failure } from '../../domain/failure.ts';
import type { AuditResult } from '../../domain/run.ts';
import { subquery } from './materialize/table-write.ts';

/** Failing rows that are kept of one audit. */
export const FAILED_ROWS_MAX = 1_000;

/** An audit that found something: how much exactly, and a part of it to look at. */
export interface FailedAudit {
  readonly name: string;
  readonly isBlocking: boolean;
  readonly count: number;
  readonly columns: readonly AnswerColumn[];
  /** At most `FAILED_ROWS_MAX`. */
  readonly rows: readonly (readonly unknown[])[];
}

export interface AuditOutcome {
  /** In the order the model names them. */
  readonly audits: readonly AuditResult[];
  /** Those that stop the write; never empty. */
  readonly failed?: readonly FailedAudit[];
  /** Those that only warn; never empty. */
  readonly warned?: readonly FailedAudit[];
}

export type Ask = (sql: string) => Promise<Answer>;

/** Sends the audits at once; the answer may be awaited later. */
export async function runAudits(
  ask: Ask,
  model: string,
  audits: readonly RenderedAudit[],
): Promise<AuditOutcome> {
  const asked = audits.filter(({ isSkipped }) => !isSkipped);
  if (asked.length === 0) return { audits: audits.map(skipped) };
  const counts = await countFailures(ask, model, asked);
  const results: AuditResult[] = [];
  const found: FailedAudit[] = [];
  let next = 0;
  for (const audit of audits) {
    if (audit.isSkipped) {
      results.push(skipped(audit));
      continue;
    }
    const count = Number(counts[next++] ?? 0);
    const status = count === 0 ? 'passed' : audit.isBlocking ? 'failed' : 'warned';
    results.push({ name: audit.name, status, failedRows: count });
    if (count > 0) found.push(await sampleOf(ask, audit, count));
  }
  const failed = found.filter(({ isBlocking }) => isBlocking);
  const warned = found.filter(({ isBlocking }) => !isBlocking);
  return {
    audits: results,
    ...(failed.length === 0 ? {} : { failed }),
    ...(warned.length === 0 ? {} : { warned }),
  };
}

const skipped = ({ name }: RenderedAudit): AuditResult => ({ name, status: 'skipped', failedRows: 0 });

async function countFailures(
  ask: Ask,
  model: string,
  audits: readonly RenderedAudit[],
): Promise<readonly unknown[]> {
  const counts = audits.map(
    ({ query }, i) => `(SELECT COUNT(*) FROM ${subquery(query)} AS plinth__audit) AS audit_${i}`,
  );
  try {
    return (await ask(`SELECT ${counts.join(', ')}`)).rows[0] ?? [];
  } catch (error) {
    // What may be repeated, and what an earlier statement broke, keeps its own name.
    if (!(error instanceof Failure) || error.isRetryable || error.code !== 'engine.statement-failed')
      throw error;
    const names = audits.map(({ name }) => name).join(', ');
    throw failure('audit.cannot-run', { model, audits: names, detail: detailOf(error) }, { cause: error });
  }
}

/** What the engine said, without the words of ours around it. */
const detailOf = ({ diagnostic: { message } }: Failure): string =>
  message.replace(/^The engine refused a statement: /, '').replace(/\.$/, '');

async function sampleOf(
  ask: Ask,
  { name, query, isBlocking }: RenderedAudit,
  count: number,
): Promise<FailedAudit> {
  const { columns, rows } = await ask(
    `SELECT * FROM ${subquery(query)} AS plinth__failed LIMIT ${FAILED_ROWS_MAX}`,
  );
  return { name, isBlocking, count, columns, rows };
}
