/** What a caller may know of the semantics of an environment; the same object for callers who see the same of the same promotion. */
export interface VisibleSemantics {
  readonly environment: string;
  readonly promotionId: string;
  readonly models: readonly VisibleModel[];
  readonly metrics: readonly VisibleMetric[];
}

export interface VisibleModel {
  readonly name: string;
  readonly description?: string;
  readonly members: readonly VisibleMember[];
  readonly joins: readonly VisibleJoin[];
}

export interface VisibleMember {
  readonly name: string;
  readonly kind: 'dimension' | 'measure' | 'segment';
  /** As the engine spells it; UNKNOWN when only the rows show it. */
  readonly type: string;
  readonly description?: string;
  /** Of times: the names of all buckets; else empty. */
  readonly granularities: readonly string[];
}

export interface VisibleMetric {
  readonly name: string;
  readonly description?: string;
  readonly type: string;
  readonly ts?: VisibleMember;
  /** By the names they have in the metric. */
  readonly dimensions: readonly VisibleMember[];
}

/** A semantic model as it is reached from another; `word.member` names its members in questions about that other. */
export interface VisibleJoin {
  readonly word: string;
  readonly model: string;
  /** False where one row may meet several: what is shown of it then makes rows of its own. */
  readonly isToOne: boolean;
  readonly joins: readonly VisibleJoin[];
}
