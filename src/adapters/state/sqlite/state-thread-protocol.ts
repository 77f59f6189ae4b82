import type { OperationName } from '../sql/operations.ts';
import type { StateProblemCode } from '../sql/state-problem.ts';
import type { DatabaseOptions } from './database.ts';

/** What the thread is started with. */
export interface StateThreadData {
  readonly database: DatabaseOptions;
  readonly lockedAfterMs: number;
}

/** One question to the thread; `close` is the last one. Those of one moment go in one message, for messages cost more than most questions. */
export type StateRequest =
  | {
      readonly kind: 'ask';
      readonly id: number;
      readonly name: OperationName;
      readonly given: readonly unknown[];
    }
  | { readonly kind: 'close'; readonly id: number };

/** `ready` comes once; every other one answers one request. Those of one moment come in one message. */
export type StateReply =
  | { readonly kind: 'ready' }
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
  | {
      readonly kind: 'problem';
      readonly id: number;
      readonly code: StateProblemCode;
      readonly parameters: Readonly<Record<string, string | number>>;
    }
  | { readonly kind: 'bug'; readonly id: number; readonly error: unknown };
