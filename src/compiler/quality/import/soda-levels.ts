import type { DataRecord } from '../../../foundation/yaml/data.ts';
import { type RuleDraft, refused, rule, type Translation } from './imported-check.ts';
import type { SodaCheck } from './soda-check.ts';
import { inverse, type Threshold, thresholdText } from './threshold.ts';

/** What must hold, and when it is only a warning. */
export interface Levels {
  readonly holds: Threshold;
  readonly warn?: Threshold;
  readonly isWarning: boolean;
}

/** The levels of a check: one condition that must hold, or conditions to warn and to fail at. */
export function levelsOf(check: SodaCheck, holds: Threshold | undefined): Levels | Translation {
  const [fail, warn] = [check.level('fail'), check.level('warn')];
  if (fail === 'unreadable' || warn === 'unreadable')
    return refused(
      'the condition to warn or fail at does not compare with numbers',
      'write the rule by hand, for instance row_count >= 10: {warn: when < 100}',
    );
  if (holds !== undefined) return { holds, isWarning: false };
  if (fail !== undefined)
    return { holds: inverse(fail), isWarning: false, ...(warn === undefined ? {} : { warn }) };
  if (warn !== undefined) return { holds: inverse(warn), isWarning: true };
  return refused('the check has no threshold', 'add one in the file of Soda, or write the rule by hand');
}

/** A rule of a measure that has levels: `measure condition: {warn: …}`. */
export function levelRule(
  measure: string,
  levels: Levels,
  { unit, options, behind = '' }: { unit: '%' | 'none' | undefined; options: DataRecord; behind?: string },
): RuleDraft {
  return rule(`${measure} ${thresholdText(levels.holds, unit)}${behind}`, {
    ...options,
    ...(levels.warn === undefined ? {} : { warn: `when ${thresholdText(levels.warn, unit)}` }),
    ...(levels.isWarning ? { severity: 'warning' } : {}),
  });
}

export const isTranslation = (value: Levels | Translation): value is Translation => 'kind' in value;
