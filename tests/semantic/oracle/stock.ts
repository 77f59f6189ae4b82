import { aggregate } from './aggregate.ts';
import { plus, type Rational } from './rational.ts';
import { compareValues, keyOf, type Row, type Value } from './value.ts';
import type { AggregateType, WorldMeasure } from './world.ts';

interface StockRow {
  readonly time: Value;
  readonly per: string;
  readonly value: Value;
}

/** A semi-additive measure over the rows of one group: rows without a time are in no period. */
export function stockValue(
  type: AggregateType,
  { treatment }: NonNullable<WorldMeasure['stock']>,
  rows: readonly StockRow[],
): Value {
  const timed = rows.filter(({ time }) => time !== null);
  const owners = [...new Set(timed.map(({ per }) => per))];
  if (treatment === 'first' || treatment === 'last') {
    const sign = treatment === 'last' ? 1 : -1;
    const kept = timed.filter(
      (row) =>
        !timed.some((other) => other.per === row.per && sign * compareValues(other.time, row.time) > 0),
    );
    return aggregate(
      type,
      kept.map(({ value }) => value),
    );
  }
  const parts = owners.map((per) => {
    const own = timed.filter((row) => row.per === per);
    const times = [...new Set(own.map(({ time }) => keyOf(time)))];
    const values = times.map((time) =>
      aggregate(
        type,
        own.filter((row) => keyOf(row.time) === time).map(({ value }) => value),
      ),
    );
    return aggregate(treatment, values);
  });
  const numbers = parts.filter((part) => part !== null) as Rational[];
  return numbers.length === 0 ? null : numbers.reduce(plus);
}

export const perKey = (row: Row, columns: readonly string[]): string =>
  columns.map((column) => keyOf(row[column] ?? null)).join('\n');
