import { type CheckWork, isRefusal, type Measure, type Verdict } from './check-plan.ts';
import { type CheckedRows, columnOf, columnValue, rowCount } from './checked-rows.ts';
import { comparisonText, durationText, outcomeOf } from './comparison.ts';
import { keptValue } from './metric-work.ts';
import type { CheckAssertion, PlannedCheck } from './planned-check.ts';
import { spelled } from './spelled.ts';
import { familyIn, wrongType } from './validity.ts';

/**
 * `freshness(updated_at) < 26h`: how old the newest value is, in seconds. A time without a zone is UTC, a date its
 * midnight. Without any value nothing is fresh, so the rule fails.
 */
export function freshnessWork(
  check: PlannedCheck,
  { column: { value: name }, comparison }: CheckAssertion & { readonly kind: 'freshness' },
  rows: CheckedRows,
  now: number,
): CheckWork {
  const column = columnOf(rows, name);
  const value = columnValue(rows, column);
  if (familyIn(value) !== 'time') throw wrongType('freshness', column, 'a date or a timestamp');
  const total = rowCount(rows);
  const newest = newestSeconds(rows, value.sql, column.name);
  const decide = (seconds: number | null, rowsTested: number | null): Verdict => {
    const counts = rowsTested === null ? {} : { rowsTested };
    if (seconds === null)
      return {
        outcome: check.definition.severity === 'warning' ? 'warn' : 'fail',
        value: null,
        reason: `${column.name} has no value, so nothing is fresh`,
        ...counts,
      };
    const age = now / 1000 - seconds;
    const words = Number.isFinite(age) ? { reason: `the newest value is ${durationText(age)} old` } : {};
    return { outcome: outcomeOf(age, comparison, check.definition), ...words, ...keptValue(age), ...counts };
  };
  return {
    check,
    expected: `freshness(${column.name}) ${comparisonText(comparison)}`,
    measures: [total, newest],
    queries: [],
    decide: (facts) => {
      const [tested, seconds] = [facts.number(total), facts.number(newest)];
      if (isRefusal(seconds)) return { outcome: 'error', reason: seconds.message };
      if (isRefusal(tested)) return { outcome: 'error', reason: tested.message };
      return decide(seconds, tested);
    },
  };
}

/** Seconds since 1970 of the newest value. */
function newestSeconds({ scan, dialect }: CheckedRows, sql: string, column: string): Measure {
  return { scan, sql: spelled('epoch', [`MAX(${sql})`], dialect), column };
}
