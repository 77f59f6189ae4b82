/** A result in the formats of files, made from its lines as they come, in memory that does not grow with it. */
import type { StatementColumn } from '../../domain/statement.ts';
import { ArrowWriter } from '../../foundation/arrow/arrow-writer.ts';
import { ByteWriter } from './byte-writer.ts';
import { eachLine } from './split-cells.ts';

type Lines = AsyncIterable<Buffer>;

/** Columns of a result, and which of them are wanted, by position. */
export interface Wanted {
  readonly columns: readonly StatementColumn[];
  readonly positions: readonly number[];
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
export async function* csvOf(lines: Lines, { columns, positions }: Wanted): AsyncGenerator<Buffer> {
  yield Buffer.from(`${positions.map((at) => csvText(columns[at]?.name ?? '')).join(',')}\r\n`);
  for await (const chunk of lines) {
    const out = new ByteWriter(chunk.length + 1_024);
    eachLine(chunk, (starts) => {
      for (let index = 0; index < positions.length; index++) {
        if (index > 0) out.byte(COMMA);
        const at = positions[index] as number;
        writeCsvCell(out, chunk, { from: starts[at] as number, to: (starts[at + 1] as number) - 1 });
      }
      out.byte(CARRIAGE_RETURN);
      out.byte(NEWLINE);
    });
    yield out.take();
  }
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

/** One JSON object a line; of columns with one name the later are called `name_2`, and so on. */
export async function* ndjsonOf(lines: Lines, { columns, positions }: Wanted): AsyncGenerator<Buffer> {
  const names = uniqueNames(positions.map((at) => columns[at]?.name ?? ''));
  yield* objectsOf(lines, { names, positions });
}

/** Lines as objects with these names; values as they stand. */
export async function* objectsOf(
  lines: Lines,
  { names, positions }: { readonly names: readonly string[]; readonly positions: readonly number[] },
): AsyncGenerator<Buffer> {
  const keys = names.map((name, index) => Buffer.from(`${index === 0 ? '{' : ','}${JSON.stringify(name)}:`));
  const [close, empty] = [Buffer.from('}\n'), Buffer.from('{}\n')];
  for await (const chunk of lines) {
    const out = new ByteWriter(chunk.length * 2 + 1_024);
    eachLine(chunk, (starts) => {
      for (let index = 0; index < positions.length; index++) {
        const at = positions[index] as number;
        out.copy(keys[index] as Buffer);
        out.copy(chunk, starts[at] as number, (starts[at + 1] as number) - 1);
      }
      out.copy(positions.length === 0 ? empty : close);
    });
    yield out.take();
  }
}

/** Names of which no two are equal; a second `id` is `id_2`. */
export function uniqueNames(names: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let unique = name;
    for (let n = 2; taken.has(unique.toLowerCase()); n++) unique = `${name}_${n}`;
    taken.add(unique.toLowerCase());
    return unique;
  });
}

function cellText(chunk: Buffer, starts: readonly number[], at: number): string {
  return chunk.toString('utf8', starts[at], (starts[at + 1] as number) - 1);
}

/** Rows with some of their columns, still lines. */
export async function* someColumns(lines: Lines, positions: readonly number[]): AsyncGenerator<Buffer> {
  for await (const chunk of lines) {
    let out = '';
    eachLine(chunk, (starts) => {
      out += `[${positions.map((at) => cellText(chunk, starts, at)).join(',')}]\n`;
    });
    yield Buffer.from(out);
  }
}

/**
 * An Arrow IPC stream. Which type a column gets is decided before its first row is sent, so the rows are read twice
 * when one of a column's values might not fit (infinity, years beyond four digits).
 */
export async function* arrowOf(
  read: () => Promise<Lines>,
  { columns, positions }: Wanted,
): AsyncGenerator<Buffer> {
  const writer = new ArrowWriter(
    positions.map((at) => ({ name: columns[at]?.name ?? '', type: columns[at]?.engineType ?? '' })),
  );
  if (writer.doubts.length > 0)
    for await (const chunk of await read()) {
      eachLine(chunk, (starts) => {
        for (const { index, fits } of writer.doubts) {
          const at = positions[index] as number;
          if (!fits(chunk, starts[at] as number, (starts[at + 1] as number) - 1)) writer.sendAsText(index);
        }
      });
      if (writer.doubts.length === 0) break;
    }
  yield* writer.begin();
  for await (const chunk of await read()) {
    eachLine(chunk, (starts) => writer.append(chunk, starts, positions));
    yield* writer.take();
  }
  yield* writer.take(true);
  yield writer.end();
}
