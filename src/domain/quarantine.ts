import type { RangeSet, TimeRange } from '../foundation/time/ranges.ts';
import { failure } from './failure.ts';
import type { Scope } from './principal.ts';
import type { TableId } from './relation.ts';

/** Which rows of a quarantine are meant; absent parts exclude none. */
export interface HeldSelection {
  /** The run that held them back. */
  readonly runId?: string;
  /** An audit that they fail. */
  readonly audit?: string;
  /** A condition over the columns of the model, in the SQL of the engine. */
  readonly where?: string;
}

/** What is to become of rows that audits hold back; stored with the intent of the run that does it. */
export interface HeldDecision {
  readonly decision: 'release' | 'discard';
  readonly selection: HeldSelection;
  /** Why; required where rows that still fail are released. */
  readonly reason?: string;
  /** Releases rows that still fail, too. */
  readonly isAccepted?: true;
}

/** What became of them; written in the transaction that did it. */
export interface HeldOutcome {
  readonly decision: HeldDecision['decision'];
  /** Rows that left the quarantine. */
  readonly rows: number;
  /** Those among them that still failed an audit. */
  readonly accepted: number;
  /** The intervals that they had been held back from. */
  readonly intervals: RangeSet;
  readonly reason?: string;
  readonly who: string;
}

/** What must be filled again because of rows that were released above, by a later holder of each table's lease. */
export interface RestatedBelow {
  /** The run that released them. */
  readonly by: string;
  readonly tables: readonly { readonly table: TableId; readonly ranges: RangeSet }[];
}

/** Rows of one model that one run held back from one interval for the same reasons. */
export interface HeldGroup {
  readonly model: string;
  readonly table: TableId;
  /** Where they are, as `schema.name`. */
  readonly place: string;
  readonly runId: string;
  /** The audits that each of these rows fails. */
  readonly audits: readonly string[];
  readonly interval: TimeRange;
  readonly rows: number;
  /** When the first of them was held back. */
  readonly since: number;
}

/** One row that is held back, as its reader may see it. */
export interface HeldRow {
  readonly runId: string;
  readonly audits: readonly string[];
  readonly interval: TimeRange;
  readonly at: number;
  /** In the order of `HeldRows.columns`. */
  readonly cells: readonly unknown[];
}

/** Rows that are held back, with how many there are in all. */
export interface HeldRows {
  readonly model: string;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly HeldRow[];
  readonly total: number;
}

/** What a reader's policies leave of a quarantine; the SQL is evaluated with the rows, so that clear values never leave the engine. */
export interface HeldLimits {
  /** SQL of what is shown instead of a column, by its name in lower case. */
  readonly masks: ReadonlyMap<string, string>;
  /** A row must meet it to be seen, or counted. */
  readonly condition?: string;
}

/** What a caller must be permitted to do: releasing rows that still fail is the owner's. */
export function scopeOfDecision({ isAccepted }: Pick<HeldDecision, 'isAccepted'>): Scope {
  return isAccepted === true ? 'admin' : 'activity:run';
}

/** Throws when the decision lacks its reason. */
export function refuseWithoutReason({ isAccepted, reason = '' }: HeldDecision): void {
  if (isAccepted === true && reason.trim() === '') throw failure('quarantine.no-reason', {});
}
