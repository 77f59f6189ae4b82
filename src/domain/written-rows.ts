import type { LedgerRow } from './engine.ts';
import type { NewEvent } from './event.ts';
import type { RestatedBelow } from './quarantine.ts';

/** What a write came to, for state. */
export interface WrittenRows {
  readonly rows: readonly LedgerRow[];
  readonly events: readonly NewEvent[];
  readonly restated?: RestatedBelow;
}
