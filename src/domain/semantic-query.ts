import type { FilterOperator } from './semantic-model.ts';

/** What is asked of the semantics, however it was asked (JSON, SQL, GraphQL, a metric): the one form in between. Its meaning: docs/reference/semantic-rules.md. */
export interface SemanticQuery {
  /** `model.measure`, or `metric.measure`. */
  readonly measures: readonly string[];
  /** `model.dimension`, `model.date.month`, `role.dimension`, `metric.ts.month`. */
  readonly dimensions: readonly string[];
  readonly segments?: readonly string[];
  /** All must hold. */
  readonly filters?: readonly QueryFilter[];
  readonly timeDimensions?: readonly QueryTime[];
  readonly order?: readonly { readonly member: string; readonly direction: 'asc' | 'desc' }[];
  readonly limit?: number;
  readonly offset?: number;
  /** An IANA zone; UTC when absent. */
  readonly timezone?: string;
  /** Also asks for the number of rows without limit. */
  readonly total?: boolean;
  readonly ungrouped?: boolean;
  /** Names of models or roles that a path must visit, in order. */
  readonly joinHints?: readonly (readonly string[])[];
  readonly unreachableFilters?: 'refuse' | 'ignore';
}

/** Cube's filter tree. A value is text, a number, true, false or null; numbers may be text to stay exact. */
export type QueryFilter =
  | {
      readonly kind: 'member';
      readonly member: string;
      readonly operator: FilterOperator;
      readonly values: readonly QueryValue[];
    }
  | { readonly kind: 'and' | 'or'; readonly filters: readonly QueryFilter[] };

export type QueryValue = string | number | boolean | null;

export interface QueryTime {
  readonly dimension: string;
  /** Absent: the dimension only filters. */
  readonly granularity?: string;
  /** Two times, or one relative range such as `last 7 days`. */
  readonly dateRange?: DateRange;
  readonly compareDateRange?: readonly DateRange[];
}

export type DateRange = string | readonly [from: string, to: string];

/** On whose behalf a query is answered. */
export interface Caller {
  readonly groups: readonly string[];
  /** The local administrator, the platform's, and principals that `access` marks `policies: exempt`: policies do not apply. */
  readonly isUnrestricted: boolean;
  /** Names of models that `access` opens to them, whatever policies say. */
  readonly models?: ReadonlySet<string>;
}

/** The file that places in a question's diagnostics are in. */
export const QUESTION_FILE = '<query>';

/** The owner of a project folder, at the command line. */
export const OWNER: Caller = { groups: [], isUnrestricted: true };

/** A column of a semantic answer. */
export interface QueryColumn {
  /** As asked: `orders.status`, `orders.order_date.month`. */
  readonly name: string;
  /** `model.member` that it shows, whatever SQL calls it; absent where it is computed from members. */
  readonly member?: string;
  readonly kind: 'dimension' | 'time' | 'measure' | 'compare';
  /** Canonical type text of the engine's dialect, UNKNOWN when it is not known. */
  readonly type: string;
  readonly title?: string;
  readonly description?: string;
  readonly format?: string;
  readonly granularity?: string;
}
