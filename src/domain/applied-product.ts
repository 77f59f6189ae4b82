import type { Environment } from './environment.ts';
import type { Semantics } from './semantics.ts';

/** What an environment shows, dependencies first, without the models that rollups are. */
export interface AppliedProduct extends Semantics {
  readonly environment: Environment;
  /** Semantic models or metrics are hidden from the caller it was made for. */
  readonly isPart?: true;
}
