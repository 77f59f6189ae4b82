import type { Answer } from '../../domain/engine.ts';
import type { Terminal } from '../terminal.ts';
import { renderTable } from './table.ts';

/** A value as a table or CSV cell shows it; nothing is what NULL looks like. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Rows for eyes, or tab-separated where the output is no terminal; numbers stand to the right. */
export function rowsTable(terminal: Terminal, { columns, rows }: Answer): string {
  return renderTable(
    terminal,
    columns.map(({ name, type }) => ({
      title: name,
      isElastic: !isNumeric(type),
      align: isNumeric(type) ? 'right' : 'left',
    })),
    rows.map((row) => row.map(cellText)),
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

/** Prints an answer in the format asked for; `json` is bare data. */
export function printRows(terminal: Terminal, answer: Answer, format: string | undefined): void {
  if (format === 'json') terminal.out(JSON.stringify(rowsJson(answer)));
  else if (format === 'csv') terminal.out(rowsCsv(answer));
  else terminal.out(rowsTable(terminal, answer));
}
