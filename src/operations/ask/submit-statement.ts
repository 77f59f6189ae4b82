import { Failure, failure } from '../../domain/failure.ts';
import type { Identity } from '../../domain/principal.ts';
import { permittedEnvironment } from '../access/callers.ts';
import type { Product } from '../platform.ts';
import { askContext } from './ask-context.ts';
import { checkStatementOptions } from './check-statement-options.ts';
import { type AskContext, type CompiledAnswer, compileQuestion } from './compile-question.ts';
import { executorOf } from './executor-of.ts';
import { withTrust } from './statement-access.ts';
import { dropContext, isCurrentContext, lastContext } from './statement-contexts.ts';
import type { Question, Submission, SubmitAnswer } from './submission.ts';
import { submitCompiled, withPage } from './submit-compiled.ts';

/** How often an environment may move between compiling and submitting before it is given up. */
const MOVES_MAX = 5;

/** Compiles, accepts and, when asked to, waits. An answer means that it is stored. */
export async function submitStatement(
  product: Product,
  asker: Identity,
  submission: Submission,
): Promise<SubmitAnswer> {
  const executor = executorOf(product);
  const problems = checkStatementOptions(submission, executor.limits);
  if (problems.length > 0) return { ok: false, diagnostics: problems };
  await executor.opened;
  const environment = permittedEnvironment(product, asker, submission.environment);
  for (let attempt = 1; ; attempt++) {
    const context = await lastContext(product, environment);
    const isUnlimited = submission.rowLimit !== undefined;
    const asking = askContext(product, asker, { context, timezone: submission.timezone, isUnlimited });
    const answer = await compiledOrRefused(asking, submission.question);
    if (answer instanceof Failure || !answer.ok) {
      // What is submitted hears from the store that the environment has moved; what is refused must look.
      if (attempt === MOVES_MAX || (await isCurrentContext(product, context))) {
        if (answer instanceof Failure) throw answer;
        return answer;
      }
    } else {
      const update = await submitCompiled(product, executor, {
        asker,
        asking,
        submission,
        compiled: answer.compiled,
      });
      if (update !== undefined) {
        const again = () => submitStatement(product, asker, { ...submission, cache: false });
        const answered = await withPage(executor, product, { update, submission, again });
        return answered.ok
          ? { ...answered, statement: withTrust(product, asker, answered.statement) }
          : answered;
      }
    }
    // There was a promotion in between: the question is compiled for the present one.
    if (attempt === MOVES_MAX)
      throw failure('environment.moved', { environment, detail: 'it is promoted again and again' });
    await dropContext(product, context);
    product.caches.inspected.forget();
  }
}

async function compiledOrRefused(asking: AskContext, question: Question): Promise<CompiledAnswer | Failure> {
  try {
    return await compileQuestion(asking, question);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}
