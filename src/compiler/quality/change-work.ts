/*
 * `change for row_count > -30% against last week`: the measured value is kept as the value, so that it is the history of
 * the next run; what is compared is its difference to the baseline, absolute or as a percentage of it.
 */
import type { DqBaseline } from '../../domain/dq-pack.ts';
import type { MeasuredValue } from '../../domain/quality-store.ts';
import type { CheckContext, CheckWork, Verdict } from './check-plan.ts';
import type { CheckedRows } from './checked-rows.ts';
import { comparisonText, outcomeOf } from './comparison.ts';
import { metricPlan, metricText } from './measure-metric.ts';
import { decidedMetric, keptValue } from './metric-work.ts';
import { ofOtherData, onePerState } from './one-per-state.ts';
import type { CheckAssertion, PlannedCheck } from './planned-check.ts';

type Change = CheckAssertion & { readonly kind: 'change' };

export function changeWork(
  check: PlannedCheck,
  assertion: Change,
  rows: CheckedRows,
  { history, dataVersion, now }: CheckContext,
): CheckWork {
  const { metric, comparison, against } = assertion;
  const plan = metricPlan(rows, metric, assertion.validity);
  const before = baselineOf(against, history.get(check.check) ?? [], { dataVersion, now });
  return {
    check,
    expected: `change for ${metricText(metric)} ${comparisonText(comparison)} against ${baselineText(against)}`,
    measures: plan.measures,
    queries: [],
    decide: (facts) => {
      const { rowsFailed: _, ...measured } = plan.read(facts);
      return decidedMetric(measured, (value) => changed(check, assertion, value, before));
    },
  };
}

function changed(
  { definition }: PlannedCheck,
  { comparison }: Change,
  value: number,
  before: number | NoBaseline,
): Verdict {
  if (typeof before !== 'number')
    return {
      outcome: 'not_evaluated',
      ...(before.isLearning ? { isLearning: true } : {}),
      ...keptValue(value),
      reason: before.reason,
    };
  const difference = value - before;
  const isPercent = comparison.unit === 'percent';
  if (isPercent && before === 0)
    return {
      outcome: 'not_evaluated',
      ...keptValue(value),
      baseline: before,
      reason: 'it was 0 before, and there is no percentage of 0',
    };
  const change = isPercent ? (100 * difference) / Math.abs(before) : difference;
  if (Number.isNaN(change))
    return { outcome: 'error', ...keptValue(value), reason: 'the change is not a number' };
  const sign = change > 0 ? '+' : '';
  return {
    outcome: outcomeOf(change, comparison, definition),
    baseline: before,
    reason: `it was ${before} and is ${value}: ${sign}${Math.round(change * 1e6) / 1e6}${isPercent ? '%' : ''}`,
    ...(Number.isFinite(value) ? { value } : { value: null }),
  };
}

/** Milliseconds; a month and a year are their average. */
export const UNIT_MS = {
  hour: 3_600_000,
  day: 86_400_000,
  week: 7 * 86_400_000,
  month: 30.436875 * 86_400_000,
  year: 365.2425 * 86_400_000,
} as const;

interface NoBaseline {
  readonly reason: string;
  /** The history does not reach back that far yet. */
  readonly isLearning: boolean;
}

/** What the value is compared with, or why there is nothing. */
function baselineOf(
  against: DqBaseline,
  history: readonly MeasuredValue[],
  { dataVersion, now }: Pick<CheckContext, 'now'> & { readonly dataVersion: string | undefined },
): number | NoBaseline {
  const known = history.flatMap((each) =>
    each.value === null || each.at > now ? [] : [{ ...each, value: each.value }],
  );
  const others = ofOtherData(known, dataVersion);
  switch (against.kind) {
    case 'previous':
      return others.at(-1)?.value ?? { reason: 'there is no earlier value', isLearning: true };
    case 'last':
      return aroundThen(known, now, against.unit);
    case 'average': {
      const last = onePerState(others).slice(-against.runs);
      if (last.length < against.runs)
        return {
          reason: `${against.runs} earlier values are needed, and there ${last.length === 1 ? 'is' : 'are'} ${last.length}`,
          isLearning: true,
        };
      return last.reduce((sum, { value }) => sum + value, 0) / last.length;
    }
  }
}

/** The value measured nearest to one unit ago, at most half a unit off: schedules are never exact. */
function aroundThen(
  known: readonly { readonly at: number; readonly value: number }[],
  now: number,
  unit: keyof typeof UNIT_MS,
): number | NoBaseline {
  const then = now - UNIT_MS[unit];
  const near = known
    .map(({ at, value }) => ({ off: Math.abs(at - then), value }))
    .filter(({ off }) => off <= UNIT_MS[unit] / 2)
    .reduce<{ off: number; value: number } | undefined>(
      (best, each) => (best === undefined || each.off < best.off ? each : best),
      undefined,
    );
  if (near !== undefined) return near.value;
  return { reason: `there is no value of a ${unit} ago`, isLearning: known.every(({ at }) => at > then) };
}

function baselineText(against: DqBaseline): string {
  switch (against.kind) {
    case 'previous':
      return 'previous';
    case 'last':
      return `last ${against.unit}`;
    case 'average':
      return `average last ${against.runs}`;
  }
}
