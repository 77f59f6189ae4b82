import type { CheckIdentity, CheckResult } from '../../domain/check-result.ts';
import type { Answer, AnswerColumn, EngineCapabilities } from '../../domain/engine.ts';
import type { MeasuredValue } from '../../domain/quality-store.ts';
import type { Relation } from '../../domain/relation.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';
import type { PlannedCheck } from './planned-check.ts';

/** A table that rules read, as it is in the warehouse. */
export interface CheckedTable {
  /** The model's name, or that of a table outside the project. */
  readonly name: string;
  /** As the engine has them now. */
  readonly columns: readonly AnswerColumn[];
  readonly relation: Relation;
  /** In which the conditions of its packs are written. */
  readonly dialect: Dialect;
}

/** How many measurements of one table go into one query. */
export type Packing = EngineCapabilities['scanPacking'];

/** Shares of an earlier distribution, by bin. */
export type Shares = NonNullable<CheckResult['shares']>;

/** What planning needs beside the rules. Names of checks are their `check`. */
export interface CheckContext {
  readonly tableOf: (model: string) => CheckedTable | undefined;
  /** The engine's. */
  readonly dialect: Dialect;
  readonly packing: Packing;
  /** The moment of the check in milliseconds. */
  readonly now: number;
  /** The state of the data that is checked; absent or empty where it is not known. */
  readonly dataVersion?: string;
  /** All that was measured before, of the present data, too; newest last. */
  readonly history: ReadonlyMap<string, readonly MeasuredValue[]>;
  /** Of the newest evaluated result, and of the first one kept. */
  readonly shares?: ReadonlyMap<string, { readonly previous?: Shares; readonly baseline?: Shares }>;
  /** How many different values a column has, about, where that is known (`probeChecks`). */
  readonly distinctOf?: (model: string, column: string) => number | undefined;
}

/** One SELECT in the engine's dialect. */
export interface CheckQuery {
  readonly id: string;
  readonly sql: string;
  readonly purpose: 'measure' | 'groups' | 'failing-rows' | 'distribution' | 'probe';
  /** The `check` of each check that needs its answer. */
  readonly serves: readonly string[];
  /** To ask when it fails, so that one wrong measurement does not spoil the others; their answers count under their own ids. */
  readonly instead?: readonly CheckQuery[];
}

/** A query that the engine refused. */
export interface QueryRefusal {
  readonly code: string;
  readonly message: string;
}

export type QueryAnswers = ReadonlyMap<string, Answer | QueryRefusal>;

/** What a check found; who runs it adds when, where and in which run. */
export type DecidedCheck = CheckIdentity &
  Pick<CheckResult, 'outcome' | 'expected' | 'sql'> &
  Partial<
    Pick<
      CheckResult,
      | 'value'
      | 'reason'
      | 'isLearning'
      | 'rowsTested'
      | 'rowsFailed'
      | 'groups'
      | 'learned'
      | 'baseline'
      | 'shares'
    >
  > & {
    /** Fetches failing rows of a check that did not pass: one more than `samplesLimit`, which says whether there are more. */
    readonly sampleSql?: string;
    readonly samplesLimit: number;
  };

/** Queries, and what their answers mean. */
export interface CheckPlan {
  readonly queries: readonly CheckQuery[];
  /** An answer that is missing makes the checks it serves errors. */
  readonly decide: (answers: QueryAnswers) => readonly DecidedCheck[];
}

/** What is found of one check. */
export type Verdict = Omit<DecidedCheck, keyof CheckIdentity | 'sql' | 'samplesLimit' | 'expected'>;

/** What one check asks, and how it decides. */
export interface CheckWork {
  readonly check: PlannedCheck;
  readonly expected: string;
  readonly measures: readonly Measure[];
  readonly queries: readonly OwnQuery[];
  readonly decide: (facts: Facts) => Verdict;
}

/** Rows that measurements look at: the same text is the same rows. */
export interface Scan {
  /** What stands behind FROM. */
  readonly from: string;
  readonly where: string | undefined;
}

/** One number about a table: an aggregate over the rows of a scan. */
export interface Measure {
  readonly scan: Scan;
  /** The aggregate expression. */
  readonly sql: string;
  /** What measurements of one column share when queries are packed by column. */
  readonly column: string;
  /** The same number from the counts of the column's values, which is cheaper where texts are few. */
  readonly byValue?: {
    readonly scan: Scan;
    readonly sql: string;
    readonly model: string;
    /** Whether this number alone is worth knowing if they are few: the others of the column go along. */
    readonly isCostly: boolean;
  };
}

/** A query of one check alone, or of all that have the same text. */
export interface OwnQuery {
  readonly sql: string;
  readonly purpose: CheckQuery['purpose'];
}

/** What the engine answered. */
export interface Facts {
  /** `null`: no value; a refusal: it could not be measured. */
  readonly number: (measure: Measure) => number | null | QueryRefusal;
  readonly rows: (query: OwnQuery) => readonly (readonly unknown[])[] | QueryRefusal;
}

export function isRefusal(value: unknown): value is QueryRefusal {
  return typeof value === 'object' && value !== null && 'code' in value && 'message' in value;
}
