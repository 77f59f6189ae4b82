import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: { readonly type: 'minor' }) => void;

let collect: Collect | undefined;

/**
 * Frees what was let go of lately. A stream leaves dead buffers, which lie outside of the heap where the collector hardly
 * counts them, and small objects: left alone it fills the nursery and sees it made larger, a hundred megabytes in all. A
 * collection of the young takes about a millisecond.
 */
function freeYoung(): void {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as Collect;
  }
  collect({ type: 'minor' });
}

const EVERY_BYTES = 2_097_152;
/** Of all streams together: a collection is one for them all. */
let bytesSince = 0;

/**
 * The pieces of a stream, in memory that does not grow with its length. It stands where bytes are read as well as where
 * they are given away, for what is read is not always given away: some streams look through all rows before their first.
 */
export async function* withFreedMemory(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    yield piece;
    letGo(piece.length);
  }
}

/** Says that so many bytes are not needed any longer. */
export function letGo(bytes: number): void {
  bytesSince += bytes;
  if (bytesSince < EVERY_BYTES) return;
  bytesSince = 0;
  freeYoung();
}
