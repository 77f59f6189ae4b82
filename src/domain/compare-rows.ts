/**
 * Rows that an answer has, against those that were expected. They are compared as a bag unless the query orders them. Cells are the same when
 * they are written the same; floating-point numbers also when they differ by at most 1e-5 of the answer, as in SQLMesh.
 */
export interface RowsDifference {
  /** Places of expected rows that did not come. */
  readonly missing: readonly number[];
  /** Places of rows that came and were not expected. */
  readonly unexpected: readonly number[];
  readonly isOrder: boolean;
}

type Row = readonly unknown[];

const RELATIVE = 1e-5;
const ABSOLUTE = 1e-8;

/** Undefined when they are the same. `isFloat` says of each column whether it holds floating-point numbers. */
export function compareRows(
  expected: readonly Row[],
  answer: readonly Row[],
  { isOrdered, isFloat = [] }: { readonly isOrdered: boolean; readonly isFloat?: readonly boolean[] },
): RowsDifference | undefined {
  const alike = (left: Row, right: Row): boolean => cellsThatDiffer(left, right, isFloat).length === 0;
  const left = new Map<string, number[]>();
  for (const [at, row] of answer.entries()) {
    const key = JSON.stringify(row);
    const known = left.get(key);
    if (known === undefined) left.set(key, [at]);
    else known.push(at);
  }
  let missing = expected.flatMap((row, at) =>
    left.get(JSON.stringify(row))?.shift() === undefined ? [at] : [],
  );
  let unexpected = [...left.values()].flat().sort((a, b) => a - b);
  if (isFloat.includes(true))
    missing = missing.filter((at) => {
      const found = unexpected.find((other) => alike(expected[at] as Row, answer[other] as Row));
      unexpected = unexpected.filter((other) => other !== found);
      return found === undefined;
    });
  if (missing.length > 0 || unexpected.length > 0) return { missing, unexpected, isOrder: false };
  if (!isOrdered || expected.every((row, at) => alike(row, answer[at] as Row))) return undefined;
  return { missing: [...expected.keys()], unexpected: [...answer.keys()], isOrder: true };
}

/** Places of the cells in which two rows differ. */
export function cellsThatDiffer(left: Row, right: Row, isFloat: readonly boolean[] = []): readonly number[] {
  return left.flatMap((cell, at) => (isSame(cell, right[at], isFloat[at] === true) ? [] : [at]));
}

function isSame(left: unknown, right: unknown, isFloat: boolean): boolean {
  if (isFloat && typeof left === 'number' && typeof right === 'number')
    return left === right || Math.abs(left - right) <= ABSOLUTE + RELATIVE * Math.abs(right);
  if (isFloat && Array.isArray(left) && Array.isArray(right))
    return left.length === right.length && left.every((item, at) => isSame(item, right[at], true));
  return JSON.stringify(left) === JSON.stringify(right);
}
