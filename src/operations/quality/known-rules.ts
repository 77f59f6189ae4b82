import { worstOutcome } from '../../compiler/quality/quality-totals.ts';
import type { CheckOutcome } from '../../domain/check-result.ts';
import type { DqPack, DqRule } from '../../domain/dq-pack.ts';
import { type VisibleResult, visibleResult } from '../../domain/visible-check.ts';
import { hash128 } from '../../foundation/hash128.ts';
import { appliedPacks } from '../applied-packs.ts';
import type { ProductReader } from '../product-reader.ts';
import type { QualityView } from './quality-view.ts';

/** A rule as it was applied, with what its checks found last. */
export interface KnownRule {
  /** The same as long as pack and rule are called so. */
  readonly id: string;
  readonly pack: DqPack;
  readonly rule: DqRule;
  readonly model: string;
  /** The newest of each of its checks; empty before the first. */
  readonly latest: readonly VisibleResult[];
  /** The worst of them. */
  readonly outcome?: CheckOutcome;
  /** The caller may read its text: nothing of the model is hidden. */
  readonly showsText: boolean;
}

/** By name of the pack, then of the rule; with `at` as they were found then. */
export async function knownRules(
  { world }: ProductReader,
  { environment, reader, isNamed }: QualityView,
  { at }: { readonly at?: number } = {},
): Promise<readonly KnownRule[]> {
  const then = at === undefined ? {} : { at };
  const [packs, latest] = await Promise.all([
    appliedPacks(world, environment),
    world.state.quality.latestResults({ environment: environment.name, ...then }),
  ]);
  const byRule = Map.groupBy(latest, ({ pack, rule }) => ruleId(pack, rule));
  const names = new Map(environment.entries.map(({ model }) => [model.toLowerCase(), model]));
  return packs
    .flatMap((pack) => {
      const model = names.get(pack.model.value.toLowerCase()) ?? pack.model.value;
      return pack.rules.map((rule): KnownRule => {
        const id = ruleId(pack.name.value, rule.name);
        const found = byRule.get(id) ?? [];
        const outcome = worstOutcome(found);
        return {
          ...{ id, pack, rule, model },
          latest: found.map((result) => visibleResult(result, reader)),
          ...(outcome === undefined ? {} : { outcome }),
          showsText: reader.isOpen || reader.hidden(model) === 'none',
        };
      });
    })
    .filter(({ model }) => isNamed(model))
    .toSorted((a, b) => (ruleKey(a) < ruleKey(b) ? -1 : 1));
}

/** What rules are in order of. */
export const ruleKey = ({ pack, rule }: Pick<KnownRule, 'pack' | 'rule'>): string =>
  `${pack.name.value}\0${rule.name}`;

const ruleId = (pack: string, rule: string): string => `d_${hash128(pack, rule).slice(0, 20)}`;
