import type { Clock } from '../domain/clock.ts';
import type { Engine } from '../domain/engine.ts';
import type { StateStore } from '../domain/state-store.ts';
import type { UserCode } from '../domain/user-code.ts';

/** What the runtime acts upon: ports, handed to it. */
export interface World {
  readonly engine: Engine;
  readonly state: StateStore;
  readonly clock: Clock;
  /** Runs macros from their stored text, by path inside the project (`macros/x.ts`). */
  readonly userCodeOf: (files: Readonly<Record<string, string>>) => UserCode;
}
