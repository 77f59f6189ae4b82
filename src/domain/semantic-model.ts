import type { Data } from '../foundation/yaml/data.ts';
import type { Located, LocatedText } from '../foundation/yaml/located.ts';
import type { MeasureType } from './measure-type.ts';

/** A business view over one model: dimensions, measures, segments and joins. Offsets are into `file`. */
export interface SemanticModel {
  /** Empty, like the names below and `model`, when the file does not say it (which is reported). */
  readonly name: Located<string>;
  readonly file: string;
  /** The one model it describes (`depends_on`). */
  readonly model: Located<string>;
  /** The displayed name. */
  readonly title?: string;
  readonly description?: string;
  readonly owner?: string;
  readonly tags: readonly string[];
  readonly terms: readonly string[];
  /** Empty: the model's grain. */
  readonly primaryKey: readonly Located<string>[];
  readonly aiContext?: AiContext;
  /** Undefined: every column of the model. */
  readonly dimensions?: readonly Dimension[];
  /** Without the implied `count`. */
  readonly measures: readonly Measure[];
  readonly segments: readonly Segment[];
  readonly joins: readonly SemanticJoin[];
  readonly policies: readonly Policy[];
  readonly rollups: readonly Rollup[];
  /** Keys that could not be read: nothing follows from their absence. */
  readonly broken?: readonly string[];
}

/** What an agent should know before it asks. */
export interface AiContext {
  readonly instructions?: string;
  readonly synonyms: readonly string[];
  readonly caveats: readonly string[];
  readonly examples: readonly {
    readonly description?: string;
    readonly query: Data;
    readonly format?: string;
  }[];
}

export type DimensionType = 'string' | 'number' | 'boolean' | 'time';

/** What every member says about itself. */
export interface MemberFacts {
  readonly name: Located<string>;
  readonly title?: string;
  readonly description?: string;
  readonly isPublic: boolean;
  readonly format?: string;
  readonly tags: readonly string[];
  readonly terms: readonly string[];
  readonly aiContext?: AiContext;
  /** Keys that could not be read: nothing follows from their absence, or from what stands in for them. */
  readonly broken?: readonly string[];
}

/** A column of the model, or computed from columns when `expression` is there. */
export interface Dimension extends MemberFacts {
  readonly expression?: LocatedText;
  readonly type?: DimensionType;
  readonly granularities: readonly Granularity[];
  /** What callers see for whom a policy masks it. */
  readonly maskExpression?: LocatedText;
  readonly behavior?: Behavior;
}

/** A time bucket of the user's own. `origin` and `offset` exclude each other. */
export interface Granularity {
  readonly name: Located<string>;
  readonly interval: Located<string>;
  readonly offset?: Located<string>;
  readonly origin?: Located<string>;
}

/** How a member may be aggregated; `stock` is semi-additive over `timeDimension`. */
export interface Behavior {
  readonly type: 'flow' | 'stock' | 'identifier' | 'category' | 'ordinal' | 'ratio';
  readonly timeDimension?: Located<string>;
  readonly periodTreatment?: 'first' | 'last' | 'avg' | 'min' | 'max';
  readonly per: readonly Located<string>[];
}

/** A number computed over each row of its own model exactly once. */
export interface Measure extends MemberFacts {
  readonly type: MeasureType;
  readonly typeAt: { readonly start: number; readonly end: number };
  readonly expression?: LocatedText;
  readonly filters: readonly LocatedText[];
  /** Of `percentile`, between 0 and 1. */
  readonly p?: number;
  readonly rollingWindow?: RollingWindow;
  readonly timeShift?: { readonly by: Located<string>; readonly direction: 'prior' | 'next' };
  readonly behavior?: Behavior;
}

export type RollingWindow =
  | {
      readonly kind: 'trailing';
      /** A duration, or `unbounded`. */
      readonly trailing?: Located<string>;
      readonly leading?: Located<string>;
      readonly offset: 'start' | 'end';
    }
  | { readonly kind: 'to-date'; readonly toDate: Located<string> };

/** A named filter. */
export interface Segment extends MemberFacts {
  readonly expression: LocatedText;
}

export type JoinType = 'one_to_one' | 'one_to_many' | 'many_to_one' | 'many_to_many';

/** A way to another semantic model; `name` is the role, `model` the semantic model when they differ. Works in both directions. */
export interface SemanticJoin {
  readonly name: Located<string>;
  readonly model: Located<string>;
  readonly type: JoinType;
  readonly on: LocatedText;
  /** The bridge of `many_to_many`, a semantic model. */
  readonly through?: Located<string>;
  readonly description?: string;
}

/** What members of a group may see. */
export interface Policy {
  readonly group: Located<string>;
  readonly filter: readonly MemberFilter[];
  readonly mask: readonly Located<string>[];
}

export const FILTER_OPERATORS = [
  'equals',
  'notEquals',
  'in',
  'notIn',
  'contains',
  'notContains',
  'startsWith',
  'notStartsWith',
  'endsWith',
  'notEndsWith',
  'gt',
  'gte',
  'lt',
  'lte',
  'set',
  'notSet',
  'inDateRange',
  'notInDateRange',
  'onTheDate',
  'beforeDate',
  'beforeOrOnDate',
  'afterDate',
  'afterOrOnDate',
  'measureFilter',
] as const;

export type FilterOperator = (typeof FILTER_OPERATORS)[number];

/** Cube's filter tree. */
export type MemberFilter =
  | {
      readonly kind: 'member';
      readonly member: Located<string>;
      readonly operator: FilterOperator;
      readonly values: readonly Data[];
    }
  | { readonly kind: 'and' | 'or'; readonly filters: readonly MemberFilter[] };

/** An aggregate kept ready. */
export interface Rollup {
  readonly name: Located<string>;
  readonly measures: readonly Located<string>[];
  readonly dimensions: readonly Located<string>[];
  readonly segments: readonly Located<string>[];
  readonly timeDimension?: Located<string>;
  readonly granularity?: Located<string>;
  readonly description?: string;
  /** Keys that could not be read. */
  readonly broken?: readonly string[];
}

/** Granularities every time dimension has. */
export const GRANULARITIES = ['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'] as const;
