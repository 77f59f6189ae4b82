import type { ByteWriter } from './byte-writer.ts';
import type { Format } from './format.ts';
import { lineFormat } from './line-format.ts';

/** Names of the columns that are wanted, and where in a row each is. */
export interface CsvSpec {
  readonly names: readonly string[];
  readonly positions: readonly number[];
  /** As the RFC has it when absent; as files of this machine have it in what people keep there. */
  readonly lineEnd?: '\n';
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const CARRIAGE_RETURN = 13;
const NEWLINE = 10;
const N = 0x6e;
const OPEN_LIST = 0x5b;
const OPEN_OBJECT = 0x7b;

/** RFC 4180 with a header; NULL is nothing at all, an empty text is `""`. */
export function csvFormat({ names, positions, lineEnd }: CsvSpec): Format {
  return lineFormat({
    begin: () => Buffer.from(`${names.map(csvText).join(',')}${lineEnd ?? '\r\n'}`),
    growth: 1,
    line(out, lines, starts) {
      for (let index = 0; index < positions.length; index++) {
        if (index > 0) out.byte(COMMA);
        const at = positions[index] as number;
        writeCsvCell(out, lines, { from: starts[at] as number, to: (starts[at + 1] as number) - 1 });
      }
      if (lineEnd === undefined) out.byte(CARRIAGE_RETURN);
      out.byte(NEWLINE);
    },
  });
}

function writeCsvCell(
  out: ByteWriter,
  chunk: Buffer,
  { from, to }: { readonly from: number; readonly to: number },
): void {
  const first = chunk[from];
  if (first === N) return;
  if (first === OPEN_LIST || first === OPEN_OBJECT)
    out.text(`"${chunk.toString('utf8', from, to).replaceAll('"', '""')}"`);
  else if (first !== QUOTE) out.copy(chunk, from, to);
  else {
    // Line ends and quotes inside of a text of JSON are escaped, so only a comma and an escape matter.
    const isEscaped = hasByte(chunk, BACKSLASH, { from: from + 1, to: to - 1 });
    if (isEscaped) out.text(csvText(JSON.parse(chunk.toString('utf8', from, to)) as string));
    else if (to - from === 2 || hasByte(chunk, COMMA, { from, to })) out.copy(chunk, from, to);
    else out.copy(chunk, from + 1, to - 1);
  }
}

function hasByte(
  chunk: Buffer,
  byte: number,
  { from, to }: { readonly from: number; readonly to: number },
): boolean {
  for (let at = from; at < to; at++) if (chunk[at] === byte) return true;
  return false;
}

const csvText = (text: string): string =>
  text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
