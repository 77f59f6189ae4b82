import type { LintRule } from './lint-rule.ts';
import { cronFinerThanUpstream } from './rules/cron-finer-than-upstream.ts';
import {
  noMissingAudits,
  noMissingDescription,
  noMissingGrain,
  noMissingOwner,
  noMissingUnitTest,
} from './rules/missing-parts.ts';
import { noSelectStar } from './rules/no-select-star.ts';
import {
  ambiguousOrInvalidColumn,
  invalidSelectStarExpansion,
  noMissingExternal,
} from './rules/unresolved.ts';

/** The rules that come with Plinth, in the order of the reference page. */
export const builtInRules: readonly LintRule[] = [
  noSelectStar,
  ambiguousOrInvalidColumn,
  invalidSelectStarExpansion,
  noMissingAudits,
  noMissingOwner,
  noMissingDescription,
  noMissingExternal,
  noMissingUnitTest,
  noMissingGrain,
  cronFinerThanUpstream,
];
