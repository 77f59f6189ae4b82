/*
 * The messages of an Arrow IPC stream: schema, record batches, end. `ArrowWriter` makes the bodies of batches.
 *
 *   FFFFFFFF │ length │ FlatBuffers message (padded to 8) │ body: validity, offsets and values of each column, padded to 8
 */
import type { ArrowColumn, ArrowType } from './arrow-type.ts';
import { FlatBuilder } from './flat-builder.ts';

const VERSION = 4;
const PREFIX_BYTES = 8;
/** What is sent is held until it is taken, by each of many readers: a batch goes in pieces, as files are read. */
const PIECE_BYTES = 131_072;
const ZEROS = Buffer.alloc(8);
const HEADER = { schema: 1, batch: 3 } as const;

/** What follows the last batch. */
export const END = Buffer.from([0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]);

function message(
  builder: FlatBuilder,
  {
    kind,
    header,
    body,
  }: { readonly kind: number; readonly header: number; readonly body: readonly Buffer[] },
): readonly Buffer[] {
  const bodyLength = body.reduce((length, bytes) => length + padded(bytes.length), 0);
  const root = builder.table([
    () => builder.short(VERSION),
    () => builder.byte(kind),
    () => builder.reference(header),
    () => builder.long(bodyLength),
  ]);
  const metadata = builder.finish(root);
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUInt32LE(0xffffffff, 0);
  prefix.writeInt32LE(padded(metadata.length), 4);
  const parts = [prefix, metadata, ...body].flatMap((bytes) => [bytes, ZEROS.subarray(0, -bytes.length & 7)]);
  return inPieces(parts, PREFIX_BYTES + padded(metadata.length) + bodyLength);
}

/** Copies parts that have this length together, once, because batches come by the thousand. */
function inPieces(parts: readonly Buffer[], length: number): readonly Buffer[] {
  const pieces: Buffer[] = [];
  let left = length;
  let piece = Buffer.allocUnsafeSlow(Math.min(left, PIECE_BYTES));
  let at = 0;
  for (const part of parts)
    for (let from = 0; from < part.length; ) {
      const copied = part.copy(piece, at, from);
      from += copied;
      at += copied;
      if (at < piece.length) continue;
      pieces.push(piece);
      left -= at;
      at = 0;
      // A piece of its own memory: a part of a larger one would hold all of it.
      piece = Buffer.allocUnsafeSlow(Math.min(left, PIECE_BYTES));
    }
  return pieces;
}

const padded = (length: number): number => length + (-length & 7);

/** The beginning of a stream, in pieces. */
export function schemaMessage(columns: readonly ArrowColumn[]): readonly Buffer[] {
  const builder = new FlatBuilder();
  const fields = columns.map(({ name, type }) => {
    const text = builder.text(name);
    const [kind, table] = typeTable(builder, type);
    const children = builder.references([]);
    return builder.table([
      () => builder.reference(text),
      () => builder.byte(1),
      () => builder.byte(kind),
      () => builder.reference(table),
      undefined,
      () => builder.reference(children),
    ]);
  });
  const list = builder.references(fields);
  const schema = builder.table([() => builder.short(0), () => builder.reference(list)]);
  return message(builder, { kind: HEADER.schema, header: schema, body: [] });
}

/** The number of a type in the union of types, and its table. */
function typeTable(builder: FlatBuilder, type: ArrowType): readonly [number, number] {
  switch (type.kind) {
    case 'int':
      return [2, builder.table([() => builder.int(type.bits), () => builder.byte(type.isSigned ? 1 : 0)])];
    case 'float':
      return [3, builder.table([() => builder.short(type.bits === 32 ? 1 : 2)])];
    case 'text':
      return [5, builder.table([])];
    case 'bool':
      return [6, builder.table([])];
    case 'decimal':
      return [
        7,
        builder.table([
          () => builder.int(type.precision),
          () => builder.int(type.scale),
          () => builder.int(128),
        ]),
      ];
    case 'date':
      return [8, builder.table([() => builder.short(0)])];
    case 'time':
      return [9, builder.table([() => builder.short(2), () => builder.int(64)])];
    case 'timestamp': {
      const zone = type.zone === undefined ? undefined : builder.text(type.zone);
      return [
        10,
        builder.table([
          () => builder.short(2),
          zone === undefined ? undefined : () => builder.reference(zone),
        ]),
      ];
    }
  }
}

/** One batch, in pieces: number of values and of nulls of each column, and the buffers of all columns one after another, which are copied. */
export function recordBatch(
  rows: number,
  nodes: readonly [number, number][],
  buffers: readonly Buffer[],
): readonly Buffer[] {
  let at = 0;
  const places = buffers.map(({ length }): [number, number] => {
    const place: [number, number] = [at, length];
    at += padded(length);
    return place;
  });
  const builder = new FlatBuilder();
  const nodeList = builder.pairs([...nodes]);
  const bufferList = builder.pairs(places);
  const batch = builder.table([
    () => builder.long(rows),
    () => builder.reference(nodeList),
    () => builder.reference(bufferList),
  ]);
  return message(builder, { kind: HEADER.batch, header: batch, body: buffers });
}
