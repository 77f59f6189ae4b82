import { answerVersion } from '../../domain/data-version.ts';
import type { Identity } from '../../domain/principal.ts';
import type { StatementLimits } from '../../domain/server-limits.ts';
import type { NewStatement } from '../../domain/statement.ts';
import { hash128 } from '../../foundation/hash128.ts';
import { type UnversionedRequest, versionsNow } from '../../runtime/statements/shareable-request.ts';
import { newId } from '../new-id.ts';
import type { ProductReader } from '../product-reader.ts';
import { answerTrust } from './answer-trust.ts';
import { askedQuestion } from './asked-question.ts';
import { type AskContext, type CompiledQuestion, taskOf } from './compile-question.ts';
import type { Submission } from './submission.ts';

/** A question of a caller that was compiled. */
export interface SubmittedQuestion {
  readonly submission: Submission;
  readonly compiled: CompiledQuestion;
  readonly asker: Identity;
  readonly asking: Pick<AskContext, 'context' | 'now'>;
}

/** The statement that a question becomes, with what is known of the data behind its answer, and how the store is asked to take it. */
export async function newStatement(
  { world, caches }: Pick<ProductReader, 'world' | 'caches'>,
  { submission, compiled, asker, asking: { context, now } }: SubmittedQuestion,
  limits: StatementLimits,
): Promise<{ readonly statement: NewStatement; readonly request: UnversionedRequest }> {
  const { cache = true, ttlMs, tags = [] } = submission;
  const { rowLimit, onLimit = 'truncate', timeoutMs = limits.timeoutMs } = submission;
  const { promotionId, name } = context.environment;
  const tables = await context.tablesBelow(compiled.reads);
  const versions = tables === undefined ? undefined : versionsNow(world.engine, tables);
  const trust = await answerTrust(world, caches, {
    ...{ context, compiled, now },
    dataVersion: async () => answerVersion(tables, await versions),
  });
  const tableVersions = await versions;
  // Where no data version shows whether an answer is still right, only the caller can say how old one may be.
  const isShareable =
    (compiled.isStable && tables !== undefined) || (cache && ttlMs !== undefined && ttlMs > 0);
  const task = taskOf(compiled, { rowLimit, onLimit, timeoutMs, tables: isShareable ? undefined : tables });
  return {
    statement: {
      id: newId('s', now),
      queryType: compiled.queryType,
      sql: compiled.sql,
      environment: name,
      principalId: asker.principalId,
      tenant: asker.tenant,
      tags,
      submittedAt: now,
      dependsOn: compiled.reads,
      trust,
      notes: compiled.notes,
      access: compiled.access,
      ...askedQuestion(submission, context.semantics),
    },
    request: {
      task,
      question: hash128(promotionId, JSON.stringify([task.texts, rowLimit ?? null, onLimit])),
      ...(isShareable ? { tables: tables ?? [] } : {}),
      ...(isShareable && tableVersions !== undefined ? { tableVersions } : {}),
      ...(cache ? { cachedSince: now - (ttlMs ?? limits.keptMs) } : {}),
      now,
    },
  };
}
