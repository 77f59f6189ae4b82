import { CHECK_OUTCOMES, type CheckOutcome } from '../../domain/check-result.ts';

/** How many checks ended how. */
export interface QualityTotals {
  readonly rules: number;
  /** Rules that no check has looked at yet. */
  readonly unchecked: number;
  readonly checks: number;
  readonly outcomes: Readonly<Record<CheckOutcome, number>>;
  /** Share of the evaluated checks that pass, 0 to 1; absent when none was evaluated. */
  readonly score?: number;
}

/** Of rules with the newest result of each of their checks. */
export function qualityTotals(
  rules: readonly { readonly latest: readonly { readonly outcome: CheckOutcome }[] }[],
): QualityTotals {
  const found = rules.flatMap(({ latest }) => latest.map(({ outcome }) => outcome));
  const count = (wanted: CheckOutcome): number => found.filter((outcome) => outcome === wanted).length;
  const outcomes = Object.fromEntries(
    CHECK_OUTCOMES.map((outcome) => [outcome, count(outcome)]),
  ) as QualityTotals['outcomes'];
  const evaluated = outcomes.pass + outcomes.warn + outcomes.fail;
  return {
    rules: rules.length,
    unchecked: rules.filter(({ latest }) => latest.length === 0).length,
    checks: found.length,
    outcomes,
    ...(evaluated === 0 ? {} : { score: outcomes.pass / evaluated }),
  };
}

const WORST_FIRST = ['fail', 'error', 'warn', 'not_evaluated', 'pass'] as const;

/** The worst outcome of all; undefined of nothing. */
export function worstOutcome(found: readonly { readonly outcome: CheckOutcome }[]): CheckOutcome | undefined {
  return WORST_FIRST.find((outcome) => found.some((each) => each.outcome === outcome));
}
