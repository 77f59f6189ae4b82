import { Failure, failure } from '../../domain/failure.ts';
import type { SubmitOutcome } from '../../domain/state-store.ts';
import { isTerminal } from '../../domain/statement.ts';
import type { StatementUpdate } from '../../runtime/statements/statement-updates.ts';
import type { OpenedExecutor } from '../ongoing-work.ts';
import type { Product } from '../platform.ts';
import { suspended } from './inspect-for.ts';
import { newStatement, type SubmittedQuestion } from './new-statement.ts';
import { pageOfResult } from './page-of-result.ts';
import { rowsOfResult } from './result-of.ts';
import type { ResultRows } from './result-page.ts';
import type { Submission, SubmitAnswer } from './submission.ts';

/** A compiled question becomes a statement, which is waited for; undefined when the environment has moved meanwhile. */
export async function submitCompiled(
  product: Pick<Product, 'world' | 'caches'>,
  { executor, limits }: Pick<OpenedExecutor, 'executor' | 'limits'>,
  question: SubmittedQuestion,
): Promise<StatementUpdate | undefined> {
  const { waitMs = 0, onWaitTimeout } = question.submission;
  const { statement, request } = await newStatement(product, question, limits);
  const listening = executor.listen(statement.id, { waitMs });
  let outcome: SubmitOutcome;
  let update: StatementUpdate | undefined;
  try {
    outcome = await executor.submit(statement, request);
    update = await listening.until(outcome.kind === 'accepted' ? outcome.statement : undefined);
  } finally {
    listening.stop();
  }
  if (update === undefined) {
    refuse(outcome, limits.queuedMax);
    return undefined;
  }
  if (onWaitTimeout === 'cancel' && !isTerminal(update.statement.status)) {
    const cancelled = await executor.cancel(statement.id);
    return cancelled === undefined ? update : { statement: cancelled };
  }
  const kept = outcome.kind === 'accepted' ? outcome.result : undefined;
  return kept === undefined ? update : { ...update, result: kept };
}

function refuse(outcome: SubmitOutcome, queued: number): void {
  if (outcome.kind === 'suspended') throw suspended(outcome.until);
  if (outcome.kind === 'full') throw failure('statement.too-many', { queued }, { isRetryable: true });
  if (outcome.kind !== 'refused') return;
  const detail = `it brought the engine down, and is refused until ${new Date(outcome.until).toISOString()}`;
  throw failure('statement.out-of-resources', { detail });
}

/**
 * With the first page, when there is one and it was not declined, and with all rows when they are wanted. The oldest results go
 * for want of room: a kept answer that is gone before it was read is worked out `again`.
 */
export async function withPage(
  executor: OpenedExecutor,
  product: Product,
  {
    update,
    submission,
    again,
  }: {
    readonly update: StatementUpdate;
    readonly submission: Submission;
    readonly again: () => Promise<SubmitAnswer>;
  },
): Promise<SubmitAnswer> {
  const { statement } = update;
  const { pageRows = executor.limits.pageRowsMax, waitMs = 0, withRows = false } = submission;
  const wantsNone = pageRows === 0 && !withRows;
  if (statement.status !== 'SUCCESS' || wantsNone || waitMs <= 0) return { ok: true, statement };
  const { state, clock } = product.world;
  const isKept = statement.strategy === 'from_cache';
  const result = update.result ?? (await state.statements.result(statement.id, clock.now()));
  if (result === undefined) return isKept ? again() : { ok: true, statement };
  const asked = { id: statement.id, result };
  const rows = withRows ? { rows: rowsOr(rowsOfResult(product, asked), isKept ? again : undefined) } : {};
  if (pageRows === 0) return { ok: true, statement, ...rows };
  const request = { limit: pageRows, mayBeLong: submission.mayBeLong };
  try {
    const page = await pageOfResult(executor, product, { ...asked, request });
    return { ok: true, statement, ...rows, ...(page.kind === 'page' ? { page } : { longPage: page }) };
  } catch (error) {
    if (isKept && isExpired(error)) return again();
    throw error;
  }
}

const isExpired = (error: unknown): boolean => error instanceof Failure && error.code === 'statement.expired';

/** Rows that are worked out again when they are gone; without `again` they are reported as gone. */
function rowsOr(rows: ResultRows, again: (() => Promise<SubmitAnswer>) | undefined): ResultRows {
  if (again === undefined) return rows;
  return {
    ...rows,
    framed: async (frame) => {
      try {
        return await rows.framed(frame);
      } catch (error) {
        const answer = isExpired(error) ? await again() : undefined;
        if (answer?.ok !== true || answer.rows === undefined) throw error;
        return answer.rows.framed(frame);
      }
    },
  };
}
