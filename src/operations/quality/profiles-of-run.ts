import type { Run } from '../../domain/run.ts';
import type { TableProfile } from '../../domain/table-profile.ts';
import type { WorldReader } from '../../runtime/world.ts';
import { firstIdAt } from '../new-id.ts';

const PAGE = 50;

/** What was profiled because of a run, as it ended; empty when nothing was, or when it is too long ago. */
export async function profilesOfRun(
  { state }: Pick<WorldReader, 'state'>,
  { id, environment, startedAt }: Run,
): Promise<readonly TableProfile[]> {
  const found: TableProfile[] = [];
  const first = firstIdAt('o', startedAt);
  for (let before: string | undefined; ; ) {
    const page = await state.quality.profiles({
      ...{ environment, limit: PAGE },
      ...(before === undefined ? {} : { before }),
    });
    found.push(...page.filter(({ changedBy }) => changedBy === id));
    before = page.at(-1)?.id;
    if (before === undefined || page.length < PAGE || before < first) return found.reverse();
  }
}
