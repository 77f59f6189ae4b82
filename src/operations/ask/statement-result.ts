import { type Failure, failure } from '../../domain/failure.ts';
import type { Identity } from '../../domain/principal.ts';
import { type ExecutionResult, isTerminal, type Statement } from '../../domain/statement.ts';
import type { Product } from '../platform.ts';
import { executorOf } from './executor-of.ts';
import { ownStatement } from './own-statement.ts';
import { resultOf, rowsOfResult } from './result-of.ts';
import type { LongPage, ResultPage, ResultRequest, ResultRows, ResultStream } from './result-page.ts';
import { checkStatementAccess, withTrust } from './statement-access.ts';

/** What the rows are of, as the caller may see it. */
interface OfStatement {
  readonly statement: Statement;
}

/** Throws `statement.unknown`, `.not-finished`, `.no-result`, `.expired`, `.unknown-column`, and `policy.*` for a caller who may not ask its question now. */
export function statementResult(
  product: Product,
  asker: Identity,
  request: ResultRequest & { readonly id: string; readonly mayBeLong?: false },
): Promise<(ResultPage | ResultStream) & OfStatement>;
export function statementResult(
  product: Product,
  asker: Identity,
  request: ResultRequest & { readonly id: string },
): Promise<(ResultPage | LongPage | ResultStream) & OfStatement>;
export async function statementResult(
  product: Product,
  asker: Identity,
  request: ResultRequest & { readonly id: string },
): Promise<(ResultPage | LongPage | ResultStream) & OfStatement> {
  const { id } = request;
  const { statement, result } = await ownResult(product, asker, id);
  return { ...(await resultOf(executorOf(product), product, { id, result, request })), statement };
}

/** Throws as `statementResult` does. */
export async function statementRows(product: Product, asker: Identity, id: string): Promise<ResultRows> {
  const { result } = await ownResult(product, asker, id);
  return rowsOfResult(product, { id, result });
}

async function ownResult(
  product: Product,
  asker: Identity,
  id: string,
): Promise<OfStatement & { readonly result: ExecutionResult }> {
  const statement = await ownStatement(product, asker, id);
  await checkStatementAccess(product, asker, statement);
  const { status } = statement;
  if (!isTerminal(status)) throw failure('statement.not-finished', { id, status });
  if (status !== 'SUCCESS') throw noResult(statement);
  const { state, clock } = product.world;
  const result = await state.statements.result(id, clock.now());
  if (result === undefined) throw failure('statement.expired', { id });
  return { statement: withTrust(product, asker, statement), result };
}

/** Says why, as the statement does: who may read its result may read its words. */
function noResult({ id, status, error }: Statement): Failure {
  const why = error === undefined ? '' : ` (${error.code}): ${error.message.replace(/\.$/, '')}`;
  return failure(
    'statement.no-result',
    { id, status, why },
    error?.hint === undefined ? {} : { hint: error.hint },
  );
}

/** Throws as `statementResult` does, without looking for the result. */
export async function checkOwnStatement(product: Product, asker: Identity, id: string): Promise<void> {
  await checkStatementAccess(product, asker, await ownStatement(product, asker, id));
}
