import { anomalyVerdict } from './anomaly-verdict.ts';
import type { CheckContext, CheckWork, Verdict } from './check-plan.ts';
import type { CheckedRows } from './checked-rows.ts';
import { outcomeWhere } from './comparison.ts';
import { metricPlan, metricText } from './measure-metric.ts';
import { decidedMetric, keptValue } from './metric-work.ts';
import { ofOtherData, onePerState } from './one-per-state.ts';
import type { CheckAssertion, PlannedCheck } from './planned-check.ts';

type Anomaly = CheckAssertion & { readonly kind: 'anomaly' };

/** `anomaly for avg(amount)`: the measured value against what its own history lets expect. */
export function anomalyWork(
  check: PlannedCheck,
  assertion: Anomaly,
  rows: CheckedRows,
  { history, dataVersion, now }: CheckContext,
): CheckWork {
  const { metric, method, sensitivity, season } = assertion;
  const plan = metricPlan(rows, metric, assertion.validity);
  const measured = onePerState(history.get(check.check) ?? []);
  const past = ofOtherData(measured, dataVersion);
  // Rows that were measured before are decided about for the time when they were new: on the next day they are still those of this one.
  const last = measured.at(-1);
  const isKnown = last !== undefined && last.dataVersion !== '' && last.dataVersion === dataVersion;
  const at = isKnown ? Math.min(last.at, now) : now;
  return {
    check,
    expected: `no anomaly for ${metricText(metric)} (${method}, sensitivity ${sensitivity}${season === 'none' ? '' : `, ${season}`})`,
    measures: plan.measures,
    queries: [],
    decide: (facts) => {
      const { rowsFailed: _, ...measured } = plan.read(facts);
      return decidedMetric(measured, (value) =>
        decidedAnomaly(anomalyVerdict(past, value, at, assertion), value, check),
      );
    },
  };
}

function decidedAnomaly(
  verdict: ReturnType<typeof anomalyVerdict>,
  value: number,
  { definition }: PlannedCheck,
): Verdict {
  if (verdict.kind === 'training')
    return {
      outcome: 'not_evaluated',
      isLearning: true,
      ...keptValue(value),
      reason: `${verdict.needed} earlier values are needed, and there ${verdict.points === 1 ? 'is' : 'are'} ${verdict.points}`,
    };
  const { isAnomaly, low, high, score, points } = verdict;
  // The band says whether the rule holds, conditions of warning and failure are about the score. A band without width has none.
  const distance = isAnomaly && score === 0 ? Number.POSITIVE_INFINITY : Math.abs(score);
  const outcome = outcomeWhere(!isAnomaly, distance, definition);
  return {
    outcome,
    ...(outcome === 'pass' ? {} : { reason: `expected between ${rounded(low)} and ${rounded(high)}` }),
    ...keptValue(value),
    learned: { low, high, score, points },
  };
}

const rounded = (value: number): number => Number(value.toPrecision(6));
