/*
 * Runs operations one after another on one connection, on whatever thread this is:
 *
 *   ask ─▶ queue ─▶ BEGIN IMMEDIATE · all that is waiting · COMMIT ─▶ answers
 *                     └─ one of them fails: ROLLBACK, then each alone
 *
 * Nothing is awaited between BEGIN and COMMIT. What waits together is committed together, so that the price of a
 * commit (an fsync with `synchronous: full`) is paid once. A lock of another process is waited for between attempts.
 */
import { isWrite, type OperationName, operationSteps } from '../sql/operations.ts';
import { StateProblem } from '../sql/state-problem.ts';
import { drive, type StateDatabase } from './database.ts';
import { fileProblem, isBusy } from './file-problem.ts';

interface Question {
  readonly name: OperationName;
  readonly given: readonly unknown[];
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export interface Executor {
  ask(name: OperationName, given: readonly unknown[]): Promise<unknown>;
  /** When everything asked until now is answered; more may have been asked by then. */
  idle(): Promise<void>;
  isIdle(): boolean;
}

const GROUP_MAX = 64;
const FIRST_PAUSE_MS = 2;
const PAUSE_MAX_MS = 100;

/** How long another process may keep the file locked before a call gives up. */
export const LOCKED_AFTER_MS = 5_000;

export function createExecutor(database: StateDatabase, lockedAfterMs = LOCKED_AFTER_MS): Executor {
  const queue: Question[] = [];
  let working: Promise<void> | undefined;

  const drain = async (): Promise<void> => {
    // What is asked in the same moment is answered together.
    await Promise.resolve();
    while (queue.length > 0) {
      const group = queue.splice(0, GROUP_MAX);
      const answers = await tryTogether(database, group, lockedAfterMs);
      if (answers !== undefined) {
        for (const [index, question] of group.entries()) question.resolve(answers[index]);
        continue;
      }
      for (const question of group) {
        try {
          question.resolve((await transact(database, [question], lockedAfterMs))[0]);
        } catch (error) {
          question.reject(fileProblem(error, database.file));
        }
      }
    }
    working = undefined;
  };

  return {
    ask: (name, given) =>
      new Promise((resolve, reject) => {
        queue.push({ name, given, resolve, reject });
        working ??= drain();
      }),
    idle: async () => working,
    isIdle: () => working === undefined,
  };
}

/** Undefined when one of several failed: then none of them happened. */
async function tryTogether(
  database: StateDatabase,
  group: readonly Question[],
  lockedAfterMs: number,
): Promise<readonly unknown[] | undefined> {
  if (group.length === 1) return undefined;
  try {
    return await transact(database, group, lockedAfterMs);
  } catch {
    // Which of them it was is found by doing each alone.
    return undefined;
  }
}

async function transact(
  database: StateDatabase,
  group: readonly Question[],
  lockedAfterMs: number,
): Promise<readonly unknown[]> {
  const begin = group.some(({ name }) => isWrite(name)) ? 'BEGIN IMMEDIATE' : 'BEGIN';
  return whenFree(database.file, lockedAfterMs, () => {
    database.run(begin);
    try {
      const answers = group.map(({ name, given }) => drive(operationSteps(database.state, name, given)));
      database.run('COMMIT');
      return answers;
    } catch (error) {
      if (database.isInTransaction()) database.execute('ROLLBACK');
      throw error;
    }
  });
}

/** Repeats what meets another process's lock, with growing pauses, until `state.locked`. */
export async function whenFree<Result>(
  file: string,
  lockedAfterMs: number,
  attempt: () => Result,
): Promise<Result> {
  const since = performance.now();
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, PAUSE_MAX_MS)) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error)) throw error;
      const waitedMs = performance.now() - since;
      if (waitedMs >= lockedAfterMs) {
        const seconds = (waitedMs / 1000).toFixed(1);
        throw new StateProblem('state.locked', { file, seconds }, { cause: error });
      }
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs * (0.5 + Math.random())));
  }
}
