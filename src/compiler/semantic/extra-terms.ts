import type { IndexedModel } from './indexed-model.ts';
import type { MeasureCall } from './measure-calls.ts';
import type { ResolvedMember } from './member-lookup.ts';
import type { NamedModel, PathChoice } from './name-paths.ts';

/** What a question in SQL says for which a SemanticQuery has no words. */
export interface ExtraTerms {
  /** Columns to group by, after the dimensions of the query; they may be computed from members. */
  readonly keys: readonly ResolvedMember[];
  /** All must be true of a row. */
  readonly conditions: readonly ResolvedMember[];
  readonly aggregates: readonly WrittenAggregate[];
  /** Semantic models that are named beside those of the members. */
  readonly tables: readonly NamedModel[];
  /** Ways over the joins that conditions between them name. */
  readonly chosen: NonNullable<PathChoice['chosen']>;
}

/** An aggregate over rows of one semantic model that no measure defines. */
export interface WrittenAggregate {
  /** Equal for equal aggregates. */
  readonly id: string;
  readonly name: string;
  readonly fact: IndexedModel;
  readonly call: MeasureCall;
}
