/** Streams read back by a reader that knows the format and none of the writer; `pyarrow` read the same streams when this was written. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { arrowStreamOfRows } from '../../../tests/support/arrow-stream-of-rows.ts';
import { ArrowWriter } from './arrow-writer.ts';

interface Table {
  readonly field: (index: number) => number | undefined;
}

/** Tables, lists and texts of a FlatBuffers message, by absolute position. */
function flat(bytes: Buffer) {
  const table = (at: number): Table => {
    const vtable = at - bytes.readInt32LE(at);
    const size = bytes.readUInt16LE(vtable);
    return {
      field(index) {
        const place = 4 + 2 * index < size ? bytes.readUInt16LE(vtable + 4 + 2 * index) : 0;
        return place === 0 ? undefined : at + place;
      },
    };
  };
  const follow = (at: number): number => at + bytes.readUInt32LE(at);
  return {
    root: () => table(follow(0)),
    tableAt: (at: number) => table(follow(at)),
    text(at: number) {
      const start = follow(at);
      return bytes.toString('utf8', start + 4, start + 4 + bytes.readUInt32LE(start));
    },
    tables(at: number) {
      const start = follow(at);
      return Array.from({ length: bytes.readUInt32LE(start) }, (_, i) => table(follow(start + 4 + 4 * i)));
    },
    pairs(at: number) {
      const start = follow(at);
      return Array.from({ length: bytes.readUInt32LE(start) }, (_, i) => {
        const pair = start + 4 + 16 * i;
        if (pair % 8 !== 0) throw new Error('structures of long numbers are aligned to 8');
        return [Number(bytes.readBigInt64LE(pair)), Number(bytes.readBigInt64LE(pair + 8))] as const;
      });
    },
    bytes,
  };
}

type Flat = ReturnType<typeof flat>;

function messages(
  stream: Buffer,
): readonly { readonly flat: Flat; readonly kind: number; readonly header: Table; readonly body: Buffer }[] {
  const found = [];
  let at = 0;
  for (;;) {
    if (stream.readUInt32LE(at) !== 0xffffffff || at % 8 !== 0) throw new Error(`no message at ${at}`);
    const length = stream.readInt32LE(at + 4);
    if (length === 0) break;
    const reader = flat(stream.subarray(at + 8, at + 8 + length));
    const root = reader.root();
    const bodyLength = Number(reader.bytes.readBigInt64LE(root.field(3) as number));
    const start = at + 8 + length;
    found.push({
      flat: reader,
      kind: reader.bytes.readUInt8(root.field(1) as number),
      header: reader.tableAt(root.field(2) as number),
      body: stream.subarray(start, start + bodyLength),
    });
    at = start + bodyLength;
  }
  if (at + 8 !== stream.length) throw new Error('something follows the end');
  return found;
}

/** Columns of INTEGER, VARCHAR and DECIMAL(18, 2), as they were given. */
function readBack(stream: Uint8Array): {
  readonly names: readonly string[];
  readonly rows: readonly unknown[][];
} {
  const [schema, ...batches] = messages(Buffer.from(stream));
  if (schema === undefined || schema.kind !== 1) throw new Error('a stream begins with its schema');
  const fields = schema.flat.tables(schema.header.field(1) as number);
  const names = fields.map((field) => schema.flat.text(field.field(0) as number));
  const kinds = fields.map((field) => schema.flat.bytes.readUInt8(field.field(2) as number));
  const rows: unknown[][] = [];
  for (const { flat: reader, header, body } of batches) {
    const length = Number(reader.bytes.readBigInt64LE(header.field(0) as number));
    const nodes = reader.pairs(header.field(1) as number);
    const buffers = reader.pairs(header.field(2) as number).map(([at, size]) => body.subarray(at, at + size));
    const columns = kinds.map((kind, index) => {
      const valid = buffers.shift() as Buffer;
      const first = buffers.shift() as Buffer;
      const rest = kind === 5 ? (buffers.shift() as Buffer) : first;
      const cells = Array.from({ length }, (_, row) => {
        if ((((valid[row >> 3] as number) >> (row & 7)) & 1) === 0) return null;
        if (kind === 2) return first.readInt32LE(4 * row);
        if (kind === 5)
          return rest.toString('utf8', first.readInt32LE(4 * row), first.readInt32LE(4 * row + 4));
        const value = (first.readBigInt64LE(16 * row + 8) << 64n) | first.readBigUInt64LE(16 * row);
        const digits = String(value < 0n ? -value : value).padStart(3, '0');
        return `${value < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
      });
      expect(nodes[index]).toEqual([length, cells.filter((cell) => cell === null).length]);
      return cells;
    });
    for (let row = 0; row < length; row++) rows.push(columns.map((cells) => cells[row]));
  }
  return { names, rows };
}

const COLUMNS = [
  { name: 'i', type: 'INTEGER' },
  { name: 'größe', type: 'VARCHAR' },
  { name: 'x', type: 'DECIMAL(18,2)' },
];

test('whatever the rows, they are read back as they were', () => {
  const cents = fc.bigInt({ min: -(10n ** 18n) + 1n, max: 10n ** 18n - 1n }).map((value) => {
    const digits = String(value < 0n ? -value : value).padStart(3, '0');
    return `${value < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
  });
  const text = fc.string({ unit: 'grapheme' });
  const row = fc.tuple(
    fc.option(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
    fc.option(text),
    fc.option(cents.map((each) => each.replace(/^-0\.00$/, '0.00'))),
  );
  fc.assert(
    fc.property(fc.array(row, { maxLength: 50 }), (rows) => {
      expect(readBack(arrowStreamOfRows(COLUMNS, rows))).toEqual({
        names: COLUMNS.map(({ name }) => name),
        rows,
      });
    }),
  );
});

test('many rows are several batches, none are a schema alone', () => {
  const rows = Array.from({ length: 65_537 }, (_, i) => [i, null, null]);
  const stream = arrowStreamOfRows(COLUMNS, rows);
  expect(messages(Buffer.from(stream)).map(({ kind }) => kind)).toEqual([1, 3, 3]);
  expect(readBack(stream).rows.at(-1)).toEqual([65_536, null, null]);
  expect(messages(Buffer.from(arrowStreamOfRows(COLUMNS, []))).map(({ kind }) => kind)).toEqual([1]);
});

test('rows of any width that come from JSON are read back as they were, batch after batch', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    // Wide enough that a few of them are a batch; one of them is more than a batch alone.
    fc.constantFrom('x'.repeat(300_000), 'é"\\n'.repeat(100_000), 'y'.repeat(3_000_000)),
  );
  const row = fc.tuple(fc.option(fc.integer()), fc.option(text), fc.constantFrom('0.00', '-1.25', null));
  fc.assert(
    fc.property(fc.array(row, { maxLength: 20 }), (rows) => {
      const writer = new ArrowWriter(COLUMNS);
      const pieces = [...writer.begin()];
      for (const cells of rows.map((each) => each.map((value) => JSON.stringify(value)))) {
        const starts = [1];
        for (const cell of cells) starts.push((starts.at(-1) as number) + Buffer.byteLength(cell) + 1);
        writer.append(Buffer.from(`[${cells.join(',')}]`), starts, [0, 1, 2]);
        pieces.push(...writer.take());
      }
      const stream = Buffer.concat([...pieces, ...writer.take(true), writer.end()]);
      expect(readBack(stream).rows).toEqual(rows);
    }),
    { numRuns: 30 },
  );
});

test('a column whose values do not fit its type is text, and so are lists', () => {
  const columns = [
    { name: 'at', type: 'TIMESTAMP' },
    { name: 'list', type: 'INTEGER[]' },
  ];
  expect(
    readBack(
      arrowStreamOfRows(columns, [
        ['infinity', [1, 2]],
        [null, null],
      ]),
    ).rows,
  ).toEqual([
    ['infinity', '[1,2]'],
    [null, null],
  ]);
});
