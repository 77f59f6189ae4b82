import { Failure, failure } from '../../domain/failure.ts';
import { permits } from '../../domain/permissions.ts';
import type { Identity } from '../../domain/principal.ts';
import type { StatementLimits } from '../../domain/server-limits.ts';
import {
  type ExecutionResult,
  isTerminal,
  type QueryType,
  type Statement,
  type StatementStatus,
} from '../../domain/statement.ts';
import type { StatementFigures } from '../../domain/statement-figures.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { permittedEnvironment } from '../access/callers.ts';
import type { Product } from '../platform.ts';
import { checkStatementOptions } from './check-statement-options.ts';
import { type Asking, type CompiledAnswer, compileQuestion } from './compile-question.ts';
import type { LongPage, ResultPage, ResultRequest, ResultRows, ResultStream } from './result-page.ts';
import { checkStatementAccess, shownStatement } from './statement-access.ts';
import { homeOf, homes, inspectFor } from './statement-home.ts';
import { statementList } from './statement-list.ts';
import { resultOf, rowsOfResult } from './statement-result.ts';
import type { Question, Submission, SubmitAnswer } from './submission.ts';
import { submitCompiled, withPage } from './submit-compiled.ts';

/** How often an environment may move between compiling and submitting before it is given up. */
const MOVES_MAX = 5;

/** What a question becomes, without anything being run. */
export type TranspiledQuestion =
  | {
      readonly ok: true;
      readonly queryType: QueryType;
      readonly sql: string;
      readonly columns: readonly { readonly name: string; readonly type: string }[];
      readonly dependsOn: readonly string[];
      readonly notes: readonly string[];
    }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

export interface ListRequest {
  readonly limit: number;
  /** Older than this id: where the last list ended. */
  readonly before?: string | undefined;
  readonly status?: StatementStatus | undefined;
  readonly tag?: string | undefined;
  /** Of others too, with the scope `query:read-all`. */
  readonly all?: boolean | undefined;
}

/** Takes over what a process that died has left, and begins to work; the first statement does it too. */
export async function openStatements(product: Product, limits?: Partial<StatementLimits>): Promise<void> {
  await homeOf(product, limits).opened;
}

/** Accepts nothing new, gives what runs so long to end, and leaves the rest to the next process. */
export async function closeStatements(product: Product, drainMs = 0): Promise<void> {
  const home = homes.get(product);
  if (home === undefined) return;
  await home.opened.catch(() => undefined);
  await home.desk.close(drainMs);
}

/** What statements of a product are under way in this process, and which have ended; for those who watch the server. Undefined before the first. */
export function statementFigures(product: Product): StatementFigures | undefined {
  return homes.get(product)?.desk.figures;
}

/** Compiles, accepts and, when asked to, waits. An answer means that it is stored. */
export async function submitStatement(
  product: Product,
  asker: Identity,
  submission: Submission,
): Promise<SubmitAnswer> {
  const home = homeOf(product);
  const problems = checkStatementOptions(submission, home.limits);
  if (problems.length > 0) return { ok: false, diagnostics: problems };
  await home.opened;
  const environment = permittedEnvironment(product, asker, submission.environment);
  for (let attempt = 1; ; attempt++) {
    const context = await home.contexts.of(environment);
    const now = product.world.clock.now();
    const isUnlimited = submission.rowLimit !== undefined;
    const { timezone } = submission;
    const inspect = inspectFor(home, product, asker);
    const asking = { product, asker, context, now, timezone, isUnlimited, inspect };
    const answer = await compiledOrRefused(asking, submission.question);
    if (answer instanceof Failure || !answer.ok) {
      // What is submitted hears from the store that the environment has moved; what is refused must look.
      if (attempt === MOVES_MAX || (await home.contexts.isCurrent(context))) {
        if (answer instanceof Failure) throw answer;
        return answer;
      }
    } else {
      const news = await submitCompiled(home, { ...asking, submission, compiled: answer.compiled });
      if (news !== undefined) {
        const again = () => submitStatement(product, asker, { ...submission, cache: false });
        return withPage(home, product, { news, submission, again });
      }
    }
    // There was a promotion in between: the question is compiled for the present one.
    if (attempt === MOVES_MAX)
      throw failure('environment.moved', { environment, detail: 'it is promoted again and again' });
    await home.contexts.forget(context);
    home.inspections.forget();
  }
}

async function compiledOrRefused(asking: Asking, question: Question): Promise<CompiledAnswer | Failure> {
  try {
    return await compileQuestion(asking, question);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

/** The statement; with `waitMs`, as soon as it differs from `sinceVersion` or, without one, has ended. Throws `statement.unknown`. */
export async function getStatement(
  product: Product,
  asker: Identity,
  {
    id,
    waitMs = 0,
    sinceVersion,
  }: {
    readonly id: string;
    readonly waitMs?: number | undefined;
    readonly sinceVersion?: number | undefined;
  },
): Promise<Statement> {
  const statement = await ownStatement(product, asker, id);
  if (waitMs <= 0 || isTerminal(statement.status)) return shownStatement(product, asker, statement);
  const news = await homeOf(product).desk.wait(id, {
    waitMs,
    ...(sinceVersion === undefined ? {} : { sinceVersion }),
  });
  return shownStatement(product, asker, news?.statement ?? statement);
}

/** Throws `statement.unknown`, `.not-finished`, `.no-result`, `.expired`, `.unknown-column`, and `policy.*` for a caller who may not ask its question now. */
export function statementResult(
  product: Product,
  asker: Identity,
  request: ResultRequest & { readonly id: string; readonly mayBeLong?: false },
): Promise<ResultPage | ResultStream>;
export function statementResult(
  product: Product,
  asker: Identity,
  request: ResultRequest & { readonly id: string },
): Promise<ResultPage | LongPage | ResultStream>;
export async function statementResult(
  product: Product,
  asker: Identity,
  request: ResultRequest & { readonly id: string },
): Promise<ResultPage | LongPage | ResultStream> {
  const { id } = request;
  return resultOf(homeOf(product), product, { id, result: await ownResult(product, asker, id), request });
}

/** Throws as `statementResult` does. */
export async function statementRows(product: Product, asker: Identity, id: string): Promise<ResultRows> {
  return rowsOfResult(product, { id, result: await ownResult(product, asker, id) });
}

async function ownResult(product: Product, asker: Identity, id: string): Promise<ExecutionResult> {
  const statement = await ownStatement(product, asker, id);
  await checkStatementAccess(product, asker, statement);
  const { status } = statement;
  if (!isTerminal(status)) throw failure('statement.not-finished', { id, status });
  if (status !== 'SUCCESS') throw noResult(statement);
  const { state, clock } = product.world;
  const result = await state.statements.result(id, clock.now());
  if (result === undefined) throw failure('statement.expired', { id });
  return result;
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

/** The statement as it is then; one that has ended stays as it is. */
export async function cancelStatement(product: Product, asker: Identity, id: string): Promise<Statement> {
  const statement = await ownStatement(product, asker, id);
  return shownStatement(product, asker, (await homeOf(product).desk.cancel(id)) ?? statement);
}

/** Newest first; `next` where there are more. */
export async function listStatements(
  product: Product,
  asker: Identity,
  { limit, before, status, tag, all = false }: ListRequest,
): Promise<{ readonly items: readonly Statement[]; readonly next?: string }> {
  const isOwn = !(all && permits(asker, 'query:read-all', product));
  return statementList(product, asker, {
    limit,
    ...(isOwn ? { principalId: asker.principalId } : {}),
    ...(before === undefined ? {} : { before }),
    ...(status === undefined ? {} : { status }),
    ...(tag === undefined ? {} : { tag }),
  });
}

/** The SQL that a question means for this caller, policies included; nothing is run. */
export async function transpileQuestion(
  product: Product,
  asker: Identity,
  { question, environment, timezone }: Pick<Submission, 'question' | 'environment' | 'timezone'>,
): Promise<TranspiledQuestion> {
  const home = homeOf(product);
  const problems = checkStatementOptions({ question, timezone }, home.limits);
  if (problems.length > 0) return { ok: false, diagnostics: problems };
  const context = await home.contexts.current(permittedEnvironment(product, asker, environment));
  const now = product.world.clock.now();
  const inspect = inspectFor(home, product, asker);
  const asking = { product, asker, context, now, timezone, isUnlimited: false, inspect };
  const answer = await compileQuestion(asking, question);
  if (!answer.ok) return answer;
  const { queryType, texts, columns = [], reads, notes } = answer.compiled;
  return {
    ok: true,
    queryType,
    sql: texts.at(-1)?.sql ?? '',
    columns: columns.map(({ name, type }) => ({ name, type })),
    dependsOn: reads,
    notes,
  };
}

/** Of others only with the right to; else there is no such statement. */
async function ownStatement(product: Product, asker: Identity, id: string): Promise<Statement> {
  const owner = permits(asker, 'query:read-all', product) ? undefined : asker.principalId;
  const statement = await product.world.state.statements.statement(id, owner);
  if (statement === undefined) throw failure('statement.unknown', { id });
  return statement;
}
