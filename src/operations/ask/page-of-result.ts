import { withFreedMemory } from '../../foundation/with-freed-memory.ts';
import { pageRowsOf } from '../../runtime/statements/result-formats.ts';
import type { OpenedExecutor } from '../ongoing-work.ts';
import type { Product } from '../platform.ts';
import { type KeptResult, keptLines } from './kept-lines.ts';
import type { LongPage, ResultPage, ResultRequest } from './result-page.ts';
import { resultPositions } from './result-positions.ts';

/** Up to here a page is held, and its answer may be kept for who repeats the request. */
const SHORT_PAGE_BYTES = 262_144;

/** At most as many rows as a page may have, and after the first row at most as many bytes. */
export async function pageOfResult(
  { limits }: Pick<OpenedExecutor, 'limits'>,
  product: Product,
  { id, result, request }: KeptResult & { readonly request: Omit<ResultRequest, 'format'> },
): Promise<ResultPage | LongPage> {
  const { offset = 0, columns: names } = request;
  const limit = Math.min(request.limit ?? limits.pageRowsMax, limits.pageRowsMax);
  const positions = resultPositions(result, names);
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
