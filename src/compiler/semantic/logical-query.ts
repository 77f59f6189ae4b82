/*
 * What a semantic query asks, free of any text: the form in which the steps of the compiler meet.
 *
 *   LogicalQuery ─┬─ keys: the columns to group by
 *                 ├─ parts: one per fact and condition; each a SELECT keys, components … GROUP BY keys
 *                 └─ outputs, having, order: expressions over keys and components, computed when the parts are stitched together
 *
 * Expressions inside a part are SQL trees in DuckDB's words whose columns are qualified by the alias of a node of that part.
 * Expressions outside the parts name keys and components by `answerColumn`.
 */
import type { GRANULARITIES, Granularity, RollingWindow } from '../../domain/semantic-model.ts';
import type { QueryColumn } from '../../domain/semantic-query.ts';
import type { Call, ColumnReference, Expression, TableExpression } from '../../foundation/sql/tree.ts';
import type { Edge, IndexedModel } from './indexed-model.ts';

export interface LogicalQuery {
  readonly keys: readonly Key[];
  /** Never empty. Of a query without measures the only part has no components. */
  readonly parts: readonly Part[];
  /** The columns of the answer, in order. */
  readonly outputs: readonly AnswerValue[];
  /** Conditions on the finished rows. */
  readonly having: readonly Expression[];
  readonly order: readonly { readonly value: Expression; readonly direction: 'ASC' | 'DESC' }[];
  readonly limit?: number;
  readonly offset?: number;
  /** An IANA zone that exists. */
  readonly zone: string;
  /** One line per row of the only part's fact; components are then computed of one row. */
  readonly isUngrouped: boolean;
}

/** What rows are grouped by; `name` is unique among keys and components, and the column's name in every part. */
export interface Key {
  readonly name: string;
  readonly type: string;
}

export interface AnswerValue {
  readonly column: QueryColumn;
  /** Over `answerColumn`s. */
  readonly value: Expression;
}

/** Aggregates over the rows of one fact. Its SELECT has the columns of the keys and then those of the components, by their names. */
export interface Part {
  /** Of the common table it becomes when there are several; unique in the query. */
  readonly name: string;
  readonly fact: IndexedModel;
  /** The fact first, every other node behind its parent. */
  readonly nodes: readonly JoinNode[];
  /** One for each key of the query, in that order. */
  readonly keys: readonly PartKey[];
  /** All must be true of a row. Without conditions on `variant.time`. */
  readonly where: readonly Expression[];
  /** Conditions that ask of the period what they say of `variant.time` (`periodColumn`), and the rest of the row. */
  readonly periodic: readonly Expression[];
  /** What period columns stand for: whether the period has some of these times. */
  readonly periodTimes: readonly TimeSet[];
  readonly components: readonly Component[];
  /** A row of the fact may meet several rows of other nodes, so rows must be distinguished before they are aggregated. */
  readonly isFannedOut: boolean;
  readonly variant: Variant;
  /** A table that `time/` joins the rows with while it lowers a window; rows without a match do not count. */
  readonly buckets?: { readonly table: TableExpression; readonly on: Expression };
}

/** A semantic model at one place of the join tree. */
export interface JoinNode {
  readonly alias: string;
  readonly model: IndexedModel;
  /** Absent for the fact. */
  readonly join?: {
    readonly parent: string;
    readonly edge: Edge;
    /** Over the aliases of the node and its parent. */
    readonly on: Expression;
  };
}

export interface PartKey {
  readonly name: string;
  readonly value: Expression;
  readonly type: string;
  /** Set when the key is the bucket of a time. */
  readonly bucket?: { readonly time: BoundTime; readonly grain: Grain };
  /** Set when the key is an expression: columns of these names stand for the values of members. */
  readonly computed?: { readonly tree: Expression; readonly members: ReadonlyMap<string, PartKey> };
}

/** A time as it is stored: `type` DATE, TIMESTAMP, TIMESTAMP WITH TIME ZONE, or UNKNOWN (to be treated as TIMESTAMP). */
export interface BoundTime {
  readonly value: Expression;
  readonly type: string;
}

export type Grain =
  | { readonly kind: 'calendar'; readonly unit: (typeof GRANULARITIES)[number] }
  | { readonly kind: 'custom'; readonly granularity: Granularity };

/** An aggregate call over a part's rows, DISTINCT and FILTER included. `name` is unique among keys and components. */
export interface Component {
  readonly name: string;
  readonly call: Call;
  readonly type: string;
  /** Counts are 0 in a group without rows, everything else NULL. */
  readonly isCount: boolean;
}

/** How the rows of a part become those of its groups; everything but `plain` is lowered in `time/`. */
export type Variant =
  | { readonly kind: 'plain' }
  | { readonly kind: 'rolling'; readonly window: RollingWindow; readonly time: WindowTime }
  | {
      readonly kind: 'shift';
      /** A duration as written. */
      readonly by: string;
      readonly direction: 'prior' | 'next';
      readonly time: WindowTime;
      /** How the shifted value itself is computed. */
      readonly of: Variant;
    }
  | {
      readonly kind: 'stock';
      readonly treatment: 'first' | 'last' | 'avg' | 'min' | 'max';
      readonly time: BoundTime;
      readonly per: readonly Expression[];
    }
  | {
      readonly kind: 'conversion';
      /** Which rows of the fact count; absent: all. The component `base` counts them, `converted` those that have a match. */
      readonly rows?: Expression;
      readonly base: string;
      readonly converted: string;
      readonly entity: Expression;
      readonly time: BoundTime;
      readonly other: {
        readonly nodes: readonly JoinNode[];
        readonly where: readonly Expression[];
        readonly entity: Expression;
        readonly time: BoundTime;
      };
      /** A duration as written; absent: any later time. */
      readonly window?: string;
    };

/** The time along which a window or a shift moves. */
export interface WindowTime extends BoundTime {
  /** The keys that show it. None: what `times` leaves is the only period. */
  readonly shown: readonly ShownTime[];
  /** What the conditions of the query leave of it; without `shown` one stretch at most. */
  readonly times: TimeSet;
}

/** A key that shows the time of a window: its bucket, or an expression in which `members` are buckets of it. */
export interface ShownTime {
  readonly key: number;
  readonly members?: readonly string[];
}

/** Stretches of time in order, none of which touches another; see `time/time-set.ts`. */
export type TimeSet = readonly TimeBounds[];

/** Instants in UTC, half-open; for a DATE midnights in UTC. */
export interface TimeBounds {
  readonly start?: number;
  readonly end?: number;
}

/** Qualifiers that no table has. */
const ANSWER = '\uE100';
const PERIOD = '\uE101';
const NOWHERE = { start: 0, end: 0 };

function privateColumn(qualifier: string, name: string): ColumnReference {
  return {
    kind: 'column',
    name: { name, quoted: true, span: NOWHERE },
    qualifiers: [{ name: qualifier, quoted: true, span: NOWHERE }],
    span: NOWHERE,
  };
}

/** A key or component by name, where no table is meant. */
export function answerColumn(name: string): ColumnReference {
  return privateColumn(ANSWER, name);
}

/** Whether the period has some of the times at this place of `periodTimes`. */
export function periodColumn(at: number): ColumnReference {
  return privateColumn(PERIOD, String(at));
}

/** Which of `periodTimes` a node asks for. */
export function periodPlace(node: { readonly kind: string }): number | undefined {
  if (node.kind !== 'column') return undefined;
  const { name, qualifiers } = node as ColumnReference;
  return qualifiers[0]?.name === PERIOD ? Number(name.name) : undefined;
}

/** The name of the key or component that a node stands for. */
export function answerName(node: { readonly kind: string }): string | undefined {
  if (node.kind !== 'column') return undefined;
  const { name, qualifiers } = node as ColumnReference;
  return qualifiers[0]?.name === ANSWER ? name.name : undefined;
}
