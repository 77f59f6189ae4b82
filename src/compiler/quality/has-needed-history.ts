import type { DqBaseline } from '../../domain/dq-pack.ts';
import type { MeasuredValue } from '../../domain/quality-store.ts';
import { HISTORY_MAX } from './anomaly-verdict.ts';
import { UNIT_MS } from './change-work.ts';
import type { CheckContext } from './check-plan.ts';
import { ofOtherData, onePerState } from './one-per-state.ts';
import type { CheckAssertion } from './planned-check.ts';

/** Whether the newest values of a check, newest last, are all that its rule looks at. */
export function hasNeededHistory(
  assertion: CheckAssertion | undefined,
  values: readonly MeasuredValue[],
  { now, dataVersion }: Pick<CheckContext, 'now' | 'dataVersion'>,
): boolean {
  const earlier = values.filter(({ at }) => at <= now);
  const others = ofOtherData(onePerState(earlier), dataVersion);
  switch (assertion?.kind) {
    case 'anomaly':
      return others.length > HISTORY_MAX;
    case 'change':
      return reaches(assertion.against, { earlier, others, now });
    default:
      return true;
  }
}

function reaches(
  against: DqBaseline,
  {
    earlier,
    others,
    now,
  }: {
    readonly earlier: readonly MeasuredValue[];
    readonly others: readonly MeasuredValue[];
    readonly now: number;
  },
): boolean {
  switch (against.kind) {
    case 'previous':
      return others.length > 0;
    case 'average':
      return others.length > against.runs;
    case 'last':
      // The value nearest to that time may be half a unit older.
      return earlier.some(({ at }) => at < now - 1.5 * UNIT_MS[against.unit]);
  }
}
