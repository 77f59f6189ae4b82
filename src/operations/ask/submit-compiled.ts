import { Failure, failure } from '../../domain/failure.ts';
import type { Identity } from '../../domain/principal.ts';
import type { SubmitOutcome } from '../../domain/state-store.ts';
import { isTerminal, type NewStatement } from '../../domain/statement.ts';
import { hash128 } from '../../foundation/hash128.ts';
import type { StatementUpdate } from '../../runtime/statements/statement-updates.ts';
import { newId } from '../new-id.ts';
import type { Product } from '../platform.ts';
import type { OpenedDesk } from '../underway.ts';
import { type Asking, type CompiledQuestion, taskOf } from './compile-question.ts';
import { suspended } from './inspect-for.ts';
import { pageOfResult } from './page-of-result.ts';
import type { ResultRows } from './result-page.ts';
import { rowsOfResult } from './statement-result.ts';
import type { Submission, SubmitAnswer } from './submission.ts';

/** A compiled question becomes a statement, which is waited for; undefined when the environment has moved meanwhile. */
export async function submitCompiled(
  { desk, limits }: Pick<OpenedDesk, 'desk' | 'limits'>,
  {
    submission,
    compiled,
    asker,
    asking: { context, now },
  }: {
    readonly submission: Submission;
    readonly compiled: CompiledQuestion;
    readonly asker: Identity;
    readonly asking: Asking;
  },
): Promise<StatementUpdate | undefined> {
  const { cache = true, ttlMs, tags = [], waitMs = 0, onWaitTimeout } = submission;
  const { rowLimit, onLimit = 'truncate', timeoutMs = limits.timeoutMs } = submission;
  const { promotionId, promotedAt, name } = context.environment;
  const task = taskOf(compiled, { rowLimit, onLimit, timeoutMs });
  const tables = await context.tablesBelow(compiled.reads);
  // Where no data version shows whether an answer is still right, only the caller can say how old one may be.
  const isShareable =
    (compiled.isStable && tables !== undefined) || (cache && ttlMs !== undefined && ttlMs > 0);
  const statement: NewStatement = {
    id: newId('s', now),
    queryType: compiled.queryType,
    sql: compiled.sql,
    environment: name,
    principalId: asker.principalId,
    tenant: asker.tenant,
    tags,
    submittedAt: now,
    dependsOn: compiled.reads,
    trust: { promotionId, promotedAt },
    notes: compiled.notes,
    access: compiled.access,
  };
  const request = {
    task,
    question: hash128(promotionId, JSON.stringify([task.texts, rowLimit ?? null, onLimit])),
    ...(isShareable ? { tables: tables ?? [] } : {}),
    ...(cache ? { cachedSince: now - (ttlMs ?? limits.keptMs) } : {}),
    now,
  };
  const listening = desk.listen(statement.id, { waitMs });
  let outcome: SubmitOutcome;
  let update: StatementUpdate | undefined;
  try {
    outcome = await desk.submit(statement, request);
    update = await listening.until(outcome.kind === 'accepted' ? outcome.statement : undefined);
  } finally {
    listening.stop();
  }
  if (update === undefined) {
    refuse(outcome, limits.queuedMax);
    return undefined;
  }
  if (onWaitTimeout === 'cancel' && !isTerminal(update.statement.status)) {
    const cancelled = await desk.cancel(statement.id);
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
  desk: OpenedDesk,
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
  const { pageRows = desk.limits.pageRowsMax, waitMs = 0, withRows = false } = submission;
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
    const page = await pageOfResult(desk, product, { ...asked, request });
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
