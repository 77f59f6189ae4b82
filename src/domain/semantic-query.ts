/** What is asked of the semantics, however it was asked. Walking skeleton: members only. */
export interface SemanticQuery {
  readonly measures: readonly string[];
  readonly dimensions: readonly string[];
}
