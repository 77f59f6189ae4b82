import { failure } from '../../domain/failure.ts';
import type { ExecutionResult } from '../../domain/statement.ts';
import { resultLinesOf } from '../../runtime/statements/result-lines.ts';
import type { Product } from '../platform.ts';

/** Rows of a statement, where they are kept. */
export interface KeptResult {
  readonly id: string;
  readonly result: ExecutionResult;
}

/** A line of JSON for each row. Throws `statement.expired`, also while they are read. */
export async function keptLines(
  { workspace }: Product,
  { id, result }: KeptResult,
  range: { readonly offset?: number | undefined; readonly limit?: number | undefined },
): Promise<AsyncIterable<Buffer>> {
  const lines = await resultLinesOf(result.place, workspace.results, range);
  if (lines === undefined) throw failure('statement.expired', { id });
  return untilGone(lines, id);
}

/** Its file is opened when it is read first, and may be gone by then. */
async function* untilGone(lines: AsyncIterable<Buffer>, id: string): AsyncGenerator<Buffer> {
  try {
    yield* lines;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw failure('statement.expired', { id }, { cause: error });
  }
}
