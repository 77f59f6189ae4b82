import type { Run } from '../../domain/run.ts';
import type { TableProfile } from '../../domain/table-profile.ts';
import type { WorldReader } from '../../runtime/world.ts';

const PAGE = 50;

/** What was profiled because of a run, as it ended; empty when nothing was, or when it is too long ago. */
export async function profilesOfRun(
  { state }: Pick<WorldReader, 'state'>,
  { id, environment, startedAt }: Run,
): Promise<readonly TableProfile[]> {
  const found: TableProfile[] = [];
  for (let before: string | undefined; ; ) {
    const page = await state.quality.profiles({
      ...{ environment, limit: PAGE },
      ...(before === undefined ? {} : { before }),
    });
    found.push(...page.filter(({ changedBy }) => changedBy === id));
    before = page.at(-1)?.id;
    if (page.length < PAGE || (page.at(-1)?.at ?? 0) < startedAt) return found.reverse();
  }
}
