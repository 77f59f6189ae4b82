import type { ResultStore } from '../../domain/result-store.ts';
import type { ResultPlace } from '../../domain/statement.ts';
import { withFreedMemory } from '../../foundation/with-freed-memory.ts';

const NEWLINE = 10;
/** Lines that are in memory come in pieces like those of a file. */
const PIECE_BYTES = 131_072;

/** Lines of a result, wherever they are; undefined when they are gone. */
export async function resultLinesOf(
  place: ResultPlace,
  results: ResultStore,
  range: { readonly offset?: number | undefined; readonly limit?: number | undefined },
): Promise<AsyncIterable<Buffer> | undefined> {
  const { offset = 0, limit = Number.POSITIVE_INFINITY } = range;
  if (place.kind === 'file') {
    const lines = await results.read(place.name, { offset, limit });
    return lines === undefined ? undefined : withFreedMemory(lines);
  }
  const { buffer, byteOffset, byteLength } = place.lines;
  return cut(Buffer.from(buffer, byteOffset, byteLength), offset, limit);
}

async function* cut(lines: Buffer, offset: number, limit: number): AsyncGenerator<Buffer> {
  const start = afterLines(lines, { from: 0, count: offset });
  const end = afterLines(lines, { from: start, count: limit });
  for (let at = start; at < end; ) {
    const next = end - at > PIECE_BYTES ? lines.indexOf(NEWLINE, at + PIECE_BYTES) + 1 : end;
    yield lines.subarray(at, next);
    at = next;
  }
}

function afterLines(
  lines: Buffer,
  { from, count }: { readonly from: number; readonly count: number },
): number {
  if (count === Number.POSITIVE_INFINITY) return lines.length;
  let at = from;
  for (let left = count; left > 0 && at < lines.length; left--) at = lines.indexOf(NEWLINE, at) + 1;
  return at;
}
