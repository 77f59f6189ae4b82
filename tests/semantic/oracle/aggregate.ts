import { compareRationals, divide, minus, plus, type Rational, rational, times } from './rational.ts';
import { compareValues, isRational, keyOf, type Value } from './value.ts';
import type { AggregateType } from './world.ts';

/** An aggregate over the values of rows, one value per row; `count` without expression gets a non-NULL value for each row. */
export function aggregate(type: AggregateType, values: readonly Value[], p = 0.5): Value {
  const present = values.filter((value) => value !== null);
  if (type === 'count') return rational(present.length);
  if (type === 'count_distinct' || type === 'count_distinct_approx')
    return rational(new Set(present.map(keyOf)).size);
  if (present.length === 0) return null;
  if (type === 'min' || type === 'max') {
    const sign = type === 'min' ? 1 : -1;
    return present.reduce((best, value) => (sign * compareValues(value, best) < 0 ? value : best));
  }
  const numbers = present.map(numeric);
  if (type === 'sum' || type === 'avg') {
    const sum = numbers.reduce(plus);
    return type === 'sum' ? sum : (divide(sum, rational(numbers.length)) as Rational);
  }
  return continuous(numbers, type === 'median' ? rational(1, 2) : rational(Math.round(p * 1000), 1000));
}

/** Position p · (n − 1) in the sorted values, between two of them in proportion. */
function continuous(numbers: readonly Rational[], p: Rational): Rational {
  const sorted = [...numbers].sort(compareRationals);
  const position = times(p, rational(sorted.length - 1));
  const below = position.n / position.d;
  const low = sorted[Number(below)] as Rational;
  const high = sorted[Math.min(Number(below) + 1, sorted.length - 1)] as Rational;
  return plus(low, times(minus(high, low), minus(position, rational(below))));
}

function numeric(value: Value): Rational {
  if (!isRational(value)) throw new Error('numbers only');
  return value;
}
