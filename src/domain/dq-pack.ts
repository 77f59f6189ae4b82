import type { Located, LocatedText } from '../foundation/yaml/located.ts';

/** Checks of one model that run after it changes, on schedule or on demand, and never block. Offsets are into `file`. */
export interface DqPack {
  /** Empty, like `model`, when the file does not say it (which is reported). */
  readonly name: Located<string>;
  readonly file: string;
  readonly model: Located<string>;
  readonly description?: string;
  readonly owner?: string;
  readonly tags: readonly string[];
  /** SQL over the model's columns: only these rows are looked at. */
  readonly filter?: LocatedText;
  /** Cron, beside "after each change". */
  readonly schedule?: Located<string>;
  /** Columns to profile. */
  readonly profiles: readonly Located<string>[] | '*';
  readonly rules: readonly DqRule[];
}

export const DQ_DIMENSIONS = [
  'completeness',
  'validity',
  'accuracy',
  'consistency',
  'uniqueness',
  'timeliness',
  'conformity',
  'coverage',
] as const;

export type DqDimension = (typeof DQ_DIMENSIONS)[number];

/** One thing that must hold. */
export interface DqRule {
  /** Given, or made of the rule's words; unique in its pack. */
  readonly name: string;
  readonly text: LocatedText;
  readonly assertion: DqAssertion;
  readonly description?: string;
  /** Given, or the one its assertion is usually about. */
  readonly dimension: DqDimension;
  /** What a failing rule counts as. */
  readonly severity: 'error' | 'warning';
  readonly owner?: string;
  readonly tags: readonly string[];
  readonly filter?: LocatedText;
  /** Conditions under which the outcome is a warning or a failure, in place of "not what must hold". */
  readonly warnWhen?: DqComparison;
  readonly failWhen?: DqComparison;
  readonly samplesLimit: number;
  readonly isEnabled: boolean;
}

export type DqOperator = '=' | '!=' | '<' | '<=' | '>' | '>=';

/** `value` is in the metric's own unit: percent as 0–100, durations in seconds; `unit` says which was written. */
export type DqComparison =
  | { readonly kind: 'compare'; readonly operator: DqOperator; readonly value: number; readonly unit: DqUnit }
  | {
      readonly kind: 'between';
      readonly isNegated: boolean;
      readonly low: number;
      readonly high: number;
      readonly lowOpen: boolean;
      readonly highOpen: boolean;
      readonly unit: DqUnit;
    };

export type DqUnit = 'none' | 'percent' | 'seconds';

/** Something measured: `avg(amount)`, `missing_percent(customer_id)`, `row_count`. */
export interface DqMetric {
  readonly name: DqMetricName;
  readonly columns: readonly Located<string>[];
  /** The p of `percentile(amount, 0.95)`. */
  readonly argument?: number;
}

export const DQ_METRICS = [
  'row_count',
  'missing_count',
  'missing_percent',
  'duplicate_count',
  'duplicate_percent',
  'invalid_count',
  'invalid_percent',
  'valid_count',
  'valid_percent',
  'distinct_count',
  'unique_count',
  'avg',
  'min',
  'max',
  'sum',
  'stddev',
  'stddev_pop',
  'stddev_samp',
  'variance',
  'var_pop',
  'var_samp',
  'median',
  'percentile',
  'avg_length',
  'min_length',
  'max_length',
] as const;

export type DqMetricName = (typeof DQ_METRICS)[number];

/** What makes a value missing or valid; all that are given must hold. */
export interface DqValidity {
  readonly format?: Located<string>;
  readonly regex?: Located<string>;
  /** A value that matches one of these is not valid. */
  readonly invalidFormat?: Located<string>;
  readonly invalidRegex?: Located<string>;
  readonly values?: readonly (string | number | boolean)[];
  readonly invalidValues?: readonly (string | number | boolean)[];
  readonly min?: number;
  readonly max?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly length?: number;
  readonly missingValues?: readonly (string | number | boolean)[];
  readonly missingRegex?: Located<string>;
}

/** A condition on the whole table. */
export type DqAssertion =
  | {
      readonly kind: 'metric';
      readonly metric: DqMetric;
      readonly comparison: DqComparison;
      readonly validity: DqValidity;
    }
  | { readonly kind: 'freshness'; readonly column: Located<string>; readonly comparison: DqComparison }
  | {
      readonly kind: 'schema';
      readonly requiredColumns: readonly Located<string>[];
      readonly forbiddenColumns: readonly Located<string>[];
      readonly types: readonly { readonly column: Located<string>; readonly type: Located<string> }[];
    }
  | {
      readonly kind: 'reference';
      readonly columns: readonly Located<string>[];
      readonly isNegated: boolean;
      readonly model: Located<string>;
      readonly targetColumns: readonly Located<string>[];
    }
  | { readonly kind: 'row-count-same'; readonly model: Located<string> }
  | {
      readonly kind: 'change';
      readonly metric: DqMetric;
      readonly validity: DqValidity;
      readonly comparison: DqComparison;
      readonly against: DqBaseline;
    }
  | {
      readonly kind: 'anomaly';
      readonly metric: DqMetric;
      readonly validity: DqValidity;
      readonly method: 'robust_z' | 'z' | 'iqr';
      readonly sensitivity: number;
      /** Results that must exist before it can fail. */
      readonly training: number;
      readonly season: 'none' | 'hourly' | 'daily' | 'weekly' | 'monthly';
    }
  | {
      readonly kind: 'distribution';
      readonly column: Located<string>;
      readonly against: 'previous' | 'baseline';
      readonly method: 'psi' | 'ks' | 'chi_square';
      readonly comparison: DqComparison;
    }
  | {
      readonly kind: 'failed-rows';
      /** A whole query, or a condition on the model's rows. */
      readonly query?: LocatedText;
      readonly condition?: LocatedText;
    }
  | {
      readonly kind: 'for-each-column';
      readonly patterns: readonly Located<string>[];
      readonly rule: DqAssertion;
    }
  | {
      readonly kind: 'group-by';
      readonly columns: readonly Located<string>[];
      readonly rules: readonly DqAssertion[];
    };

/** What "before" means for a change. */
export type DqBaseline =
  | { readonly kind: 'previous' }
  | { readonly kind: 'last'; readonly unit: 'hour' | 'day' | 'week' | 'month' | 'year' }
  | { readonly kind: 'average'; readonly runs: number };
