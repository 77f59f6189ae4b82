import { type ArrowType, arrowType, fittingRows, textRows } from './arrow-column.ts';
import { batchMessage, END, schemaMessage } from './arrow-stream.ts';

interface Column {
  readonly name: string;
  type: ArrowType;
  /** Whether a value of its type may not fit. */
  isDoubtful: boolean;
}

/** Writes an Arrow stream batch by batch. Rows that were examined before `begin` decide whether a column is sent as text. */
export class ArrowWriter {
  readonly #columns: readonly Column[];

  constructor(columns: readonly { readonly name: string; readonly type: string }[]) {
    this.#columns = columns.map(({ name, type }) => {
      const wanted = arrowType(type);
      const isDoubtful =
        ['date', 'time', 'timestamp'].includes(wanted.kind) || type.toUpperCase() === 'HUGEINT';
      return { name, type: wanted, isDoubtful };
    });
  }

  /** Whether rows must be examined, all of them, before the first batch. */
  get hasDoubts(): boolean {
    return this.#columns.some(({ isDoubtful }) => isDoubtful);
  }

  examine(rows: readonly (readonly unknown[])[]): void {
    for (const [at, column] of this.#columns.entries()) {
      if (!column.isDoubtful || fittingRows(cellsOf(rows, at), column.type) !== undefined) continue;
      column.type = { kind: 'text' };
      column.isDoubtful = false;
    }
  }

  begin(): Buffer {
    return schemaMessage(this.#columns.map(({ name, type }) => ({ name, type, rows: [] })));
  }

  batch(rows: readonly (readonly unknown[])[]): Buffer {
    const columns = this.#columns.map(({ name, type }, at) => {
      const cells = cellsOf(rows, at);
      const fitting = type.kind === 'text' ? textRows(cells) : fittingRows(cells, type);
      if (fitting === undefined) throw new Error(`a value of ${name} does not fit its type`);
      return { name, type, rows: fitting };
    });
    return batchMessage(columns, 0, rows.length);
  }

  end(): Buffer {
    return END;
  }
}

function cellsOf(rows: readonly (readonly unknown[])[], at: number): readonly unknown[] {
  return rows.map((row) => row[at]);
}
