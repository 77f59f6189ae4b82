import { withFreedMemory } from '../../foundation/with-freed-memory.ts';
import { framedOf } from '../../runtime/statements/result-formats.ts';
import type { OpenedExecutor } from '../ongoing-work.ts';
import type { Product } from '../platform.ts';
import { type KeptResult, keptLines } from './kept-lines.ts';
import { pageOfResult } from './page-of-result.ts';
import { resultFile } from './result-file.ts';
import type { LongPage, ResultPage, ResultRequest, ResultRows, ResultStream } from './result-page.ts';
import { resultPositions } from './result-positions.ts';

export type { CellSpelling, RowFrame } from '../../runtime/statements/row-frame.ts';

export function rowsOfResult(product: Product, { id, result }: KeptResult): ResultRows {
  const { columns, rowCount, bytes } = result;
  return {
    columns,
    rowCount,
    bytes,
    framed: async (frame) => withFreedMemory(framedOf(await keptLines(product, { id, result }, {}), frame)),
  };
}

/** Rows that are kept, as a page or as a file. */
export async function resultOf(
  executor: OpenedExecutor,
  product: Product,
  { id, result, request }: KeptResult & { readonly request: ResultRequest },
): Promise<ResultPage | LongPage | ResultStream> {
  const { format, limit, offset } = request;
  if (format === 'json') return pageOfResult(executor, product, { id, result, request });
  const wanted = { columns: result.columns, positions: resultPositions(result, request.columns) };
  const read = () => keptLines(product, { id, result }, { offset, limit });
  // A file that is gone is reported before the first byte is sent.
  await read();
  return resultFile(product.workspace, { id, format, wanted, read });
}
