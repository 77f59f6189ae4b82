/*
 * What an answer rests on, as it was known when the question was asked:
 *
 *   data version   of the tables that the rows were read from           (known when the answer is there)
 *   newest         how new the least new of its models is, against what `slo.freshness` promises
 *   checks         those that do not pass and touch a column it used, or one that such a column is made of
 *   incidents      that are open on the same columns
 */
import type { CheckOutcome, CheckResult, Incident } from './check-result.ts';
import type { FreshnessState } from './product-health.ts';

/** Which state of the product a statement was compiled for, and what was known of its data. */
export interface StatementTrust {
  readonly promotionId: string;
  readonly promotedAt: number;
  /** Absent in statements from before it was recorded. */
  readonly observed?: ObservedTrust;
}

export interface ObservedTrust {
  /** Wall time. */
  readonly at: number;
  /** How new the rows are: of the models that it reads the least new; absent when nothing says it. */
  readonly newest?: number;
  /** What the product promises for these models; absent when it promises nothing. */
  readonly promise?: { readonly maxAge: string; readonly state: FreshnessState };
  /** The worst first, at most `TROUBLES_MAX` of `checksTotal`. */
  readonly checks: readonly FailingCheck[];
  readonly checksTotal: number;
  /** The newest first, at most `TROUBLES_MAX` of `incidentsTotal`. */
  readonly incidents: readonly OpenIncident[];
  readonly incidentsTotal: number;
}

/** A check that does not pass: by what every reader of its results may see. */
export type FailingCheck = Pick<CheckResult, 'id' | 'check' | 'model' | 'dimension' | 'severity' | 'at'> & {
  readonly outcome: Exclude<CheckOutcome, 'pass'>;
};

export type OpenIncident = Pick<Incident, 'id' | 'check' | 'model' | 'severity' | 'openedAt'>;

/** So many are kept with a statement. */
export const TROUBLES_MAX = 20;
