import type { CheckIdentity } from '../../domain/check-result.ts';
import type { DqAssertion, DqRule } from '../../domain/dq-pack.ts';
import type { SourceRange } from '../../foundation/diagnostics/diagnostic.ts';
import type { LocatedText } from '../../foundation/yaml/located.ts';

/** A rule without "for each column", and a "group by" with one rule: these are checks of their own. */
export type CheckAssertion =
  | Exclude<DqAssertion, { kind: 'for-each-column' | 'group-by' }>
  | {
      readonly kind: 'group-by';
      readonly columns: (DqAssertion & { kind: 'group-by' })['columns'];
      readonly rule: Exclude<DqAssertion, { kind: 'for-each-column' | 'group-by' }>;
    };

/** One rule on one table, ready to be planned. */
export interface PlannedCheck extends CheckIdentity {
  readonly definition: DqRule;
  /** Absent when "for each column" matches none: then there is nothing to evaluate. */
  readonly assertion?: CheckAssertion;
  /** The pack's and the rule's: all must hold for a row to be looked at. */
  readonly filters: readonly LocatedText[];
  readonly at: SourceRange;
}
