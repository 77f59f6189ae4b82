/** Undefined when they are the same; without an order of the query, rows are compared as a bag. */
export function compareRows(
  expected: readonly (readonly unknown[])[],
  answer: readonly (readonly unknown[])[],
  isOrdered: boolean,
):
  | {
      readonly missing: readonly (readonly unknown[])[];
      readonly unexpected: readonly (readonly unknown[])[];
      readonly isOrder: boolean;
    }
  | undefined {
  const left = new Map<string, number>();
  for (const row of answer) left.set(JSON.stringify(row), (left.get(JSON.stringify(row)) ?? 0) + 1);
  const take = (row: readonly unknown[], bag: Map<string, number>): boolean => {
    const key = JSON.stringify(row);
    const count = bag.get(key) ?? 0;
    if (count > 0) bag.set(key, count - 1);
    return count > 0;
  };
  const missing = expected.filter((row) => !take(row, left));
  const unexpected = answer
    .toReversed()
    .filter((row) => take(row, left))
    .toReversed();
  if (missing.length > 0 || unexpected.length > 0) return { missing, unexpected, isOrder: false };
  const isSame = expected.every((row, index) => JSON.stringify(row) === JSON.stringify(answer[index]));
  return !isOrdered || isSame ? undefined : { missing: expected, unexpected: answer, isOrder: true };
}
