import type { CheckOutcome } from '../../domain/check-result.ts';
import type { DqComparison, DqRule, DqUnit } from '../../domain/dq-pack.ts';

/** Whether a value fulfils a comparison; NaN fulfils none. */
export function holds(value: number, comparison: DqComparison): boolean {
  if (Number.isNaN(value)) return false;
  if (comparison.kind === 'compare') {
    const limit = comparison.value;
    switch (comparison.operator) {
      case '=':
        return value === limit;
      case '!=':
        return value !== limit;
      case '<':
        return value < limit;
      case '<=':
        return value <= limit;
      case '>':
        return value > limit;
      case '>=':
        return value >= limit;
    }
  }
  const { low, high, lowOpen, highOpen, isNegated } = comparison;
  const isInside = (lowOpen ? value > low : value >= low) && (highOpen ? value < high : value <= high);
  return isInside !== isNegated;
}

/**
 * What a value means under a rule: a failure where `fail` says so, or what must hold does not and `warn` does not say
 * otherwise beside a `fail`; a warning where `warn` says so. A rule of severity warning never fails.
 */
export function outcomeOf(value: number, comparison: DqComparison, rule: Levels): CheckOutcome {
  return outcomeWhere(holds(value, comparison), value, rule);
}

type Levels = Pick<DqRule, 'warnWhen' | 'failWhen' | 'severity'>;

/** The same for a rule that is not a comparison alone. */
export function outcomeWhere(
  isHeld: boolean,
  value: number,
  { warnWhen, failWhen, severity }: Levels,
): CheckOutcome {
  const failed = severity === 'warning' ? 'warn' : 'fail';
  if (failWhen !== undefined && holds(value, failWhen)) return failed;
  const isWarned = warnWhen !== undefined && holds(value, warnWhen);
  if (isWarned && (isHeld || failWhen !== undefined)) return 'warn';
  return isHeld ? 'pass' : failed;
}

/** The comparison in words: `< 1%`, `between 1 and 9`. */
export function comparisonText(comparison: DqComparison): string {
  const { unit } = comparison;
  if (comparison.kind === 'compare') return `${comparison.operator} ${withUnit(comparison.value, unit)}`;
  const { low, high, lowOpen, highOpen, isNegated } = comparison;
  const not = isNegated ? 'not ' : '';
  if (!lowOpen && !highOpen) return `${not}between ${withUnit(low, unit)} and ${withUnit(high, unit)}`;
  return `${not}between ${lowOpen ? '(' : '['}${withUnit(low, unit)}, ${withUnit(high, unit)}${highOpen ? ')' : ']'}`;
}

function withUnit(value: number, unit: DqUnit): string {
  if (unit === 'percent') return `${value}%`;
  return unit === 'seconds' ? durationText(value) : String(value);
}

/** `1d 2h`, `26h`, `90s`: the largest units that say it exactly. */
export function durationText(seconds: number): string {
  const sign = seconds < 0 ? '-' : '';
  let rest = Math.round(Math.abs(seconds));
  const parts: string[] = [];
  for (const [name, length] of [
    ['d', 86_400],
    ['h', 3600],
    ['m', 60],
    ['s', 1],
  ] as const) {
    const count = Math.floor(rest / length);
    rest -= count * length;
    if (count > 0) parts.push(`${count}${name}`);
  }
  return sign + (parts.join(' ') || '0s');
}
