import type { Answer } from '../../domain/engine.ts';
import type { Terminal } from '../terminal.ts';
import { formattedNumber } from './formatted-number.ts';
import { renderTable } from './table.ts';

/** A value as a table or CSV cell shows it; nothing is what NULL looks like. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Rows for eyes, numbers to the right and by the `formats` of their columns; tab-separated and as they are where the output is not a terminal. */
export function rowsTable(
  terminal: Terminal,
  { columns, rows }: Answer,
  formats: readonly (string | undefined)[] = [],
): string {
  const isForEyes = terminal.mode === 'rich';
  return renderTable(
    terminal,
    columns.map(({ name, type }) => ({
      title: name,
      isElastic: !isNumeric(type),
      align: isNumeric(type) ? 'right' : 'left',
    })),
    rows.map((row) =>
      row.map((cell, index) => (isForEyes && formattedNumber(cell, formats[index])) || cellText(cell)),
    ),
  );
}

const isNumeric = (type: string): boolean =>
  /^(?:U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?|DECIMAL.*|DOUBLE|FLOAT|REAL|NUMERIC.*)$/i.test(type);

/** Rows as RFC 4180 says, with a header; a cell is quoted when it needs to be. NULL is empty, an empty text is quoted. */
export function rowsCsv({ columns, rows }: Answer): string {
  const cell = (value: unknown): string => {
    const text = cellText(value);
    return value === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [columns.map(({ name }) => name), ...rows].map((row) => row.map(cell).join(',')).join('\n');
}

/** The data of `plinth.query/1`: cells as JSON carries them. */
export function rowsJson({ columns, rows }: Answer): {
  readonly cols: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly (readonly unknown[])[];
} {
  return { cols: columns.map(({ name, type }) => ({ name, type })), rows };
}

/** One JSON object on each line. */
function rowsNdjson({ columns, rows }: Answer): string {
  return rows
    .map((row) => JSON.stringify(Object.fromEntries(columns.map(({ name }, i) => [name, row[i] ?? null]))))
    .join('\n');
}

/** The answer as text in a format; `json` is bare data. */
export function rowsText(
  terminal: Terminal,
  answer: Answer,
  {
    format,
    formats,
  }: { readonly format?: string | undefined; readonly formats?: readonly (string | undefined)[] },
): string {
  switch (format) {
    case 'json':
      return JSON.stringify(rowsJson(answer));
    case 'csv':
      return rowsCsv(answer);
    case 'ndjson':
      return rowsNdjson(answer);
    default:
      return rowsTable(terminal, answer, formats);
  }
}

/** Prints an answer in the format asked for. */
export function printRows(terminal: Terminal, answer: Answer, format: string | undefined): void {
  const text = rowsText(terminal, answer, { format });
  if (text !== '') terminal.out(text);
}
