import { ByteWriter } from './byte-writer.ts';
import { eachLine } from './each-line.ts';
import type { Format, FormattedLines } from './format.ts';

/** Rows of a page as one JSON list. */
export interface PageSpec {
  /** All columns when absent. */
  readonly positions?: readonly number[] | undefined;
  /** It ends before it has more bytes than that, but never before its first row. */
  readonly bytesMax: number;
}

const NEWLINE = 10;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;

export function pageFormat({ positions, bytesMax }: PageSpec): Format {
  let [bytes, rows] = [0, 0];
  /** Lines as they are written, their ends included. */
  const chosen = positions === undefined ? (lines: Buffer) => lines : choosing(positions);
  return {
    look: () => false,
    begin: () => [Buffer.from('[')],
    write(given = Buffer.alloc(0)): FormattedLines {
      const lines = chosen(given);
      const end = endWithin(lines, rows === 0, bytesMax - bytes);
      const isFirst = rows === 0;
      bytes += end;
      const out = Buffer.allocUnsafeSlow(end + 1);
      out[0] = COMMA;
      lines.copy(out, 1, 0, end);
      // Newlines inside of texts are escaped: these are ends of rows.
      for (let at = out.indexOf(NEWLINE); at !== -1; at = out.indexOf(NEWLINE, at + 1)) {
        out[at] = COMMA;
        rows++;
      }
      const pieces = end === 0 ? [] : [out.subarray(isFirst ? 1 : 0, end)];
      return { pieces, isSpent: true, rows, isFull: end < lines.length };
    },
    end: () => [Buffer.from(']')],
  };
}

const choosing =
  (positions: readonly number[]) =>
  (lines: Buffer): Buffer => {
    const out = new ByteWriter(lines.length + 1_024);
    eachLine(lines, (starts) => {
      out.byte(OPEN_LIST);
      for (const [index, at] of positions.entries()) {
        if (index > 0) out.byte(COMMA);
        out.copy(lines, starts[at] as number, (starts[at + 1] as number) - 1);
      }
      out.byte(CLOSE_LIST);
      out.byte(NEWLINE);
    });
    return out.take();
  };

function endWithin(lines: Buffer, mustHaveOne: boolean, left: number): number {
  if (lines.length <= left) return lines.length;
  const end = left <= 0 ? 0 : lines.lastIndexOf(NEWLINE, left - 1) + 1;
  return end === 0 && mustHaveOne ? lines.indexOf(NEWLINE) + 1 : end;
}
