/*
 * Cells of one column on their way into a record batch, read from the bytes of JSON: no text and no number object is
 * made of a cell, because millions of them would be: not even a small object, for they fill the nursery, which V8 then
 * makes larger. Values that need more than fifteen digits take the slow way.
 */
import type { ArrowType } from './arrow-type.ts';

/** The buffers of a column for one batch; they are used again for the next. */
export interface ColumnBuilder {
  readonly nulls: number;
  append(bytes: Buffer, from: number, to: number): void;
  /** Validity first; views, good until `clear`. */
  buffers(): readonly Buffer[];
  clear(): void;
}

type Put = (target: Buffer, at: number, cell: Cell) => void;
interface Cell {
  readonly bytes: Buffer;
  readonly from: number;
  readonly to: number;
}

const NO_BYTES: Buffer = Buffer.alloc(0);
const TEXT_BYTES = 65_536;
/** Longer texts are copied by the platform: calling it costs more than a few bytes do. */
const SHORT = 48;
/** What a batch of text leaves room for in the next; more is given back. */
const TEXT_BYTES_KEPT = 2_097_152;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const NULL = 0x6e;
const TRUE = 0x74;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const DIGITS_SAFE = 15;
const TWO_32 = 4_294_967_296;
const DAY_MICROS = 86_400_000_000;
/** So many days have a number of microseconds that is exact. */
const DAYS_SAFE = 104_000;

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
        put: (target, at, { bytes, from }) => putLong(target, timeOf(bytes, from + 1), at),
      });
    case 'timestamp':
      return new FixedBuilder(rowsMax, {
        bits: 64,
        put: (target, at, { bytes, from }) => {
          const days = daysOf(bytes, from + 1);
          const time = timeOf(bytes, from + 12);
          if (Math.abs(days) < DAYS_SAFE) putLong(target, days * DAY_MICROS + time, at);
          else target.writeBigInt64LE(BigInt(days) * BigInt(DAY_MICROS) + BigInt(time), at);
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

  buffer(): Buffer {
    return this.#bits.subarray(0, Math.ceil(this.rows / 8));
  }

  clear(): void {
    this.#bits.fill(0);
    this.rows = 0;
    this.nulls = 0;
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
  /** One for all cells. */
  readonly #cell = { bytes: NO_BYTES, from: 0, to: 0 };

  constructor(rowsMax: number, { bits, put }: { readonly bits: number; readonly put: Put }) {
    this.#validity = new Validity(rowsMax);
    this.#values = Buffer.alloc(Math.ceil((rowsMax * bits) / 8));
    this.#bits = bits;
    this.#put = put;
  }

  get nulls(): number {
    return this.#validity.nulls;
  }

  append(bytes: Buffer, from: number, to: number): void {
    const isValid = bytes[from] !== NULL;
    const { rows } = this.#validity;
    this.#validity.add(isValid);
    if (!isValid) return;
    if (this.#bits > 1) {
      const cell = this.#cell;
      cell.bytes = bytes;
      cell.from = from;
      cell.to = to;
      this.#put(this.#values, (rows * this.#bits) / 8, cell);
    } else if (bytes[from] === TRUE) setBit(this.#values, rows);
  }

  buffers(): readonly Buffer[] {
    const length = Math.ceil((this.#validity.rows * this.#bits) / 8);
    return [this.#validity.buffer(), this.#values.subarray(0, length)];
  }

  clear(): void {
    this.#cell.bytes = NO_BYTES;
    this.#values.fill(0);
    this.#validity.clear();
  }
}

class TextBuilder implements ColumnBuilder {
  readonly #validity: Validity;
  readonly #offsets: Buffer;
  #bytes = Buffer.allocUnsafeSlow(TEXT_BYTES);
  #length = 0;

  constructor(rowsMax: number) {
    this.#validity = new Validity(rowsMax);
    this.#offsets = Buffer.alloc(4 * (rowsMax + 1));
  }

  get nulls(): number {
    return this.#validity.nulls;
  }

  append(bytes: Buffer, from: number, to: number): void {
    const isValid = bytes[from] !== NULL;
    this.#validity.add(isValid);
    if (isValid) {
      if (bytes[from] !== QUOTE) this.#write(bytes, from, to);
      else if (!isEscaped(bytes, from, to)) this.#write(bytes, from + 1, to - 1);
      else {
        const text = JSON.parse(bytes.toString('utf8', from, to)) as string;
        this.#reserve(Buffer.byteLength(text));
        this.#length += this.#bytes.write(text, this.#length);
      }
    }
    this.#offsets.writeInt32LE(this.#length, 4 * this.#validity.rows);
  }

  buffers(): readonly Buffer[] {
    return [
      this.#validity.buffer(),
      this.#offsets.subarray(0, 4 * (this.#validity.rows + 1)),
      this.#bytes.subarray(0, this.#length),
    ];
  }

  clear(): void {
    if (this.#bytes.length > TEXT_BYTES_KEPT) this.#bytes = Buffer.allocUnsafeSlow(TEXT_BYTES);
    this.#length = 0;
    this.#validity.clear();
  }

  #write(bytes: Buffer, from: number, to: number): void {
    this.#reserve(to - from);
    const target = this.#bytes;
    let at = this.#length;
    if (to - from > SHORT) at += bytes.copy(target, at, from, to);
    else for (let next = from; next < to; next++) target[at++] = bytes[next] as number;
    this.#length = at;
  }

  #reserve(more: number): void {
    const end = this.#length + more;
    if (end <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(end, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

function isEscaped(bytes: Buffer, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (bytes[at] === BACKSLASH) return true;
  return false;
}

/** A whole number, or a decimal without its point, filled up to its scale. */
function integerPut(size: number, scale: number): Put {
  const put = putInteger(size);
  return (target, at, { bytes, from: start, to: end }) => {
    const isQuoted = bytes[start] === QUOTE;
    const from = isQuoted ? start + 1 : start;
    const to = isQuoted ? end - 1 : end;
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
    put(target, bytes[from] === MINUS ? -value : value, at);
  };
}

/** Of so many bytes. */
function putInteger(size: number): (target: Buffer, value: number, at: number) => void {
  if (size > 8)
    return (target, value, at) => {
      putLong(target, value, at);
      // The rest of a number that is not negative is nought, as it was.
      if (value < 0) target.fill(0xff, at + 8, at + size);
    };
  if (size === 8) return putLong;
  return (target, value, at) => {
    for (let byte = 0; byte < size; byte++) target[at + byte] = (value >>> (8 * byte)) & 0xff;
  };
}

function putLong(target: Buffer, value: number, at: number): void {
  const high = Math.floor(value / TWO_32);
  target.writeUInt32LE(value - high * TWO_32, at);
  target.writeInt32LE(high, at + 4);
}

function putBigInteger(
  target: Buffer,
  value: bigint,
  { at, size }: { readonly at: number; readonly size: number },
): void {
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

/** Days since 1970 of `YYYY-MM-DD`, in the proleptic calendar. */
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

/** Microseconds of `HH:MM:SS` and perhaps a point and up to six digits. */
function timeOf(bytes: Buffer, from: number): number {
  const seconds =
    digitsOf(bytes, from, 2) * 3_600 + digitsOf(bytes, from + 3, 2) * 60 + digitsOf(bytes, from + 6, 2);
  let micros = seconds * 1_000_000;
  if (bytes[from + 8] === POINT)
    for (let digit = 0, scale = 100_000; digit < 6; digit++, scale /= 10) {
      const value = (bytes[from + 9 + digit] as number) - ZERO;
      if (value < 0 || value > 9) break;
      micros += value * scale;
    }
  return micros;
}
