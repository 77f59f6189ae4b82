import type { BackfillMember } from '../../domain/plan.ts';
import type { RangeSet } from '../../foundation/time/ranges.ts';
import type { LoadedSnapshot } from './contents.ts';
import type { ModelTally } from './model-tally.ts';

/** What is known while a stage is filled; reported when it ends, however it ends. */
export interface BackfillProgress {
  readonly tallies: Map<string, ModelTally>;
  /** The model being written, or the view being audited. */
  current: string | undefined;
}

/** One model with what is left of its ranges. */
export interface BackfillWork {
  readonly member: BackfillMember;
  readonly snapshot: LoadedSnapshot;
  readonly left: RangeSet;
  /** The first batch makes the table, though it has rows. */
  readonly isAnew: boolean;
}
