import type { DqComparison } from '../../domain/dq-pack.ts';
import { type CheckWork, isRefusal, type Measure } from './check-plan.ts';
import { outcomeOf } from './comparison.ts';
import type { PlannedCheck } from './planned-check.ts';

/** What must hold of rows that are wrong, and of violations: there are none. */
export const NONE: DqComparison = { kind: 'compare', operator: '=', value: 0, unit: 'none' };

/** The work of a rule that counts wrong rows; its value is their number, which conditions of warning and failure are about. */
export function countWork(
  check: PlannedCheck,
  {
    expected,
    tested,
    wrong,
    sampleSql,
  }: {
    readonly expected: string;
    readonly tested?: Measure;
    readonly wrong: Measure;
    readonly sampleSql: string;
  },
): CheckWork {
  return {
    check,
    expected,
    measures: [wrong, ...(tested === undefined ? [] : [tested])],
    queries: [],
    decide: (facts) => {
      const found = facts.number(wrong);
      if (isRefusal(found)) return { outcome: 'error', reason: found.message };
      const rows = tested && facts.number(tested);
      const value = found ?? 0;
      return {
        outcome: outcomeOf(value, NONE, check.definition),
        value,
        rowsFailed: value,
        ...(typeof rows === 'number' ? { rowsTested: rows } : {}),
        sampleSql,
      };
    },
  };
}
