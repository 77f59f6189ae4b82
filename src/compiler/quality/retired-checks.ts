import type { CheckResult } from '../../domain/check-result.ts';
import type { DqPack } from '../../domain/dq-pack.ts';
import { FRESHNESS_CHECK } from '../../domain/product-health.ts';

/** Of the newest results the checks that nothing evaluates any more: their rule is gone or not enabled, or the column that a rule "for each column" was about. */
export function retiredChecks(
  latest: readonly Pick<CheckResult, 'check' | 'pack' | 'rule' | 'runId'>[],
  packs: readonly DqPack[],
): readonly string[] {
  const keyOf = (pack: string, rule: string): string => `${pack}\0${rule}`;
  const defined = new Set(
    packs.flatMap(({ name, rules }) =>
      rules.filter(({ isEnabled }) => isEnabled).map((rule) => keyOf(name.value, rule.name)),
    ),
  );
  return [...Map.groupBy(latest, ({ pack, rule }) => keyOf(pack, rule))].flatMap(([key, results]) => {
    // Checks of one rule are recorded together.
    const newest = results
      .map(({ runId }) => runId)
      .sort()
      .at(-1);
    return results
      .filter(({ check, runId }) => check !== FRESHNESS_CHECK && (!defined.has(key) || runId !== newest))
      .map(({ check }) => check);
  });
}
