/** Which row that came is most likely meant by which that was expected: the one with the same grain, else the one with the most equal cells. */
import { cellsThatDiffer } from './compare-rows.ts';

type Row = readonly unknown[];

export interface RowPair {
  readonly expected: number;
  readonly came: number;
  /** Places of the cells that differ. */
  readonly cells: readonly number[];
}

/** More than these are not compared with each other. */
const ROWS_MAX = 500;

/** Pairs of places; each row is in one pair at most. `grain` has the places of the columns that identify a row. */
export function closestRows(
  expected: readonly Row[],
  came: readonly Row[],
  { grain = [], isFloat = [] }: { readonly grain?: readonly number[]; readonly isFloat?: readonly boolean[] },
): readonly RowPair[] {
  const width = expected[0]?.length ?? 0;
  if (width < 2 || expected.length > ROWS_MAX || came.length > ROWS_MAX) return [];
  const candidates = expected.flatMap((row, at) =>
    came.flatMap((other, place) => {
      const cells = cellsThatDiffer(row, other, isFloat);
      const hasGrain = grain.length > 0 && grain.every((column) => !cells.includes(column));
      // Rows that share less than half of their cells are different rows, unless their grain says otherwise.
      return hasGrain || cells.length * 2 <= width ? [{ expected: at, came: place, cells, hasGrain }] : [];
    }),
  );
  const ordered = candidates.toSorted(
    (a, b) => Number(b.hasGrain) - Number(a.hasGrain) || a.cells.length - b.cells.length,
  );
  const taken = { expected: new Set<number>(), came: new Set<number>() };
  const pairs: RowPair[] = [];
  for (const { hasGrain: _, ...pair } of ordered) {
    if (taken.expected.has(pair.expected) || taken.came.has(pair.came)) continue;
    taken.expected.add(pair.expected);
    taken.came.add(pair.came);
    pairs.push(pair);
  }
  return pairs.toSorted((a, b) => a.expected - b.expected);
}
