import type { Snapshot } from './snapshot.ts';

/** A model that the environment shows and whose sources are not proven. */
export interface UnprovenEntry {
  readonly model: string;
  readonly kind: Snapshot['kind'];
  readonly reason: string;
}

/** What will be known of an environment again, and what not. */
export interface RebuiltEnvironment {
  readonly name: string;
  readonly promotionId: string;
  readonly proven: readonly string[];
  readonly unproven: readonly UnprovenEntry[];
  /** Why nothing is known of it; absent when something is. */
  readonly reason?: string;
  /** Whether its semantic models are known again; until a plan brings them, only callers who are exempt from policies are answered. */
  readonly hasSemantics: boolean;
}
