import { failure } from '../domain/failure.ts';
import type { ExecutionResult } from '../domain/statement.ts';
import { didYouMean } from '../foundation/diagnostics/nearest.ts';
import { someColumns } from '../runtime/statements/result-formats.ts';
import { linesOf } from '../runtime/statements/result-lines.ts';
import { pageText } from '../runtime/statements/result-page.ts';
import type { Product } from './platform.ts';
import { resultFile } from './statement-file.ts';
import type { StatementHome } from './statement-home.ts';
import type { ResultPage, ResultRequest, ResultStream } from './statements.ts';

interface Asked {
  readonly id: string;
  readonly result: ExecutionResult;
}

/** Rows that are kept, as a page or as a file. */
export async function resultOf(
  home: StatementHome,
  product: Product,
  { id, result, request }: Asked & { readonly request: ResultRequest },
): Promise<ResultPage | ResultStream> {
  const { format, limit, offset } = request;
  if (format === 'json') return pageOf(home, product, { id, result, request });
  const wanted = { columns: result.columns, positions: positionsOf(result, request.columns) };
  const read = () => keptLines(product, { id, result }, { offset, limit });
  // A file that is gone is told before the first byte is promised.
  await read();
  return resultFile(product.workspace, { id, format, wanted, read });
}

/** At most as many rows as a page may have, and no more bytes than that after its first row. */
export async function pageOf(
  { limits }: StatementHome,
  product: Product,
  { id, result, request }: Asked & { readonly request: Omit<ResultRequest, 'format'> },
): Promise<ResultPage> {
  const { offset = 0, columns: names } = request;
  const limit = Math.min(request.limit ?? limits.pageRowsMax, limits.pageRowsMax);
  const positions = positionsOf(result, names);
  const lines = await keptLines(product, { id, result }, { offset, limit });
  const { rows, count } = await pageText(
    names === undefined ? lines : someColumns(lines, positions),
    limits.pageBytesMax,
  );
  const end = offset + count;
  return {
    kind: 'page',
    columns: positions.flatMap((at) => result.columns[at] ?? []),
    rows,
    count,
    rowCount: result.rowCount,
    isTruncated: result.isTruncated,
    ...(end < result.rowCount && count > 0 ? { nextOffset: end } : {}),
  };
}

async function keptLines(
  { workspace }: Product,
  { id, result }: Asked,
  range: { readonly offset?: number | undefined; readonly limit?: number | undefined },
): Promise<AsyncIterable<Buffer>> {
  const lines = await linesOf(result.place, workspace.results, range);
  if (lines === undefined) throw failure('statement.expired', { id });
  return lines;
}

function positionsOf({ columns }: ExecutionResult, names: readonly string[] | undefined): readonly number[] {
  if (names === undefined) return columns.map((_, at) => at);
  return names.map((name) => {
    const at = columns.findIndex((column) => column.name === name);
    if (at !== -1) return at;
    const hint = didYouMean(
      name,
      columns.map((column) => column.name),
    );
    throw failure('statement.unknown-column', { name }, hint === undefined ? {} : { hint });
  });
}
