import { type CheckWork, isRefusal, type Verdict } from './check-plan.ts';
import type { CheckedRows } from './checked-rows.ts';
import { comparisonText, outcomeOf } from './comparison.ts';
import { type MeasuredMetric, metricPlan, metricText } from './measure-metric.ts';
import type { CheckAssertion, PlannedCheck } from './planned-check.ts';
import { limited } from './spelled.ts';

/** `missing_percent(email) < 1`. */
export function metricWork(
  check: PlannedCheck,
  assertion: CheckAssertion & { readonly kind: 'metric' },
  rows: CheckedRows,
): CheckWork {
  const { metric, comparison, validity } = assertion;
  const plan = metricPlan(rows, metric, validity);
  const { definition } = check;
  return {
    check,
    expected: `${metricText(metric)} ${comparisonText(comparison)}`,
    measures: plan.measures,
    queries: [],
    decide: (facts) => ({
      ...decidedMetric(plan.read(facts), (value) => ({
        outcome: outcomeOf(value, comparison, definition),
        ...keptValue(value),
      })),
      ...(plan.failing === undefined
        ? {}
        : { sampleSql: limited(plan.failing, definition.samplesLimit + 1, rows.dialect) }),
    }),
  };
}

/** The verdict over a measured metric: `decide` is asked when there is a value. */
export function decidedMetric(
  { value, reason, rowsTested, rowsFailed }: MeasuredMetric,
  decide: (value: number) => Verdict,
): Verdict {
  const counts = {
    ...(rowsTested === undefined ? {} : { rowsTested }),
    ...(rowsFailed === undefined ? {} : { rowsFailed }),
  };
  if (isRefusal(value)) return { outcome: 'error', reason: value.message, ...counts };
  if (value === null)
    return { outcome: 'not_evaluated', value, ...(reason === undefined ? {} : { reason }), ...counts };
  return { ...decide(value), ...counts };
}

/** What the history can keep: an infinite value is said in words. */
export function keptValue(value: number): Pick<Verdict, 'value' | 'reason'> {
  return Number.isFinite(value) ? { value } : { value: null, reason: `the value is ${value}` };
}
