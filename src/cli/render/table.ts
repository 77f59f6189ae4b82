import { stripVTControlCharacters } from 'node:util';
import type { Terminal } from '../terminal.ts';
import { printable } from './printable.ts';

/** A column of a printed table; numbers go to the right, and `isElastic` columns give way when the terminal is narrow. */
export interface TextColumn {
  readonly title: string;
  readonly align?: 'left' | 'right';
  readonly isElastic?: boolean;
}

const GAP = '  ';
const ELASTIC_MIN = 12;

/** Aligned columns for eyes; tab-separated, whole and with a header line where the output is not a terminal. */
export function renderTable(
  terminal: Terminal,
  columns: readonly TextColumn[],
  rowsGiven: readonly (readonly string[])[],
): string {
  const rows = rowsGiven.map((row) => row.map(oneCell));
  if (terminal.mode !== 'rich')
    return [columns.map(({ title }) => title), ...rows].map((row) => row.join('\t')).join('\n');
  const widths = columns.map(({ title }, index) =>
    rows.reduce((most, row) => Math.max(most, textWidth(row[index] ?? '')), title.length),
  );
  const spare =
    terminal.width - widths.reduce((sum, width) => sum + width, 0) - GAP.length * (columns.length - 1);
  if (spare < 0) shrink(widths, columns, -spare);
  const line = (cells: readonly string[]): string =>
    columns
      .map(({ align }, index) => pad(cells[index] ?? '', widths[index] as number, align))
      .join(GAP)
      .trimEnd();
  const header = columns
    .map(({ title, align }, index) => pad(title, widths[index] as number, align))
    .join(GAP)
    .trimEnd();
  return [terminal.style('dim', header), ...rows.map(line)].join('\n');
}

/** Takes the missing width from the elastic columns, the widest first. */
function shrink(widths: number[], columns: readonly TextColumn[], missing: number): void {
  for (let left = missing; left > 0; left--) {
    let widest = -1;
    for (const [index, { isElastic }] of columns.entries()) {
      const width = widths[index] as number;
      if (isElastic === true && width > ELASTIC_MIN && (widest < 0 || width > (widths[widest] as number)))
        widest = index;
    }
    if (widest < 0) return;
    widths[widest] = (widths[widest] as number) - 1;
  }
}

/** The text in exactly this width: cut with `…`, or filled with blanks. Styles are invisible and do not count. */
export function pad(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const length = textWidth(text);
  if (length > width) return `${stripVTControlCharacters(text).slice(0, Math.max(0, width - 1))}…`;
  const blanks = ' '.repeat(width - length);
  return align === 'right' ? blanks + text : text + blanks;
}

function textWidth(text: string): number {
  return text.includes('\u001b') ? stripVTControlCharacters(text).length : text.length;
}

const oneCell = (text: string): string => printable(text.replace(/[\t\r\n]+/g, ' '));

/** `1 model`, `2 models`: a count with its noun. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${grouped(count)} ${count === 1 ? noun : plural}`;
}

/** A whole number with thousands separated, the same in every locale. */
export function grouped(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Lines of at most this many characters, broken at blanks; a longer word has a line of its own. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  lines.push(line);
  return lines;
}
