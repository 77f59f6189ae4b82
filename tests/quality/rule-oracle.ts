/*
 * What rules mean, computed here over the rows themselves: no SQL, no packing, no shared code with the planner but the parsed rule.
 */

import type { CheckOutcome } from '../../src/domain/check-result.ts';
import type { DqComparison, DqMetric, DqRule, DqValidity } from '../../src/domain/dq-pack.ts';

export type Cell = string | number | boolean | null;
export type Row = Readonly<Record<string, Cell>>;

export interface Expected {
  readonly outcome: CheckOutcome;
  readonly value?: number | null;
  readonly rowsTested?: number;
  readonly rowsFailed?: number;
}

const formats: Readonly<Record<string, (text: string) => boolean>> = {
  email: (text) => /^[^\s@]+@[^\s@.]+\.[a-z]{2,}$/i.test(text),
  integer: (text) => /^[+-]?\d+$/.test(text),
  uuid: (text) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text),
};

const isMissing = (cell: Cell, { missingValues = [], missingRegex }: DqValidity): boolean =>
  cell === null ||
  missingValues.some((value) => String(value) === String(cell)) ||
  (missingRegex !== undefined && new RegExp(missingRegex.value, 'u').test(String(cell)));

function isValid(cell: Exclude<Cell, null>, validity: DqValidity): boolean {
  const {
    format,
    regex,
    values,
    invalidFormat,
    invalidRegex,
    invalidValues,
    min,
    max,
    length,
    minLength,
    maxLength,
  } = validity;
  const text = String(cell);
  const size = [...text].length;
  const checks: readonly boolean[] = [
    values === undefined || values.some((value) => String(value) === text),
    invalidValues === undefined || !invalidValues.some((value) => String(value) === text),
    min === undefined || Number(cell) >= min,
    max === undefined || Number(cell) <= max,
    length === undefined || size === length,
    minLength === undefined || size >= minLength,
    maxLength === undefined || size <= maxLength,
    regex === undefined || new RegExp(regex.value, 'u').test(text),
    invalidRegex === undefined || !new RegExp(invalidRegex.value, 'u').test(text),
    invalidFormat === undefined || formats[invalidFormat.value]?.(text) === false,
    format === undefined || formats[format.value]?.(text) === true,
  ];
  return checks.every((each) => each);
}

/** The metric of rows: a number, null where there is nothing to measure, NaN where values are not numbers. */
export function measured(
  rows: readonly Row[],
  { name, columns, argument }: DqMetric,
  validity: DqValidity,
): {
  readonly value: number | null;
  readonly failed?: number;
} {
  const cells = rows.map((row) => columns.map(({ value }) => row[value] ?? null));
  const own = cells.map(([cell = null]) => cell);
  const present = own.filter((cell) => cell !== null);
  const percent = (count: number): number | null => (rows.length === 0 ? null : (100 * count) / rows.length);
  const missing = own.filter((cell) => isMissing(cell, validity)).length;
  const valid = own.filter(
    (cell) => cell !== null && !isMissing(cell, validity) && isValid(cell, validity),
  ).length;
  const invalid = rows.length - missing - valid;
  const counts = [
    ...Map.groupBy(
      cells.filter((key) => key.every((cell) => cell !== null)),
      (key) => JSON.stringify(key),
    ).values(),
  ].map((group) => group.length);
  const repeated = counts.filter((count) => count > 1);
  const repeatedRows = repeated.reduce((sum, count) => sum + count, 0);
  switch (name) {
    case 'row_count':
      return { value: rows.length };
    case 'missing_count':
      return { value: missing, failed: missing };
    case 'missing_percent':
      return { value: percent(missing), failed: missing };
    case 'invalid_count':
      return { value: invalid, failed: invalid };
    case 'invalid_percent':
      return { value: percent(invalid), failed: invalid };
    case 'valid_count':
      return { value: valid, failed: rows.length - valid };
    case 'valid_percent':
      return { value: percent(valid), failed: rows.length - valid };
    case 'duplicate_count':
      return { value: repeated.length, failed: repeatedRows };
    case 'duplicate_percent':
      return { value: percent(repeated.length), failed: repeatedRows };
    case 'distinct_count':
      return { value: counts.length };
    case 'unique_count':
      return { value: counts.filter((count) => count === 1).length, failed: repeatedRows };
    case 'avg_length':
    case 'min_length':
    case 'max_length':
      return {
        value: aggregate(
          name.slice(0, 3),
          present.map((cell) => [...String(cell)].length),
        ),
      };
    default:
      return { value: aggregate(name, present.map(Number), argument) };
  }
}

function aggregate(name: string, numbers: readonly number[], argument = 0.5): number | null {
  const count = numbers.length;
  if (count === 0) return null;
  const sorted = [...numbers].sort((a, b) => a - b);
  const sum = numbers.reduce((total, number) => total + number, 0);
  const squares = numbers.reduce((total, number) => total + (number - sum / count) ** 2, 0);
  const sample = count < 2 ? null : squares / (count - 1);
  switch (name) {
    case 'avg':
      return sum / count;
    case 'sum':
      return sum;
    case 'min':
      return sorted[0] ?? null;
    case 'max':
      return sorted.at(-1) ?? null;
    case 'variance':
    case 'var_samp':
      return sample;
    case 'var_pop':
      return squares / count;
    case 'stddev':
    case 'stddev_samp':
      return sample === null ? null : Math.sqrt(sample);
    case 'stddev_pop':
      return Math.sqrt(squares / count);
    default: {
      const place = (count - 1) * (name === 'median' ? 0.5 : argument);
      const low = sorted[Math.floor(place)] ?? 0;
      return low + ((sorted[Math.ceil(place)] ?? 0) - low) * (place - Math.floor(place));
    }
  }
}

export function fulfils(value: number, comparison: DqComparison): boolean {
  if (comparison.kind === 'between') {
    const { low, high, lowOpen, highOpen, isNegated } = comparison;
    const above = lowOpen ? value > low : value >= low;
    const below = highOpen ? value < high : value <= high;
    return (above && below) !== isNegated;
  }
  const { operator, value: limit } = comparison;
  const sides: Readonly<Record<string, boolean>> = {
    '=': value === limit,
    '!=': value !== limit,
    '<': value < limit,
    '<=': value <= limit,
    '>': value > limit,
    '>=': value >= limit,
  };
  return sides[operator] === true;
}

/** The outcome of a value under a rule: a table of what holds, warns and fails. */
export function outcomeIn(value: number, comparison: DqComparison, rule: DqRule): CheckOutcome {
  const bad = rule.severity === 'warning' ? 'warn' : 'fail';
  const fails = rule.failWhen !== undefined && fulfils(value, rule.failWhen);
  const warns = rule.warnWhen !== undefined && fulfils(value, rule.warnWhen);
  if (fails) return bad;
  if (!fulfils(value, comparison)) return warns && rule.failWhen !== undefined ? 'warn' : bad;
  return warns ? 'warn' : 'pass';
}
