import { failure } from '../../domain/failure.ts';
import type { ExecutionResult } from '../../domain/statement.ts';
import { didYouMean } from '../../foundation/diagnostics/nearest.ts';

/** Where the columns that are asked for are in a row; all of them without names. Throws `statement.unknown-column`. */
export function resultPositions(
  { columns }: ExecutionResult,
  names: readonly string[] | undefined,
): readonly number[] {
  if (names === undefined) return columns.map((_, at) => at);
  return names.map((name) => {
    const at = columns.findIndex((column) => column.name === name);
    if (at !== -1) return at;
    const hint = didYouMean(
      name,
      columns.map((column) => column.name),
    );
    throw failure('statement.unknown-column', { name }, hint === undefined ? {} : { hint });
  });
}
