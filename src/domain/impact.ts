import type { Follower } from './follower.ts';
import type { Perspective } from './perspective.ts';

/**
 * What changes reach beyond the things that change:
 *
 *   changed columns ─▶ columns made of them ─▶ members, metrics, perspectives ─▶ followers, callers who asked lately
 */

/** How a change comes to a column: its values are made of changed ones, a condition or a grouping picks other rows, a join finds other rows, or what it is made of is gone. */
export const REACH_KINDS = ['value', 'rows', 'key', 'removed'] as const;
export type ReachKind = (typeof REACH_KINDS)[number];

/** What reaches something, and through what: `model.column`, or the name of what has other rows or another definition. */
export interface Reached {
  readonly how: readonly ReachKind[];
  readonly through: readonly string[];
}

/** What may differ of a model: with `rows` everything, otherwise the values of these columns, by lower-case name. */
export interface ModelReach {
  readonly rows?: Reached;
  readonly columns: ReadonlyMap<string, Reached>;
  /** Nothing else than this differs, whatever lineage says. */
  readonly isProven: boolean;
}

/** By name of the model, dependencies first. */
export type ReachByModel = ReadonlyMap<string, ModelReach>;

/** A semantic model or metric whose numbers a change may move, and the columns through which it does. */
export interface Impact {
  readonly kind: 'semantic' | 'metric';
  readonly name: string;
  /** Members of a semantic model; empty for metrics. */
  readonly members: readonly string[];
  /** `model.column` as changed or computed from what changed, at the semantic model's own table. */
  readonly through: readonly string[];
}

/** A model with rows or columns that may be others. */
export interface ReachedModel extends Pick<ModelReach, 'rows'> {
  readonly name: string;
  readonly columns: readonly (Reached & { readonly name: string })[];
}

export interface ReachedPerspective extends Reached {
  readonly perspective: Perspective;
}

/** A party that follows something that is reached. */
export type ReachedFollower = Pick<Follower, 'party' | 'target'>;

/** A caller whose questions of late read what is reached. */
export interface ReachedConsumer {
  readonly principalId: string;
  /** The id, where the principal is gone. */
  readonly name: string;
  readonly statements: number;
  readonly lastAt: number;
  /** Models that they read. */
  readonly through: readonly string[];
}

/** All that a change reaches, for all readers together: `impactFor` leaves what one reader may see. */
export interface ImpactReport {
  readonly models: readonly ReachedModel[];
  readonly semantics: readonly Impact[];
  readonly perspectives: readonly ReachedPerspective[];
  readonly followers: readonly ReachedFollower[];
  readonly consumers: readonly ReachedConsumer[];
  /** Of these it is proven that no answer is another one. */
  readonly untouched: Untouched;
}

interface Untouched {
  readonly models: readonly string[];
  /** `semantic.member`. */
  readonly members: readonly string[];
  readonly metrics: readonly string[];
  readonly perspectives: readonly Perspective[];
}

export const NO_IMPACT: ImpactReport = {
  models: [],
  semantics: [],
  perspectives: [],
  followers: [],
  consumers: [],
  untouched: { models: [], members: [], metrics: [], perspectives: [] },
};

export const SUPPOSED_CHANGES = ['values', 'type', 'rename', 'drop'] as const;
export type SupposedChange = (typeof SUPPOSED_CHANGES)[number];

export interface ImpactNode {
  /** `model.column`, `semantic:name.member` or `metric:name`. */
  readonly id: string;
  readonly kind: 'column' | 'dimension' | 'measure' | 'segment' | 'metric';
  /** The model, semantic model or metric. */
  readonly name: string;
  readonly column?: string;
  readonly member?: string;
  readonly effect: 'breaks' | 'changes';
  /** Steps from what changes; 1 is next to it. */
  readonly distance: number;
}

export interface ImpactGraph {
  readonly nodes: readonly ImpactNode[];
  readonly edges: readonly { readonly from: string; readonly to: string }[];
}

/** What changes: columns of a model, members of a semantic model, or a metric. */
export interface ImpactFocus {
  readonly columns?: { readonly model: string; readonly names: readonly string[] };
  /** `semantic.member`. */
  readonly members?: readonly string[];
  readonly metric?: string;
}
