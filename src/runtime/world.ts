import type { Engine } from '../domain/engine.ts';
import type { StateStore } from '../domain/state-store.ts';

/** What the runtime acts upon: ports, handed to it. */
export interface World {
  readonly engine: Engine;
  readonly state: StateStore;
}
