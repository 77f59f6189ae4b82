/** Lines in a format, as they are asked for: short results in this thread, long ones in another. */
import type { Format } from './format.ts';
import { type FormatSpec, formatOf } from './format-of.ts';
import { type RemoteFormat, remoteFormat } from './remote-format.ts';

type Lines = AsyncIterable<Buffer>;

/** Up to here it costs less to make it than to ask for it. */
const SHORT_BYTES = 65_536;

/** A format here or elsewhere. */
type AnyFormat = Format | RemoteFormat;

/** `looked`: lines that are looked through before the first is written. Of a page it answers with how many rows it has. */
export async function* formatted(
  lines: Lines,
  spec: FormatSpec,
  looked?: () => Promise<Lines>,
): AsyncGenerator<Buffer, number> {
  const source = await begunLines(lines);
  const format: AnyFormat = source.isShort ? formatOf(spec) : remoteFormat(spec);
  // Read while the lines before are written elsewhere.
  const read = source.isShort ? source.lines : oneAhead(source.lines);
  try {
    return yield* oneAhead(pieces(format, read, looked));
  } finally {
    // They may not have been asked for.
    await source.close();
  }
}

async function* pieces(
  format: AnyFormat,
  lines: Lines,
  looked: (() => Promise<Lines>) | undefined,
): AsyncGenerator<Buffer, number> {
  let rows = 0;
  try {
    if (looked !== undefined)
      for await (const chunk of await looked()) if (!(await format.look(chunk))) break;
    yield* (await format.begin()).map(asBuffer);
    for await (const chunk of lines) {
      let written = await format.write(chunk);
      yield* written.pieces.map(asBuffer);
      while (!written.isSpent) {
        written = await format.write();
        yield* written.pieces.map(asBuffer);
      }
      rows = written.rows ?? 0;
      if (written.isFull === true) break;
    }
    yield* (await format.end()).map(asBuffer);
    return rows;
  } finally {
    if ('drop' in format) format.drop();
  }
}

const asBuffer = (piece: Uint8Array): Buffer => Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);

/** The same lines, and whether they are few. */
async function begunLines(lines: Lines): Promise<{
  readonly lines: AsyncGenerator<Buffer, number>;
  readonly isShort: boolean;
  readonly close: () => Promise<unknown>;
}> {
  const source = lines[Symbol.asyncIterator]();
  const begun: Buffer[] = [];
  let bytes = 0;
  let next = await source.next();
  for (; next.done !== true && bytes <= SHORT_BYTES; next = await source.next()) {
    begun.push(next.value);
    bytes += next.value.length;
  }
  return {
    lines: goneOn(begun, next, source),
    isShort: next.done === true && bytes <= SHORT_BYTES,
    close: async () => source.return?.(),
  };
}

async function* goneOn(
  begun: readonly Buffer[],
  first: IteratorResult<Buffer>,
  source: AsyncIterator<Buffer>,
): AsyncGenerator<Buffer, number> {
  yield* begun;
  for (let next = first; next.done !== true; next = await source.next()) yield next.value;
  return 0;
}

/** The next piece is made while this one is taken; what it answers with is passed on. */
async function* oneAhead(source: AsyncGenerator<Buffer, number>): AsyncGenerator<Buffer, number> {
  let next = source.next();
  try {
    for (;;) {
      const step = await next;
      if (step.done === true) return step.value;
      next = source.next();
      // Told when it is asked for.
      next.catch(() => undefined);
      yield step.value;
    }
  } finally {
    await source.return(0);
  }
}
