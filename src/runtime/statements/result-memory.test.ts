/** What a long result holds while it is made, in bytes; no clock is read. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import type { ResultStore } from '../../domain/result-store.ts';
import { statementColumn } from '../../domain/statement.ts';
import { ArrowWriter } from '../../foundation/arrow/arrow-writer.ts';
import { withFreedMemory } from '../../foundation/with-freed-memory.ts';
import { eachLine } from './each-line.ts';
import { arrowOf, csvOf, ndjsonOf, objectsOf, type WantedColumns } from './result-formats.ts';
import { resultLinesOf } from './result-lines.ts';

const MEGABYTE = 1_048_576;
const TYPES = ['BIGINT', 'VARCHAR', 'DECIMAL(12,2)', 'DATE', 'BOOLEAN'];
const wanted: WantedColumns = {
  columns: TYPES.map((type, at) => statementColumn({ name: `c${at}`, type })),
  positions: TYPES.map((_, at) => at),
};

/** 128 KB of lines, the amount a result file is read by, whose texts have so many letters. */
function chunkOf(letters: number): Buffer {
  const lines: string[] = [];
  for (let row = 0, bytes = 0; bytes < 131_072; row++) {
    const line = `[${row},"${'x'.repeat(letters)}",${row}.25,"2024-01-${10 + (row % 20)}",${row % 3 === 0}]\n`;
    lines.push(line);
    bytes += line.length;
  }
  return Buffer.from(lines.join(''));
}

/** A store of one long result; each piece of it is other memory, as it is when a file is read. */
function storeOf(chunk: Buffer, pieces: number): Pick<ResultStore, 'read'> {
  async function* read(): AsyncGenerator<Buffer> {
    for (let piece = 0; piece < pieces; piece++) {
      const bytes = Buffer.allocUnsafeSlow(chunk.length);
      chunk.copy(bytes);
      yield bytes;
    }
  }
  return { read: async () => read() };
}

const FORMATS = {
  csv: async (read: Read) => csvOf(await read(), wanted),
  ndjson: async (read: Read) => ndjsonOf(await read(), wanted),
  arrow: async (read: Read) => arrowOf(read, wanted),
  // Written to a file before anything is sent.
  'parquet, on its way': async (read: Read) =>
    nothingOf(
      objectsOf(await read(), { names: TYPES.map((_, at) => `c${at}`), positions: wanted.positions }),
    ),
};
type Read = () => Promise<AsyncIterable<Buffer>>;

async function* nothingOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const _ of chunks);
  yield Buffer.alloc(0);
}

// Four megabytes of bytes that are read or sent lie between two collections; what is made of them may be twice as much, and is
// freed beside the program, so that the next collection may still find it. What Parquet is made of is larger than its lines: on a busy
// machine it was seen with 40 MB, and has the bar of streams.
for (const [format, make] of Object.entries(FORMATS))
  for (const letters of [12, 4_000, 40_000]) {
    const mostMb = format.startsWith('parquet') ? 60 : 32;
    test(`${format} of 64 MB of rows with ${letters} letters each never holds more than ${mostMb} MB`, async () => {
      const store = storeOf(chunkOf(letters), 512) as ResultStore;
      const before = heldAlready();
      let most = 0;
      const look = (): void => {
        most = Math.max(most, process.memoryUsage().arrayBuffers - before);
      };
      const read = async (): Promise<AsyncIterable<Buffer>> => {
        const lines = (await resultLinesOf(
          { kind: 'file', name: 'long' },
          store,
          {},
        )) as AsyncIterable<Buffer>;
        return looked(lines, look);
      };
      for await (const _ of withFreedMemory(looked(await make(read), look)));
      expect(most).toBeLessThan(mostMb * MEGABYTE);
    });
  }

/** Without what other tests of this process have let go of. */
function heldAlready(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().arrayBuffers;
}

async function* looked(chunks: AsyncIterable<Buffer>, look: () => void): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    look();
    yield chunk;
  }
}

test('a batch of wide rows ends with the row that makes it a megabyte, and comes in pieces of their own memory', () => {
  const writer = new ArrowWriter(wanted.columns.map(({ name, engineType }) => ({ name, type: engineType })));
  writer.begin();
  const chunk = chunkOf(40_000);
  const batches: number[] = [];
  for (let round = 0; round < 64; round++)
    eachLine(chunk, (starts) => {
      writer.append(chunk, starts, wanted.positions);
      const pieces = writer.take();
      for (const piece of pieces) expect(piece.buffer.byteLength).toBeLessThanOrEqual(131_072);
      if (pieces.length > 0) batches.push(pieces.reduce((bytes, { length }) => bytes + length, 0));
    });
  expect(batches.length).toBeGreaterThan(5);
  expect(Math.min(...batches)).toBeGreaterThan(MEGABYTE);
  expect(Math.max(...batches)).toBeLessThan(MEGABYTE + 50_000);
});

test('a row on its way to Arrow leaves nothing on the heap that must be collected', () => {
  const writer = new ArrowWriter(wanted.columns.map(({ name, engineType }) => ({ name, type: engineType })));
  writer.begin();
  const chunk = chunkOf(12);
  const bytesPerRow: number[] = [];
  for (let round = 0; round < 150; round++) {
    let rows = 0;
    const before = process.memoryUsage().heapUsed;
    eachLine(chunk, (starts) => {
      writer.append(chunk, starts, wanted.positions);
      rows++;
    });
    const after = process.memoryUsage().heapUsed;
    writer.take();
    bytesPerRow.push((after - before) / rows);
  }
  // The median of the later rounds: the first are interpreted, some see a collection.
  const later = bytesPerRow.slice(75).toSorted((a, b) => a - b);
  expect(later[Math.floor(later.length / 2)]).toBeLessThan(24);
});
