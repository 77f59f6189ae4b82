import { ArrowWriter } from '../../foundation/arrow/arrow-writer.ts';
import { eachLine } from './each-line.ts';
import type { Format } from './format.ts';

/** Columns that are wanted, and where in a row each is. */
export interface ArrowSpec {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly positions: readonly number[];
}

/** Whether a column's type depends on its rows: one of its values might not fit (infinity, years beyond four digits). */
export const isDoubtful = ({ columns }: ArrowSpec): boolean => new ArrowWriter(columns).doubts.length > 0;

/** An Arrow IPC stream. Which type a column gets is decided before its first row is written. */
export function arrowFormat({ columns, positions }: ArrowSpec): Format {
  const writer = new ArrowWriter(columns);
  return {
    look(lines) {
      eachLine(lines, (starts) => {
        for (const { index, fits } of writer.doubts) {
          const at = positions[index] as number;
          if (!fits(lines, starts[at] as number, (starts[at + 1] as number) - 1)) writer.sendAsText(index);
        }
      });
      return writer.doubts.length > 0;
    },
    begin: () => writer.begin(),
    write(lines) {
      if (lines !== undefined) eachLine(lines, (starts) => writer.append(lines, starts, positions));
      return { pieces: writer.take(), isSpent: true };
    },
    end: () => [...writer.take(true), writer.end()],
  };
}
