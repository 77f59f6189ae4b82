import type { Clock } from '../domain/clock.ts';
import type { Engine, EngineReader } from '../domain/engine.ts';
import type { StateReader, StateStore } from '../domain/state-store.ts';
import type { UserCode } from '../domain/user-code.ts';

/** The ports that the runtime works with: reading half, for what changes neither warehouse nor state. */
export interface WorldReader {
  readonly engine: EngineReader;
  readonly state: StateReader;
  readonly clock: Clock;
  /** Runs macros from their stored text, by path inside the project (`macros/x.ts`). The caller closes it. */
  readonly userCodeOf: (files: Readonly<Record<string, string>>) => UserCode;
  /** Values of the process's environment: what `env_var` of applied models reads at run time. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Replaces values of the environment and secrets in a text that is stored or shown; absent: there are none. */
  readonly hide?: (text: string) => string;
  /** What people call the two places, usually file paths: for the message that they do not belong together. */
  readonly names: { readonly state: string; readonly warehouse: string };
}

export interface World extends WorldReader {
  readonly engine: Engine;
  readonly state: StateStore;
}
