/** Something with a name that a search found. */
export interface SearchHit {
  readonly kind: 'model' | 'column' | 'semantic-model' | 'dimension' | 'measure' | 'segment' | 'metric';
  /** `model`, `model.column`, `semantic:name`, `semantic:name.member` or `metric:name`. */
  readonly ref: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** Higher is nearer; only its order means something. */
  readonly score: number;
}
