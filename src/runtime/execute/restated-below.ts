import { restatementRanges } from '../../compiler/plan/intervals/restatement-ranges.ts';
import { restateElsewhere } from '../../compiler/plan/restate-elsewhere.ts';
import { type TableId, tableKey } from '../../domain/relation.ts';
import type { Restatement } from '../../domain/state-store.ts';
import type { RangeSet } from '../../foundation/time/ranges.ts';
import type { WorldReader } from '../world.ts';

/** What must be filled again, in every environment, because rows of these times came into a table: the same as when it is restated, without the table itself. */
export async function restatedBelow(
  { state }: Pick<WorldReader, 'state'>,
  table: TableId,
  ranges: RangeSet,
): Promise<readonly Pick<Restatement, 'table' | 'ranges'>[]> {
  const [environments, promotions, known, filled] = await Promise.all([
    state.snapshots.environments(),
    state.journal.promotionIntents(),
    state.snapshots.snapshots(),
    state.journal.intervals(),
  ]);
  const found = restateElsewhere(new Map([[tableKey(table), ranges]]), {
    environment: '',
    held: new Map(),
    environments: [...environments, ...promotions.map(({ target }) => target)],
    snapshots: new Map(known.map((snapshot) => [snapshot.fingerprint, snapshot])),
    filled,
  });
  return found.flatMap((below) => {
    const own = { ...below.snapshot, filled: filled.get(tableKey(below.table)) ?? [] };
    const again = restatementRanges(own, below.requested);
    return again.length === 0 ? [] : [{ table: below.table, ranges: again }];
  });
}
