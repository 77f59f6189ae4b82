import type { DqComparison } from '../../domain/dq-pack.ts';
import { type CheckWork, isRefusal } from './check-plan.ts';
import { type CheckedRows, rowCount } from './checked-rows.ts';
import { outcomeOf } from './comparison.ts';
import type { PlannedCheck } from './planned-check.ts';

const EQUAL: DqComparison = { kind: 'compare', operator: '=', value: 0, unit: 'none' };

/** `row_count same as other`: filters hold for both tables. Conditions of warning and failure are about the difference. */
export function sameCountWork(check: PlannedCheck, rows: CheckedRows, other: CheckedRows): CheckWork {
  const [own, theirs] = [rowCount(rows), rowCount(other)];
  return {
    check,
    expected: `row_count same as ${other.table.name}`,
    measures: [own, theirs],
    queries: [],
    decide: (facts) => {
      const [value, baseline] = [facts.number(own), facts.number(theirs)];
      if (isRefusal(value)) return { outcome: 'error', reason: value.message };
      if (isRefusal(baseline))
        return { outcome: 'error', reason: `${other.table.name}: ${baseline.message}` };
      const [mine, others] = [value ?? 0, baseline ?? 0];
      return {
        outcome: outcomeOf(mine - others, EQUAL, check.definition),
        value: mine,
        baseline: others,
        rowsTested: mine,
        ...(mine === others
          ? {}
          : { reason: `${rows.table.name} has ${mine} rows, ${other.table.name} has ${others}` }),
      };
    },
  };
}
