import { driftedColumns } from '../../domain/drifted-columns.ts';
import type { Environment } from '../../domain/environment.ts';
import type { TableProfile } from '../../domain/table-profile.ts';
import type { WorldReader } from '../../runtime/world.ts';

/** The newest profiles are looked through; products profile few models. */
const PROFILES_MAX = 100;

/** Of models that an environment shows the newest profiles in which a column is not as in the profile before. */
export async function presentDrift(
  { state }: Pick<WorldReader, 'state'>,
  { name, entries }: Environment,
): Promise<readonly TableProfile[]> {
  const shown = new Set(entries.map(({ model }) => model));
  const newest = new Map<string, TableProfile>();
  for (const profile of await state.quality.profiles({ environment: name, limit: PROFILES_MAX }))
    if (!newest.has(profile.model) && shown.has(profile.model)) newest.set(profile.model, profile);
  return [...newest.values()].filter((profile) =>
    driftedColumns(profile).some(({ from }) => from === 'previous'),
  );
}
