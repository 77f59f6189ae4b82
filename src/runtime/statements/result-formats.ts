/** A result in the formats of files, made from its lines as they come, in memory that does not grow with it. */
import type { StatementColumn } from '../../domain/statement.ts';
import { ArrowWriter } from '../../foundation/arrow/arrow-writer.ts';
import { eachLine } from './split-cells.ts';

type Lines = AsyncIterable<Buffer>;

/** Columns of a result, and which of them are wanted, by position. */
export interface Wanted {
  readonly columns: readonly StatementColumn[];
  readonly positions: readonly number[];
}

const NULL = 'null';

/** RFC 4180 with a header; NULL is nothing at all, an empty text is `""`. */
export async function* csvOf(lines: Lines, { columns, positions }: Wanted): AsyncGenerator<Buffer> {
  yield Buffer.from(`${positions.map((at) => csvText(columns[at]?.name ?? '')).join(',')}\r\n`);
  for await (const chunk of lines) {
    let out = '';
    eachLine(chunk, (starts) => {
      let isFirst = true;
      for (const at of positions) {
        if (isFirst) isFirst = false;
        else out += ',';
        out += csvCell(cellText(chunk, starts, at));
      }
      out += '\r\n';
    });
    yield Buffer.from(out);
  }
}

function cellText(chunk: Buffer, starts: readonly number[], at: number): string {
  return chunk.toString('utf8', starts[at], (starts[at + 1] as number) - 1);
}

function csvCell(json: string): string {
  if (json === NULL) return '';
  switch (json.charCodeAt(0)) {
    case 0x22:
      return csvText(json.includes('\\') ? (JSON.parse(json) as string) : json.slice(1, -1));
    case 0x5b:
    case 0x7b:
      return `"${json.replaceAll('"', '""')}"`;
    default:
      return json;
  }
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
  const keys = names.map((name, index) => `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`);
  for await (const chunk of lines) {
    let out = '';
    eachLine(chunk, (starts) => {
      for (let index = 0; index < positions.length; index++)
        out += (keys[index] as string) + cellText(chunk, starts, positions[index] as number);
      out += positions.length === 0 ? '{}\n' : '}\n';
    });
    yield Buffer.from(out);
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

const BATCH_ROWS = 16_384;

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
  if (writer.hasDoubts)
    for await (const rows of batches(await read(), positions)) {
      writer.examine(rows);
      if (!writer.hasDoubts) break;
    }
  yield writer.begin();
  for await (const rows of batches(await read(), positions)) yield writer.batch(rows);
  yield writer.end();
}

async function* batches(
  lines: Lines,
  positions: readonly number[],
): AsyncGenerator<readonly (readonly unknown[])[]> {
  let rows: unknown[][] = [];
  for await (const chunk of lines) {
    const parsed = JSON.parse(
      `[${chunk.toString('utf8', 0, chunk.length - 1).replaceAll('\n', ',')}]`,
    ) as unknown[][];
    for (const row of parsed) {
      rows.push(positions.map((at) => row[at]));
      if (rows.length < BATCH_ROWS) continue;
      yield rows;
      rows = [];
    }
  }
  if (rows.length > 0) yield rows;
}
