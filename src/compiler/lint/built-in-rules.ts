import type { LintRule } from './lint-rule.ts';
import { ambiguousOrInvalidColumn } from './rules/ambiguous-or-invalid-column.ts';
import { betweenOnTimestamp } from './rules/between-on-timestamp.ts';
import { cartesianJoin } from './rules/cartesian-join.ts';
import { checkWithoutEffect } from './rules/check-without-effect.ts';
import { cronFinerThanUpstream } from './rules/cron-finer-than-upstream.ts';
import { dimensionWithoutDescription } from './rules/dimension-without-description.ts';
import { dqWithoutOwner } from './rules/dq-without-owner.ts';
import { duplicateCheck } from './rules/duplicate-check.ts';
import { duplicateLogic } from './rules/duplicate-logic.ts';
import { grainWithoutAudit } from './rules/grain-without-audit.ts';
import { invalidSelectStarExpansion } from './rules/invalid-select-star-expansion.ts';
import { limitWithoutOrder } from './rules/limit-without-order.ts';
import { measureWithoutDescription } from './rules/measure-without-description.ts';
import { metricWithoutDescription } from './rules/metric-without-description.ts';
import { metricWithoutOwner } from './rules/metric-without-owner.ts';
import { missingTimeFilter } from './rules/missing-time-filter.ts';
import { naming } from './rules/naming.ts';
import { noMissingAudits } from './rules/no-missing-audits.ts';
import { noMissingCheck } from './rules/no-missing-check.ts';
import { noMissingColumnDescription } from './rules/no-missing-column-description.ts';
import { noMissingDescription } from './rules/no-missing-description.ts';
import { noMissingExternal } from './rules/no-missing-external.ts';
import { noMissingGrain } from './rules/no-missing-grain.ts';
import { noMissingOwner } from './rules/no-missing-owner.ts';
import { noMissingUnitTest } from './rules/no-missing-unit-test.ts';
import { noSelectStar } from './rules/no-select-star.ts';
import { nonDeterministicFunction } from './rules/non-deterministic-function.ts';
import { notInNullable } from './rules/not-in-nullable.ts';
import { nullComparison } from './rules/null-comparison.ts';
import { orderWithoutLimit } from './rules/order-without-limit.ts';
import { outerJoinFiltered } from './rules/outer-join-filtered.ts';
import { piiWithoutMask } from './rules/pii-without-mask.ts';
import { positionalReference } from './rules/positional-reference.ts';
import { productWithoutDescription } from './rules/product-without-description.ts';
import { productWithoutOwner } from './rules/product-without-owner.ts';
import { segmentWithoutDescription } from './rules/segment-without-description.ts';
import { selfComparison } from './rules/self-comparison.ts';
import { semanticWithoutModelDescription } from './rules/semantic-without-model-description.ts';
import { semanticWithoutOwner } from './rules/semantic-without-owner.ts';
import { testDependsOnClock } from './rules/test-depends-on-clock.ts';
import { testWithoutDescription } from './rules/test-without-description.ts';
import { testWithoutOutputs } from './rules/test-without-outputs.ts';
import { unionWithoutAll } from './rules/union-without-all.ts';
import { unqualifiedColumn } from './rules/unqualified-column.ts';
import { unusedCte } from './rules/unused-cte.ts';
import { unusedJoin } from './rules/unused-join.ts';
import { unusedModel } from './rules/unused-model.ts';

/** The rules that come with Plinth, in the order of the reference page: of models, semantics, checks, tests, the product. */
export const builtInRules: readonly LintRule[] = [
  noSelectStar,
  ambiguousOrInvalidColumn,
  invalidSelectStarExpansion,
  noMissingAudits,
  noMissingOwner,
  noMissingDescription,
  noMissingColumnDescription,
  noMissingExternal,
  noMissingUnitTest,
  noMissingGrain,
  grainWithoutAudit,
  cronFinerThanUpstream,
  missingTimeFilter,
  betweenOnTimestamp,
  nonDeterministicFunction,
  cartesianJoin,
  outerJoinFiltered,
  unusedJoin,
  unusedCte,
  nullComparison,
  notInNullable,
  selfComparison,
  limitWithoutOrder,
  orderWithoutLimit,
  unionWithoutAll,
  positionalReference,
  unqualifiedColumn,
  unusedModel,
  duplicateLogic,
  naming,
  semanticWithoutModelDescription,
  semanticWithoutOwner,
  measureWithoutDescription,
  dimensionWithoutDescription,
  segmentWithoutDescription,
  piiWithoutMask,
  metricWithoutDescription,
  metricWithoutOwner,
  noMissingCheck,
  dqWithoutOwner,
  checkWithoutEffect,
  duplicateCheck,
  testWithoutOutputs,
  testDependsOnClock,
  testWithoutDescription,
  productWithoutDescription,
  productWithoutOwner,
];
