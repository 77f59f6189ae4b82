import { Failure } from '../../domain/failure.ts';
import type { Identity } from '../../domain/principal.ts';
import { isTerminal, type Statement } from '../../domain/statement.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { cancelStatement } from '../../operations/ask/cancel-statement.ts';
import { getStatement } from '../../operations/ask/get-statement.ts';
import type { ResultRows } from '../../operations/ask/result-page.ts';
import { statementRows } from '../../operations/ask/statement-result.ts';
import { submitStatement } from '../../operations/ask/submit-statement.ts';
import type { Product } from '../../operations/platform.ts';

/** A question could not be compiled: everything that is wrong with it. */
export class RefusedQuestion extends Error {
  readonly diagnostics: readonly Diagnostic[];

  constructor(diagnostics: readonly Diagnostic[]) {
    super(diagnostics[0]?.message ?? 'refused');
    this.diagnostics = diagnostics;
  }
}

/** The statement that was asked for did not succeed. */
export class FailedStatement extends Error {
  readonly statement: Statement;

  constructor(statement: Statement) {
    super(statement.error?.message ?? `The statement ${statement.id} is ${statement.status}.`);
    this.statement = statement;
  }
}

/** Who asks, and of what. */
export interface GraphqlCaller {
  readonly product: Product;
  readonly identity: Identity;
  readonly environment?: string | undefined;
  /** Aborted when the client has disconnected: the statement is cancelled then. */
  readonly signal: AbortSignal;
}

/** So often it is looked whether the caller is still there. */
const LOOK_MS = 1_000;

/** One question as one statement, waited for until its time is up; its rows are not read yet. `query` is the JSON of a semantic query, so that its limits are those of REST. */
export async function askQuestion(
  { product, identity, environment, signal }: GraphqlCaller,
  query: unknown,
): Promise<{ readonly statement: Statement; readonly rows: ResultRows }> {
  const answer = await submitStatement(product, identity, {
    question: { kind: 'semantic-query', query },
    environment,
    waitMs: LOOK_MS,
    pageRows: 0,
    withRows: true,
  });
  if (!answer.ok) throw new RefusedQuestion(answer.diagnostics);
  const statement = await ended(product, identity, { statement: answer.statement, signal });
  if (statement.status !== 'SUCCESS') throw new FailedStatement(statement);
  return { statement, rows: answer.rows ?? (await statementRows(product, identity, statement.id)) };
}

async function ended(
  product: Product,
  identity: Identity,
  { statement, signal }: { readonly statement: Statement; readonly signal: AbortSignal },
): Promise<Statement> {
  let last = statement;
  const { id } = statement;
  // The work has a timeout of its own; waiting for its turn is bounded here.
  for (let waited = 0; !isTerminal(last.status); waited += LOOK_MS) {
    if (signal.aborted || waited > 2 * product.limits.statements.timeoutMs)
      return cancelStatement(product, identity, id);
    last = await getStatement(product, identity, { id, waitMs: LOOK_MS });
  }
  return last;
}

/** What a caller may know of something that was thrown; undefined for bugs of ours. */
export function knownProblems(error: unknown): readonly Diagnostic[] | undefined {
  if (error instanceof RefusedQuestion) return error.diagnostics;
  if (error instanceof Failure) return [error.diagnostic];
  return undefined;
}
