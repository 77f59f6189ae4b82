import type { AnswerColumn } from '../../domain/engine.ts';
import { failure } from '../../domain/failure.ts';
import type { TableDiff, TableDiffRequest } from '../../domain/table-diff.ts';

/** Columns of the source and of the target. */
export type BothColumns = readonly [readonly AnswerColumn[], readonly AnswerColumn[]];

/** A column to skip that neither side has is a misspelt one; without those of the key rows cannot be paired. */
export function withoutColumns(
  [before, after]: BothColumns,
  { skipped = [], key }: Pick<TableDiffRequest, 'skipped' | 'key'>,
): BothColumns {
  const isKey = (name: string): boolean => key.some((each) => each.toLowerCase() === name.toLowerCase());
  for (const column of skipped)
    if (isKey(column) || (columnNamed(before, column) ?? columnNamed(after, column)) === undefined)
      throw failure('query.unknown-column', { column });
  const left = new Set(skipped.map((column) => column.toLowerCase()));
  const rest = (columns: readonly AnswerColumn[]): readonly AnswerColumn[] =>
    columns.filter(({ name }) => !left.has(name.toLowerCase()));
  return [rest(before), rest(after)];
}

const NUMBER = /^(?:U?(?:TINY|SMALL|BIG|HUGE)?INT|INTEGER|UINTEGER|DECIMAL|NUMERIC|FLOAT|REAL|DOUBLE)/i;
const FRACTION = /^(?:DECIMAL|NUMERIC|FLOAT|REAL|DOUBLE)/i;

/** Numbers of which one side has places behind the point. */
export function isFraction(...sides: readonly (AnswerColumn | undefined)[]): boolean {
  const types = sides.map((column) => column?.type ?? '');
  return (
    types.every((type) => NUMBER.test(type) && !type.endsWith(']')) &&
    types.some((type) => FRACTION.test(type))
  );
}

/** The column of that name, in whatever case. */
export const columnNamed = (columns: readonly AnswerColumn[], wanted: string): AnswerColumn | undefined =>
  columns.find(({ name }) => name.toLowerCase() === wanted.toLowerCase());

/** How the columns differ, by name and type. */
export function columnDiff(
  before: readonly AnswerColumn[],
  after: readonly AnswerColumn[],
): TableDiff['columns'] {
  return {
    added: after.filter(({ name }) => columnNamed(before, name) === undefined),
    removed: before.filter(({ name }) => columnNamed(after, name) === undefined),
    retyped: before.flatMap(({ name, type }) => {
      const other = columnNamed(after, name);
      return other === undefined || other.type === type ? [] : [{ name, source: type, target: other.type }];
    }),
  };
}
