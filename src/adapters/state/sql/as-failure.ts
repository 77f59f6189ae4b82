import { type DiagnosticCode, diagnostic } from '../../../domain/diagnostics/catalog.ts';
import { Failure } from '../../../domain/failure.ts';
import { StateProblem } from './state-problem.ts';

/** What a database complains about as a problem of the store; anything else is left as it is. */
type ProblemOf = (error: unknown) => unknown;
const asItIs: ProblemOf = (error) => error;

/** A problem of the store as the failure that its callers know. */
export async function asFailure<Result>(promise: Promise<Result>, problemOf = asItIs): Promise<Result> {
  try {
    return await promise;
  } catch (error) {
    throw known(problemOf(error));
  }
}

/** The same for what comes one by one. */
export async function* eachAsFailure<Item>(
  items: AsyncIterable<Item>,
  problemOf = asItIs,
): AsyncGenerator<Item, void, undefined> {
  try {
    yield* items;
  } catch (error) {
    throw known(problemOf(error));
  }
}

const known = (error: unknown): unknown => (error instanceof StateProblem ? failureOf(error) : error);

function failureOf(problem: StateProblem): Failure {
  // The parameters were checked where the problem was made; their type is lost on the way between threads.
  const make = diagnostic as (
    code: DiagnosticCode,
    parameters: StateProblem['parameters'],
  ) => Failure['diagnostic'];
  return new Failure(make(problem.code as DiagnosticCode, problem.parameters), {
    cause: problem.cause,
    isRetryable: problem.code === 'state.locked',
  });
}
