/** A result in the formats of files, made from its lines as they come, in memory that does not grow with it. */

import type { StatementColumn } from '../../domain/statement.ts';
import { uniqueNames } from '../../foundation/unique-names.ts';
import { isDoubtful } from './arrow-format.ts';
import type { CsvSpec } from './csv-format.ts';
import { formatted } from './formatted.ts';
import type { PageSpec } from './page-format.ts';
import type { RowFrame } from './row-frame.ts';

type Lines = AsyncIterable<Buffer>;

/** Columns of a result, and which of them are wanted, by position. */
export interface WantedColumns {
  readonly columns: readonly StatementColumn[];
  readonly positions: readonly number[];
  /** Of CSV. */
  readonly lineEnd?: CsvSpec['lineEnd'];
}

/** RFC 4180 with a header; NULL is nothing at all, an empty text is `""`. */
export function csvOf(lines: Lines, { columns, positions, lineEnd }: WantedColumns): AsyncGenerator<Buffer> {
  const names = positions.map((at) => columns[at]?.name ?? '');
  return formatted(lines, {
    kind: 'csv',
    names,
    positions,
    ...(lineEnd === undefined ? {} : { lineEnd }),
  });
}

/** One JSON object a line; of columns with one name the later are called `name_2`, and so on. */
export function ndjsonOf(lines: Lines, { columns, positions }: WantedColumns): AsyncGenerator<Buffer> {
  const names = uniqueNames(positions.map((at) => columns[at]?.name ?? ''));
  return objectsOf(lines, { names, positions });
}

/** Lines as objects with these names; values as they stand. */
export function objectsOf(
  lines: Lines,
  { names, positions }: { readonly names: readonly string[]; readonly positions: readonly number[] },
): AsyncGenerator<Buffer> {
  const keys = names.map((name, index) => `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`);
  return framedOf(lines, rawFrame(positions, keys.length === 0 ? ['{}\n'] : [...keys, '}\n']));
}

/** Rows as one JSON list, some of their columns when these are named; stops before it has more bytes than that, but never before its first row. Answers with how many there are. */
export function pageRowsOf(lines: Lines, page: PageSpec): AsyncGenerator<Buffer, number> {
  return formatted(lines, { kind: 'page', ...page });
}

const rawFrame = (positions: readonly number[], texts: readonly string[]): RowFrame => ({
  texts,
  cells: positions.map((at) => ({ at, as: 'raw' })),
  between: '',
});

/** Rows as JSON in a frame. */
export function framedOf(lines: Lines, frame: RowFrame): AsyncGenerator<Buffer> {
  return formatted(lines, { kind: 'framed', ...frame });
}

/**
 * An Arrow IPC stream. Which type a column gets is decided before its first row is sent, so the rows are read twice
 * when one of a column's values might not fit (infinity, years beyond four digits).
 */
export async function* arrowOf(
  read: () => Promise<Lines>,
  { columns, positions }: WantedColumns,
): AsyncGenerator<Buffer> {
  const chosen = positions.map((at) => ({
    name: columns[at]?.name ?? '',
    type: columns[at]?.engineType ?? '',
  }));
  const spec = { kind: 'arrow', columns: chosen, positions } as const;
  yield* formatted(await read(), spec, isDoubtful(spec) ? read : undefined);
}
