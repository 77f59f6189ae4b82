/** Arrow streams made column by column from rows in memory, without the writer of src, which makes them from bytes of JSON: what it writes is compared with these. */
import { END, recordBatch, schemaMessage } from '../../src/foundation/arrow/arrow-stream.ts';
import { type ArrowColumn, type ArrowType, arrowType } from '../../src/foundation/arrow/arrow-type.ts';

const BATCH_ROWS = 65_536;

interface FilledColumn extends ArrowColumn {
  readonly rows: readonly unknown[];
}

/** The bytes of a stream that every Arrow reader takes; decimals, dates and times keep their types. */
export function arrowStreamOfRows(
  columns: readonly { readonly name: string; readonly type: string }[],
  rows: readonly (readonly unknown[])[],
): Uint8Array {
  const typed = columns.map(({ name, type }, index) =>
    arrowColumn(
      name,
      type,
      rows.map((row) => row[index]),
    ),
  );
  const pieces = [...schemaMessage(typed)];
  for (let from = 0; from < rows.length; from += BATCH_ROWS)
    pieces.push(...batchMessage(typed, from, Math.min(rows.length, from + BATCH_ROWS)));
  pieces.push(END);
  return Buffer.concat(pieces);
}

function batchMessage(columns: readonly FilledColumn[], from: number, to: number): readonly Buffer[] {
  const buffers: Buffer[] = [];
  const nodes = columns.map(({ type, rows }): [number, number] => {
    const values = rows.slice(from, to);
    buffers.push(bits(values.map((value) => value !== null)), ...valueBuffers(type, values));
    return [values.length, values.filter((value) => value === null).length];
  });
  return recordBatch(to - from, nodes, buffers);
}

/** The column with the type its values fit; text for types that Arrow has and we do not write (lists, structures), and where a value such as infinity does not fit. */
function arrowColumn(name: string, type: string, cells: readonly unknown[]): FilledColumn {
  const wanted = arrowType(type);
  const rows = fittingRows(cells, wanted);
  return rows === undefined
    ? { name, type: { kind: 'text' }, rows: textRows(cells) }
    : { name, type: wanted, rows };
}

/** The values as a type stores them; undefined when one does not fit. */
function fittingRows(cells: readonly unknown[], type: ArrowType): readonly unknown[] | undefined {
  if (type.kind === 'text') return undefined;
  const rows = cells.map((cell) => (cell === null || cell === undefined ? null : storedValue(cell, type)));
  return rows.includes(undefined) ? undefined : rows;
}

function textRows(cells: readonly unknown[]): readonly unknown[] {
  return cells.map((cell) =>
    cell === null || cell === undefined
      ? null
      : typeof cell === 'object'
        ? JSON.stringify(cell)
        : String(cell),
  );
}

function bits(values: readonly boolean[]): Buffer {
  const bytes = Buffer.alloc(Math.ceil(values.length / 8));
  for (const [index, value] of values.entries())
    if (value) bytes[index >> 3] = (bytes[index >> 3] as number) | (1 << (index & 7));
  return bytes;
}

function valueBuffers(type: ArrowType, values: readonly unknown[]): readonly Buffer[] {
  switch (type.kind) {
    case 'bool':
      return [bits(values.map((value) => value === true))];
    case 'text': {
      const offsets = Buffer.alloc(4 * (values.length + 1));
      let end = 0;
      for (const [index, value] of values.entries()) {
        end += Buffer.byteLength((value as string | null) ?? '');
        offsets.writeInt32LE(end, 4 * (index + 1));
      }
      const bytes = Buffer.allocUnsafeSlow(end);
      let at = 0;
      for (const value of values) if (value !== null) at += bytes.write(value as string, at);
      return [offsets, bytes];
    }
    case 'date':
      return [fixed(values, 4, (bytes, value, at) => bytes.writeInt32LE(value as number, at))];
    case 'float':
      return [
        type.bits === 32
          ? fixed(values, 4, (bytes, value, at) => bytes.writeFloatLE(value as number, at))
          : fixed(values, 8, (bytes, value, at) => bytes.writeDoubleLE(value as number, at)),
      ];
    case 'int':
      return [
        fixed(values, type.bits / 8, (bytes, value, at) =>
          writeInteger(bytes, value as bigint, { at, size: type.bits / 8 }),
        ),
      ];
    case 'time':
    case 'timestamp':
      return [fixed(values, 8, (bytes, value, at) => writeInteger(bytes, value as bigint, { at, size: 8 }))];
    case 'decimal':
      return [
        fixed(values, 16, (bytes, value, at) => writeInteger(bytes, value as bigint, { at, size: 16 })),
      ];
  }
}

function fixed(
  values: readonly unknown[],
  size: number,
  write: (bytes: Buffer, value: unknown, at: number) => void,
): Buffer {
  const bytes = Buffer.alloc(values.length * size);
  for (const [index, value] of values.entries()) if (value !== null) write(bytes, value, index * size);
  return bytes;
}

/** Little-endian, two's complement. */
function writeInteger(
  bytes: Buffer,
  value: bigint,
  { at, size }: { readonly at: number; readonly size: number },
): void {
  if (size <= 4) bytes.writeUIntLE(Number(BigInt.asUintN(size * 8, value)), at, size);
  else bytes.writeBigUInt64LE(BigInt.asUintN(64, value), at);
  if (size === 16) bytes.writeBigInt64LE(BigInt.asIntN(64, value >> 64n), at + 8);
}

/** The value as it is stored; undefined when it does not fit. */
function storedValue(cell: unknown, type: ArrowType): boolean | number | bigint | undefined {
  const text = String(cell);
  switch (type.kind) {
    case 'bool':
      return typeof cell === 'boolean' ? cell : undefined;
    case 'int':
      return /^-?\d+$/.test(text) ? BigInt(text) : undefined;
    case 'float':
      return Number.isNaN(Number(text)) && text !== 'NaN' ? undefined : Number(text);
    case 'decimal':
      return unscaled(text, type);
    case 'date': {
      const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
      return Number.isNaN(at) ? undefined : at / 86_400_000;
    }
    case 'time':
      return microseconds('1970-01-01', text);
    case 'timestamp': {
      const [day, time] = text.replace(/Z$/, '').split(/[T ]/);
      return day === undefined || time === undefined ? undefined : microseconds(day, time);
    }
    case 'text':
      return undefined;
  }
}

function unscaled(
  text: string,
  { precision, scale }: { readonly precision: number; readonly scale: number },
): bigint | undefined {
  const [, sign, whole, fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === undefined || fraction.length > scale) return undefined;
  const digits = (whole + fraction.padEnd(scale, '0')).replace(/^0+(?=\d)/, '');
  return digits.length > precision ? undefined : BigInt(sign + digits);
}

function microseconds(day: string, time: string): bigint | undefined {
  const [, clock, fraction = ''] = /^(\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?$/.exec(time) ?? [];
  if (clock === undefined || !/^\d{4}-\d\d-\d\d$/.test(day)) return undefined;
  const at = Date.parse(`${day}T${clock}Z`);
  return Number.isNaN(at) ? undefined : BigInt(at) * 1000n + BigInt(fraction.padEnd(6, '0'));
}
