/* Is what the engine answered what the oracle expects: columns, rows, and their order as far as the rules fix it. */
import type { SemanticQuery } from '../../../src/domain/semantic-query.ts';
import type { OracleAnswer } from './evaluate.ts';
import { compareCells } from './order.ts';
import { compareRationals, parseRational, type Rational, toNumber } from './rational.ts';
import { isMoment, isRational, keyOf, momentText, type Value } from './value.ts';

export type Cell = string | number | boolean | null;

/** A difference in words; undefined when there is none. */
export function difference(
  expected: OracleAnswer,
  query: SemanticQuery,
  got: { readonly columns: readonly string[]; readonly rows: readonly (readonly unknown[])[] },
): string | undefined {
  if (got.columns.join('|') !== expected.columns.join('|'))
    return `columns ${got.columns.join(', ')} instead of ${expected.columns.join(', ')}`;
  const offset = query.offset ?? 0;
  const wanted = expected.rows.slice(offset, offset + (query.limit ?? 10_000));
  if (got.rows.length !== wanted.length) return `${got.rows.length} rows instead of ${wanted.length}`;
  const width = expected.columns.length;
  const remaining = expected.rows.map((row, at) => ({ row, at }));
  for (const [i, cells] of got.rows.entries()) {
    const want = wanted[i] as readonly Value[];
    const here = remaining.findIndex(
      ({ row }) =>
        sameCells(row, cells as readonly Cell[], expected, width) && mayStandAt(row, want, expected),
    );
    if (here < 0) return `row ${i + 1} is ${JSON.stringify(cells)}`;
    remaining.splice(here, 1);
  }
  return undefined;
}

function sameCells(
  row: readonly Value[],
  cells: readonly Cell[],
  expected: OracleAnswer,
  width: number,
): boolean {
  for (let i = 0; i < width; i++)
    if (
      !sameCell(
        row[i] ?? null,
        cells[i] ?? null,
        expected.inexact[i] === true,
        expected.approximate[i] === true,
      )
    )
      return false;
  return true;
}

/** Two rows may change places where the order is open, or where only the last bits of a DOUBLE decide it. */
function mayStandAt(row: readonly Value[], want: readonly Value[], expected: OracleAnswer): boolean {
  for (const { index, descending } of expected.keys) {
    const [a, b] = [row[index] ?? null, want[index] ?? null];
    if (expected.inexact[index] === true && isRational(a) && isRational(b)) {
      if (isNear(toNumber(a), toNumber(b)) && (isRounded(a) || isRounded(b))) return true;
    }
    if (compareCells(a, b, descending) !== 0) return false;
  }
  return true;
}

/** Whether no DOUBLE has this value. */
const isRounded = ({ d }: Rational): boolean => (d & (d - 1n)) !== 0n;

function isNear(a: number, b: number): boolean {
  return Math.abs(a - b) <= 1e-9 + 1e-9 * Math.max(Math.abs(a), Math.abs(b));
}

function sameCell(expected: Value, got: Cell, isInexact: boolean, isApproximate: boolean): boolean {
  if (expected === null || got === null) return expected === got;
  if (isRational(expected)) {
    if (isApproximate) return Math.abs(toNumber(expected) - Number(got)) <= 1 + toNumber(expected) / 5;
    const exact = typeof got === 'string' ? parseRational(got) : undefined;
    if (exact !== undefined && !isInexact) return compareRationals(exact, expected) === 0;
    if (typeof got === 'boolean' || Number.isNaN(Number(got))) return false;
    return isInexact ? isNear(toNumber(expected), Number(got)) : Number(got) === toNumber(expected);
  }
  if (isMoment(expected))
    return (
      normalTime(`${got}`) === normalTime(momentText(expected)) &&
      isDay(`${got}`) === (expected.kind === 'date')
    );
  return keyOf(expected) === keyOf(got as Value);
}

const isDay = (text: string): boolean => text.length === 10;
const normalTime = (text: string): string => text.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '');
