import type { Form } from './form.ts';
import type { ColumnType, Row } from './value.ts';

/** A generated project: semantic models with the rows behind them. Declared cardinalities are true of the rows. */
export interface World {
  readonly models: readonly WorldModel[];
  readonly metrics: readonly WorldMetric[];
}

export interface WorldModel {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly type: ColumnType }[];
  readonly key: readonly string[];
  readonly rows: readonly Row[];
  readonly dimensions: readonly WorldDimension[];
  readonly measures: readonly WorldMeasure[];
  readonly segments: readonly { readonly name: string; readonly condition: Form }[];
  readonly joins: readonly WorldJoin[];
  readonly policies?: readonly WorldPolicy[];
  readonly rollups?: readonly WorldRollup[];
}

/** What is kept ready; members by `model.name`, segments and time by their own. */
export interface WorldRollup {
  readonly name: string;
  readonly measures: readonly string[];
  readonly dimensions: readonly string[];
  readonly segments: readonly string[];
  readonly time?: { readonly name: string; readonly granularity: string };
}

export interface WorldDimension {
  readonly name: string;
  readonly type: ColumnType;
  /** Absent: the column of its name. */
  readonly expression?: Form;
  readonly granularities?: readonly WorldGranularity[];
  readonly mask?: Form;
  /** Set for callers: whether it is masked in a row, of which there may be none. */
  readonly isMaskedIn?: (row: Row | undefined) => boolean;
}

export interface WorldGranularity {
  readonly name: string;
  readonly count: number;
  readonly unit: Unit;
  /** Shifts the calendar bucket. */
  readonly offset?: { readonly count: number; readonly unit: Unit };
  /** A day at which a bucket begins. */
  readonly origin?: string;
}

export type Unit = 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year';

export const AGGREGATE_TYPES = [
  'count',
  'count_distinct',
  'count_distinct_approx',
  'sum',
  'avg',
  'min',
  'max',
  'median',
  'percentile',
] as const;
export type AggregateType = (typeof AGGREGATE_TYPES)[number];
export type DerivedType = 'number' | 'string' | 'time' | 'boolean';

export interface Span {
  readonly count: number;
  readonly unit: Unit;
}

export interface WorldMeasure {
  readonly name: string;
  readonly type: AggregateType | DerivedType;
  readonly expression?: Form;
  readonly filters: readonly Form[];
  readonly p?: number;
  readonly rolling?:
    | {
        readonly kind: 'trailing';
        readonly trailing?: Span | 'unbounded';
        readonly leading?: Span;
        readonly offset: 'start' | 'end';
      }
    | { readonly kind: 'to-date'; readonly unit: Unit };
  readonly shift?: { readonly by: Span; readonly direction: 'prior' | 'next' };
  readonly stock?: {
    readonly time: string;
    readonly treatment: 'first' | 'last' | 'avg' | 'min' | 'max';
    readonly per: readonly string[];
  };
}

export interface WorldJoin {
  readonly name: string;
  readonly model: string;
  readonly type: 'one_to_one' | 'one_to_many' | 'many_to_one' | 'many_to_many';
  /** Pairs of columns that must be equal, own first; and a condition on columns of the other side. */
  readonly on: readonly (readonly [own: string, other: string])[];
  readonly through?: string;
}

export interface WorldPolicy {
  readonly group: string;
  readonly filters: readonly { readonly member: string; readonly value: string | number | boolean | null }[];
  readonly mask: readonly string[];
}

/** A measure of one model along one of its times. */
export interface WorldMetric {
  readonly name: string;
  readonly kind: 'simple' | 'ratio' | 'derived' | 'cumulative' | 'conversion';
  readonly model: string;
  readonly ts: string;
  /** One, or two for ratios and derived ones; absent `model`: that of the metric. */
  readonly measures: readonly { readonly model?: string; readonly name: string }[];
  /** Of a cumulative one (neither: all time), or of a conversion. */
  readonly window?: Span;
  readonly toDate?: Unit;
  readonly segment?: string;
  readonly filter?: Form;
  /** Columns of its table. */
  readonly dimensions: readonly {
    readonly name: string;
    readonly model: string;
    readonly member: string;
  }[];
  readonly conversion?: WorldConversion;
}

export interface WorldConversion {
  readonly model: string;
  readonly measure: string;
  /** The time of its rows, which the model has alone or a simple metric of the measure names. */
  readonly time: string;
  readonly entity: { readonly model: string; readonly member: string };
}

export function modelOf(world: World, name: string): WorldModel {
  const found = world.models.find((model) => model.name === name);
  if (found === undefined) throw new Error(`the world has no ${name}`);
  return found;
}
