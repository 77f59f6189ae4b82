import type { DqDimension } from './dq-pack.ts';

/** `error`: the engine refused to evaluate it; `not_evaluated`: something that it needs is missing. Neither is ever a pass. */
export const CHECK_OUTCOMES = ['pass', 'warn', 'fail', 'error', 'not_evaluated'] as const;

export type CheckOutcome = (typeof CHECK_OUTCOMES)[number];

/** Why checks ran. */
export type CheckTrigger = 'change' | 'schedule' | 'demand';

/** One rule on one table; a rule "for each column" is a check per column. */
export interface CheckIdentity {
  /** `<pack>/<name of the rule>`, and `/<column>` for each column: the same as long as the pack says the same. */
  readonly check: string;
  readonly pack: string;
  readonly rule: string;
  readonly model: string;
  /** Columns of the model that it reads, as far as they are known; absent: any of them. */
  readonly columns?: readonly string[];
  /** What it reads besides `columns`: `rows`, any column of its model (a filter does); `tables`, other models, and perhaps rows. */
  readonly readsMore?: 'rows' | 'tables';
  readonly dimension: DqDimension;
  readonly severity: 'error' | 'warning';
  readonly owner?: string;
}

/** A rule of a pack, of which a check is one or one for each column. */
export const packRule = (pack: string, rule: string): string => `${pack}\0${rule}`;

/** A value of one group of a "group by" rule. */
export interface GroupResult {
  readonly key: readonly unknown[];
  readonly value: number | null;
  readonly outcome: CheckOutcome;
}

/** Rows that a rule found wrong. Values are those of an `Answer`; what a reader may see of them is decided when they are shown. */
export interface FailingSample {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  /** There are more of them. */
  readonly isPart: boolean;
}

/** What a check found, as the history keeps it. */
export interface CheckResult extends CheckIdentity {
  readonly id: string;
  readonly environment: string;
  /** The check run it belongs to. */
  readonly runId: string;
  readonly trigger: CheckTrigger;
  /** The run that wrote the data, where it made the check run. */
  readonly changedBy?: string;
  /** The plan that brought the packs as they were evaluated. */
  readonly definedBy?: string;
  /** The moment of the check: wall time, unless a time was given. */
  readonly at: number;
  readonly ms: number;
  /** State of the table's data that was read, as the ledger names it. */
  readonly dataVersion: string;
  readonly outcome: CheckOutcome;
  /** What was measured, also when it passes; null: the metric has no value (an average of nothing). */
  readonly value?: number | null;
  /** What must hold, in words of the rule. */
  readonly expected: string;
  /** Why it did not pass, when value and expectation alone do not say it. */
  readonly reason?: string;
  /** It only lacks earlier results to compare with: nothing is wrong. */
  readonly isLearning?: true;
  readonly rowsTested?: number;
  readonly rowsFailed?: number;
  readonly groups?: readonly GroupResult[];
  /** How many groups there were; `groups` can be a part of them, those that do not pass first. */
  readonly groupsTested?: number;
  /** Bounds that an anomaly rule learned, and the score of the value. */
  readonly learned?: {
    readonly low: number;
    readonly high: number;
    readonly score: number;
    readonly points: number;
  };
  /** What the value is compared with by rules about change and distribution. */
  readonly baseline?: number;
  /** Shares by bin or value, which the next run of a distribution rule compares with. */
  readonly shares?: readonly { readonly bin: string; readonly share: number }[];
  /** Those of the first evaluated run, which rules against the baseline compare with. */
  readonly baselineShares?: CheckResult['shares'];
  readonly sql: string;
  readonly sample?: FailingSample;
}

/** Opened by the first failure of a check, closed by its next pass; at most one of a check is open in an environment. */
export interface Incident extends CheckIdentity {
  readonly id: string;
  readonly environment: string;
  readonly openedAt: number;
  /** The result that opened it. */
  readonly openedBy: string;
  /** Absent while it is open. */
  readonly closedAt?: number;
  /** The result that closed it; absent when its check was taken out of its pack. */
  readonly closedBy?: string;
  /** How many results failed while it was open. */
  readonly failures: number;
  /** Words for the list: what was expected and what was found when it was opened. */
  readonly summary: string;
}
