/** What changes reach beyond the things that change. */

/** A semantic model or metric whose numbers a change may move, and the columns through which it does. */
export interface Impact {
  readonly kind: 'semantic' | 'metric';
  readonly name: string;
  /** Members of a semantic model; empty for metrics. */
  readonly members: readonly string[];
  /** `model.column` as changed or computed from what changed, at the semantic model's own table. */
  readonly through: readonly string[];
}

export type SupposedChange = 'values' | 'type' | 'rename' | 'drop';

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
