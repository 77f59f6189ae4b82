/*
 * Cells of one column on their way into a record batch, read from the bytes of JSON: no text and no number object is
 * made of a cell, because millions of them would be. Values that need more than fifteen digits take the slow way.
 */
import type { ArrowType } from './arrow-column.ts';

/** The buffers of a column for one batch; they are used again for the next. */
export interface ColumnBuilder {
  append(bytes: Buffer, from: number, to: number): void;
  /** Validity first; good until the next `append`. */
  take(): { readonly nulls: number; readonly buffers: readonly Buffer[] };
}

type Put = (target: Buffer, at: number, cell: Cell) => void;
interface Cell {
  readonly bytes: Buffer;
  readonly from: number;
  readonly to: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const NULL = 0x6e;
const TRUE = 0x74;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const DIGITS_SAFE = 15;
const TWO_32 = 4_294_967_296;

/** For batches of at most so many rows. */
export function columnBuilder(type: ArrowType, rowsMax: number): ColumnBuilder {
  switch (type.kind) {
    case 'text':
      return new TextBuilder(rowsMax);
    case 'bool':
      return new FixedBuilder(rowsMax, { bits: 1, put: () => undefined });
    case 'int':
      return new FixedBuilder(rowsMax, { bits: type.bits, put: integerPut(type.bits / 8, 0) });
    case 'decimal':
      return new FixedBuilder(rowsMax, { bits: 128, put: integerPut(16, type.scale) });
    case 'float':
      return new FixedBuilder(rowsMax, { bits: type.bits, put: floatPut(type.bits) });
    case 'date':
      return new FixedBuilder(rowsMax, {
        bits: 32,
        put: (target, at, { bytes, from }) => target.writeInt32LE(daysOf(bytes, from + 1), at),
      });
    case 'time':
      return new FixedBuilder(rowsMax, {
        bits: 64,
        put: (target, at, { bytes, from }) => putMicroseconds(target, at, timeOf(bytes, from + 1)),
      });
    case 'timestamp':
      return new FixedBuilder(rowsMax, {
        bits: 64,
        put: (target, at, { bytes, from }) => {
          const { seconds, micros } = timeOf(bytes, from + 12);
          putMicroseconds(target, at, { seconds: daysOf(bytes, from + 1) * 86_400 + seconds, micros });
        },
      });
  }
}

class Validity {
  readonly #bits: Buffer;
  rows = 0;
  nulls = 0;

  constructor(rowsMax: number) {
    this.#bits = Buffer.alloc(Math.ceil(rowsMax / 8));
  }

  add(isValid: boolean): void {
    if (isValid) setBit(this.#bits, this.rows);
    else this.nulls++;
    this.rows++;
  }

  take(): Buffer {
    const bits = Buffer.from(this.#bits.subarray(0, Math.ceil(this.rows / 8)));
    this.#bits.fill(0);
    this.rows = 0;
    this.nulls = 0;
    return bits;
  }
}

function setBit(bits: Buffer, at: number): void {
  bits[at >> 3] = (bits[at >> 3] as number) | (1 << (at & 7));
}

class FixedBuilder implements ColumnBuilder {
  readonly #validity: Validity;
  readonly #values: Buffer;
  readonly #bits: number;
  readonly #put: Put;

  constructor(rowsMax: number, { bits, put }: { readonly bits: number; readonly put: Put }) {
    this.#validity = new Validity(rowsMax);
    this.#values = Buffer.alloc(Math.ceil((rowsMax * bits) / 8));
    this.#bits = bits;
    this.#put = put;
  }

  append(bytes: Buffer, from: number, to: number): void {
    const isValid = bytes[from] !== NULL;
    const { rows } = this.#validity;
    this.#validity.add(isValid);
    if (!isValid) return;
    if (this.#bits > 1) this.#put(this.#values, (rows * this.#bits) / 8, { bytes, from, to });
    else if (bytes[from] === TRUE) setBit(this.#values, rows);
  }

  take(): { readonly nulls: number; readonly buffers: readonly Buffer[] } {
    const { rows, nulls } = this.#validity;
    const values = Buffer.from(this.#values.subarray(0, Math.ceil((rows * this.#bits) / 8)));
    this.#values.fill(0);
    return { nulls, buffers: [this.#validity.take(), values] };
  }
}

class TextBuilder implements ColumnBuilder {
  readonly #validity: Validity;
  readonly #offsets: Buffer;
  #bytes = Buffer.allocUnsafeSlow(65_536);
  #length = 0;

  constructor(rowsMax: number) {
    this.#validity = new Validity(rowsMax);
    this.#offsets = Buffer.alloc(4 * (rowsMax + 1));
  }

  append(bytes: Buffer, from: number, to: number): void {
    const isValid = bytes[from] !== NULL;
    this.#validity.add(isValid);
    if (isValid) {
      const isText = bytes[from] === QUOTE;
      if (isText && isEscaped(bytes, from, to))
        this.#write(Buffer.from(JSON.parse(bytes.toString('utf8', from, to)) as string));
      else this.#write(isText ? bytes.subarray(from + 1, to - 1) : bytes.subarray(from, to));
    }
    this.#offsets.writeInt32LE(this.#length, 4 * this.#validity.rows);
  }

  take(): { readonly nulls: number; readonly buffers: readonly Buffer[] } {
    const { rows, nulls } = this.#validity;
    const offsets = Buffer.from(this.#offsets.subarray(0, 4 * (rows + 1)));
    const bytes = this.#bytes.subarray(0, this.#length);
    this.#length = 0;
    return { nulls, buffers: [this.#validity.take(), offsets, bytes] };
  }

  #write(text: Buffer): void {
    const end = this.#length + text.length;
    if (end > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(end, this.#bytes.length * 2));
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    this.#length += text.copy(this.#bytes, this.#length);
  }
}

function isEscaped(bytes: Buffer, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (bytes[at] === BACKSLASH) return true;
  return false;
}

/** A whole number, or a decimal without its point, filled up to its scale. */
function integerPut(size: number, scale: number): Put {
  return (target, at, cell) => {
    const { bytes } = cell;
    const [from, to] = bytes[cell.from] === QUOTE ? [cell.from + 1, cell.to - 1] : [cell.from, cell.to];
    let value = 0;
    let digits = 0;
    let fraction = -1;
    for (let next = bytes[from] === MINUS ? from + 1 : from; next < to; next++) {
      const byte = bytes[next] as number;
      if (byte === POINT) {
        fraction = 0;
        continue;
      }
      if (fraction !== -1) fraction++;
      value = value * 10 + byte - ZERO;
      digits++;
    }
    const missing = scale - Math.max(fraction, 0);
    if (digits + missing > DIGITS_SAFE) {
      const text = bytes.toString('latin1', from, to).replace('.', '') + '0'.repeat(missing);
      putBigInteger(target, BigInt(text), { at, size });
      return;
    }
    value *= 10 ** missing;
    putInteger(target, bytes[from] === MINUS ? -value : value, { at, size });
  };
}

interface Slot {
  readonly at: number;
  readonly size: number;
}

function putInteger(target: Buffer, value: number, { at, size }: Slot): void {
  if (size <= 4) {
    for (let byte = 0; byte < size; byte++) target[at + byte] = (value >>> (8 * byte)) & 0xff;
    return;
  }
  const high = Math.floor(value / TWO_32);
  target.writeUInt32LE(value - high * TWO_32, at);
  target.writeInt32LE(high, at + 4);
  if (size === 16 && value < 0) target.fill(0xff, at + 8, at + 16);
}

function putBigInteger(target: Buffer, value: bigint, { at, size }: Slot): void {
  target.writeBigUInt64LE(BigInt.asUintN(64, value), at);
  if (size === 16) target.writeBigInt64LE(BigInt.asIntN(64, value >> 64n), at + 8);
}

function floatPut(bits: 32 | 64): Put {
  return (target, at, { bytes, from, to }) => {
    const isQuoted = bytes[from] === QUOTE;
    const value = Number(
      isQuoted ? bytes.toString('latin1', from + 1, to - 1) : bytes.toString('latin1', from, to),
    );
    if (bits === 32) target.writeFloatLE(value, at);
    else target.writeDoubleLE(value, at);
  };
}

function digitsOf(bytes: Buffer, from: number, count: number): number {
  let value = 0;
  for (let at = from; at < from + count; at++) value = value * 10 + (bytes[at] as number) - ZERO;
  return value;
}

/** Days since 1970 of `YYYY-MM-DD`, in the calendar that goes on for ever in both directions. */
function daysOf(bytes: Buffer, from: number): number {
  const month = digitsOf(bytes, from + 5, 2);
  const year = digitsOf(bytes, from, 4) - (month <= 2 ? 1 : 0);
  const era = Math.floor(year / 400);
  const yearOfEra = year - era * 400;
  const dayOfYear =
    Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + digitsOf(bytes, from + 8, 2) - 1;
  return (
    era * 146_097 +
    yearOfEra * 365 +
    Math.floor(yearOfEra / 4) -
    Math.floor(yearOfEra / 100) +
    dayOfYear -
    719_468
  );
}

interface Time {
  readonly seconds: number;
  readonly micros: number;
}

/** `HH:MM:SS` and perhaps a point and up to six digits. */
function timeOf(bytes: Buffer, from: number): Time {
  const seconds =
    digitsOf(bytes, from, 2) * 3_600 + digitsOf(bytes, from + 3, 2) * 60 + digitsOf(bytes, from + 6, 2);
  let micros = 0;
  if (bytes[from + 8] === POINT)
    for (let digit = 0, scale = 100_000; digit < 6; digit++, scale /= 10) {
      const value = (bytes[from + 9 + digit] as number) - ZERO;
      if (value < 0 || value > 9) break;
      micros += value * scale;
    }
  return { seconds, micros };
}

function putMicroseconds(target: Buffer, at: number, { seconds, micros }: Time): void {
  if (Math.abs(seconds) < 9_000_000_000) putInteger(target, seconds * 1_000_000 + micros, { at, size: 8 });
  else target.writeBigInt64LE(BigInt(seconds) * 1_000_000n + BigInt(micros), at);
}
