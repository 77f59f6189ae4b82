import { END, recordBatch, schemaMessage } from './arrow-stream.ts';
import { type ArrowType, arrowType } from './arrow-type.ts';
import { type ColumnBuilder, columnBuilder } from './column-builder.ts';

const BATCH_ROWS = 8_192;
/** Of JSON: a batch of wide rows ends before its rows are many, so that what a stream holds does not grow with their width. */
const BATCH_BYTES = 1_048_576;

/** A column of which a value may not fit its type, and how that is seen from the bytes of a cell in JSON, without reading it. */
export interface DoubtfulColumn {
  readonly index: number;
  readonly fits: (bytes: Buffer, from: number, to: number) => boolean;
}

interface Column {
  readonly name: string;
  type: ArrowType;
}

/** Writes an Arrow stream batch by batch. What does not fit must be sent as text, which is said before `begin`. */
export class ArrowWriter {
  readonly #columns: readonly Column[];
  #doubts: readonly DoubtfulColumn[];
  #builders: readonly ColumnBuilder[] = [];
  #rows = 0;
  #bytes = 0;
  readonly #ready: Buffer[] = [];

  constructor(columns: readonly { readonly name: string; readonly type: string }[]) {
    this.#columns = columns.map(({ name, type }) => ({ name, type: arrowType(type) }));
    this.#doubts = columns.flatMap(({ type }, index) => {
      const lengths = lengthsOf(arrowType(type), type);
      if (lengths === undefined) return [];
      const [least, most] = lengths;
      return [
        {
          index,
          fits: (bytes, from, to) =>
            bytes[from] === NULL ||
            (to - from >= least &&
              to - from <= (bytes[from + 1] === MINUS ? most + 1 : most) &&
              !(bytes[from + 1] === TWO && bytes[from + 2] === FOUR && bytes[from + 3] === COLON)),
        },
      ];
    });
  }

  /** Columns whose every cell must be looked at before `begin`. */
  get doubts(): readonly DoubtfulColumn[] {
    return this.#doubts;
  }

  sendAsText(index: number): void {
    (this.#columns[index] as Column).type = { kind: 'text' };
    this.#doubts = this.#doubts.filter((doubt) => doubt.index !== index);
  }

  begin(): readonly Buffer[] {
    this.#builders = this.#columns.map(({ type }) => columnBuilder(type, BATCH_ROWS));
    return schemaMessage(this.#columns.map(({ name, type }) => ({ name, type })));
  }

  /** Adds a row, whose cells are at these places of JSON: beginnings, and one behind the comma or bracket after the last. */
  append(bytes: Buffer, starts: readonly number[], positions: readonly number[]): void {
    // Nothing is made here that must be collected: an iterator or an object a cell fills the nursery many times a second.
    for (let index = 0; index < this.#builders.length; index++) {
      const at = positions[index] as number;
      const from = starts[at] as number;
      const to = (starts[at + 1] as number) - 1;
      (this.#builders[index] as ColumnBuilder).append(bytes, from, to);
      this.#bytes += to - from;
    }
    if (++this.#rows === BATCH_ROWS || this.#bytes >= BATCH_BYTES) this.#flush();
  }

  #flush(): void {
    const nodes = this.#builders.map(({ nulls }): [number, number] => [this.#rows, nulls]);
    const buffers = this.#builders.flatMap((builder) => builder.buffers());
    this.#ready.push(...recordBatch(this.#rows, nodes, buffers));
    for (const builder of this.#builders) builder.clear();
    this.#rows = 0;
    this.#bytes = 0;
  }

  /** Pieces of batches that are full; of all that is left when the rows have ended. */
  take(isLast = false): readonly Buffer[] {
    if (isLast && this.#rows > 0) this.#flush();
    return this.#ready.splice(0);
  }

  end(): Buffer {
    return END;
  }
}

const NULL = 0x6e;
const TWO = 0x32;
const FOUR = 0x34;
const COLON = 0x3a;
const MINUS = 0x2d;

/** Bytes that a cell has, quotes included, when its value fits: a year has four digits, a second at most six after the point, and a day ends at 24:00. */
function lengthsOf(type: ArrowType, written: string): readonly [number, number] | undefined {
  if (type.kind === 'date') return [12, 12];
  if (type.kind === 'time') return [10, 17];
  if (type.kind === 'timestamp') return type.zone === undefined ? [25, 28] : [26, 29];
  return written.toUpperCase() === 'HUGEINT' ? [1, 40] : undefined;
}
