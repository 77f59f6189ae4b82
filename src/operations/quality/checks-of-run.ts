import type { CheckResult } from '../../domain/check-result.ts';
import type { Run } from '../../domain/run.ts';
import type { WorldReader } from '../../runtime/world.ts';
import { firstIdAt } from '../new-id.ts';

/** More checks than one run causes. */
const RESULTS_MAX = 10_000;

/** What was checked because of a run, as it ended; empty when nothing was, or when it is too long ago. */
export async function checksOfRun(
  { state }: Pick<WorldReader, 'state'>,
  { id, environment, startedAt }: Run,
): Promise<readonly CheckResult[]> {
  const found = await state.quality.results({
    environment,
    from: firstIdAt('c', startedAt),
    limit: RESULTS_MAX,
  });
  return found.filter(({ changedBy }) => changedBy === id).reverse();
}
