import { failure } from '../../domain/failure.ts';
import type { ExecutionResult } from '../../domain/statement.ts';
import { didYouMean } from '../../foundation/diagnostics/nearest.ts';
import { withFreedMemory } from '../../foundation/with-freed-memory.ts';
import { framedOf, pageRowsOf } from '../../runtime/statements/result-formats.ts';
import { resultLinesOf } from '../../runtime/statements/result-lines.ts';
import type { Product } from '../platform.ts';
import type { OpenedDesk } from '../underway.ts';
import { resultFile } from './result-file.ts';
import type { LongPage, ResultPage, ResultRequest, ResultRows, ResultStream } from './result-page.ts';

interface KeptResult {
  readonly id: string;
  readonly result: ExecutionResult;
}

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
  desk: OpenedDesk,
  product: Product,
  { id, result, request }: KeptResult & { readonly request: ResultRequest },
): Promise<ResultPage | LongPage | ResultStream> {
  const { format, limit, offset } = request;
  if (format === 'json') return pageOf(desk, product, { id, result, request });
  const wanted = { columns: result.columns, positions: positionsOf(result, request.columns) };
  const read = () => keptLines(product, { id, result }, { offset, limit });
  // A file that is gone is reported before the first byte is sent.
  await read();
  return resultFile(product.workspace, { id, format, wanted, read });
}

/** Up to here a page is held, and its answer may be kept for who repeats the request. */
const SHORT_PAGE_BYTES = 262_144;

/** At most as many rows as a page may have, and after the first row at most as many bytes. */
export async function pageOf(
  { limits }: Pick<OpenedDesk, 'limits'>,
  product: Product,
  { id, result, request }: KeptResult & { readonly request: Omit<ResultRequest, 'format'> },
): Promise<ResultPage | LongPage> {
  const { offset = 0, columns: names } = request;
  const limit = Math.min(request.limit ?? limits.pageRowsMax, limits.pageRowsMax);
  const positions = positionsOf(result, names);
  const lines = await keptLines(product, { id, result }, { offset, limit });
  const { rowCount, isTruncated } = result;
  const about = { columns: positions.flatMap((at) => result.columns[at] ?? []), rowCount, isTruncated };
  const nextOf = (count: number): { readonly nextOffset?: number } =>
    offset + count < rowCount && count > 0 ? { nextOffset: offset + count } : {};
  const pieces = pageRowsOf(lines, {
    bytesMax: limits.pageBytesMax,
    ...(names === undefined ? {} : { positions }),
  });
  const held: Buffer[] = [];
  let bytes = 0;
  while (request.mayBeLong !== true || bytes <= SHORT_PAGE_BYTES) {
    const { done, value } = await pieces.next();
    if (done === true)
      return { kind: 'page', ...about, rows: String(Buffer.concat(held)), count: value, ...nextOf(value) };
    held.push(value);
    bytes += value.length;
  }
  const { promise: read, resolve } = Promise.withResolvers<{ readonly nextOffset?: number }>();
  return {
    kind: 'long-page',
    ...about,
    rows: withFreedMemory(goneOn(held, pieces, (count) => resolve(nextOf(count)))),
    read,
    close: async () => void (await pieces.return(0)),
  };
}

async function* goneOn(
  held: readonly Buffer[],
  rest: AsyncGenerator<Buffer, number>,
  onEnd: (count: number) => void,
): AsyncGenerator<Buffer> {
  yield* held;
  onEnd(yield* rest);
}

async function keptLines(
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
