import type { CheckedModel } from '../../load/yaml/semantic-world.ts';

/** A model that imported checks may be about. */
export interface ImportedModel extends CheckedModel {
  /** What the other tool calls it, where the caller says so. */
  readonly alsoCalled?: readonly string[];
}
