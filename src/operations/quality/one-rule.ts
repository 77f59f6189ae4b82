import { failure } from '../../domain/failure.ts';
import type { VisibleResult } from '../../domain/visible-check.ts';
import type { ProductReader } from '../product-reader.ts';
import { knownResults } from './known-results.ts';
import { type KnownRule, knownRules } from './known-rules.ts';
import type { QualityView } from './quality-view.ts';

export interface OneRule {
  readonly rule: KnownRule;
  /** Of its checks, newest first. */
  readonly results: readonly VisibleResult[];
}

const RESULTS_MAX = 20;
/** A rule can be a check for each of many columns. */
const CHECKS_MAX = 50;

export async function oneRule(product: ProductReader, view: QualityView, id: string): Promise<OneRule> {
  const rule = (await knownRules(product, view)).find((each) => each.id === id);
  if (rule === undefined) throw failure('dq.not-found', { id });
  const checks = rule.latest.map(({ check }) => check).slice(0, CHECKS_MAX);
  const found = await Promise.all(
    checks.map((check) => knownResults(product, view, { check, limit: RESULTS_MAX })),
  );
  return { rule, results: found.flat().toSorted((a, b) => (a.id > b.id ? -1 : 1)) };
}
