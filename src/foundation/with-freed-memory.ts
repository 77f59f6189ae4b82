import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: { readonly type: 'minor' }) => void;

let collect: Collect | undefined;

/**
 * Frees what was let go of lately. Buffers lie outside of the heap, where the collector hardly counts them: a long stream of
 * them would grow to a hundred megabytes before it looks. A collection of the young takes less than a millisecond.
 */
function freeYoung(): void {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as Collect;
  }
  collect({ type: 'minor' });
}

const EVERY_BYTES = 4_194_304;

/** The pieces of a stream, in memory that does not grow with its length. */
export async function* withFreedMemory(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    yield piece;
    if (bytes < EVERY_BYTES) continue;
    bytes = 0;
    freeYoung();
  }
}
