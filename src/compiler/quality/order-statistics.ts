/** Of numbers in any order; NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort(ascending);
  return quantileOfSorted(sorted, 0.5);
}

/** Linear interpolation between the two nearest of sorted numbers: position `(n − 1) · p`. */
export function quantileOfSorted(sorted: readonly number[], p: number): number {
  const position = (sorted.length - 1) * p;
  const low = Math.floor(position);
  const [before, after] = [sorted[low] ?? Number.NaN, sorted[Math.ceil(position)] ?? Number.NaN];
  return before === after ? before : before + (after - before) * (position - low);
}

export const ascending = (a: number, b: number): number => a - b;
