import type { TableProfile } from '../../domain/table-profile.ts';
import type { HiddenOfModel } from '../../domain/visible-check.ts';
import { visibleProfile } from '../../domain/visible-profile.ts';
import type { OpenedWorldReader } from '../open-world.ts';

/** A profile, and those of its model before it, newest first. */
export interface ProfileHistory {
  readonly profile: TableProfile;
  readonly history: readonly TableProfile[];
}

/** Earlier profiles that a report looks back on. */
const HISTORY_MAX = 60;

/** Profiles with those before them, as their reader may see them; without `hidden` everything, as the owner of the folder does. */
export async function profileHistory(
  { state }: Pick<OpenedWorldReader, 'state'>,
  profiles: readonly TableProfile[],
  hidden: (model: string) => HiddenOfModel = () => 'none',
): Promise<readonly ProfileHistory[]> {
  return Promise.all(
    profiles.map(async (profile) => {
      const { environment, model, id } = profile;
      const before = await state.quality.profiles({ environment, model, before: id, limit: HISTORY_MAX });
      return {
        profile: visibleProfile(profile, hidden),
        history: before.map((each) => visibleProfile(each, hidden)),
      };
    }),
  );
}
