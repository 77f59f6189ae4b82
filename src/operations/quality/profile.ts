import { profiledColumns } from '../../compiler/quality/profiled-columns.ts';
import type { ProfileEvent } from '../../domain/profile-event.ts';
import type { TableProfile } from '../../domain/table-profile.ts';
import { profileTable } from '../../runtime/quality/profile-table.ts';
import { appliedPacks } from '../applied-packs.ts';
import { selectedModels } from '../change/selected-models.ts';
import { newId } from '../new-id.ts';
import { appliedEnvironment, type OpenedWorld } from '../open-world.ts';
import { environmentTables } from './environment-tables.ts';

export interface ProfileRequest {
  readonly environment: string;
  /** These models; absent: those that dq packs profile. */
  readonly selection?: string;
  /** Only these of them. */
  readonly models?: ReadonlySet<string>;
  /** The run that changed their rows. */
  readonly changedBy?: string;
  readonly signal?: AbortSignal;
}

/**
 * Profiles tables that an environment shows, and keeps each profile when it is complete. Columns are those that the packs of a model
 * name; all of them where none does.
 */
export async function* profile(
  world: OpenedWorld,
  { environment: name, selection, models: among, changedBy, signal }: ProfileRequest,
): AsyncGenerator<ProfileEvent, readonly TableProfile[]> {
  const environment = await appliedEnvironment(world, name);
  const packs = (await appliedPacks(world, environment)).filter((pack) => pack.profiles.length > 0);
  const chosen =
    selection === undefined
      ? [...new Set(packs.map(({ model }) => model.value))]
      : [...(await selectedModels(world, environment, selection))];
  const models = among === undefined ? chosen : chosen.filter((model) => among.has(model));
  if (among !== undefined && models.length === 0) return [];
  const tables = await environmentTables(world, environment, models);
  const runId = newId('c', world.clock.now());
  yield { event: 'profiles.started', runId, models: models.length };
  const done: TableProfile[] = [];
  for (const model of models) {
    if (signal?.aborted === true) break;
    const table = tables.get(model.toLowerCase());
    if (table?.relation === undefined || table.columns.length === 0) {
      yield { event: 'profile.left', model, reason: 'it has no table in this environment' };
      continue;
    }
    const { relation, sources } = table;
    const own = packs.filter((pack) => pack.model.value.toLowerCase() === model.toLowerCase());
    const found = await profileTable(
      world,
      {
        environment: environment.name,
        model: table.name,
        relation,
        columns: profiledColumns(table.columns, own),
        ...(sources === undefined ? {} : { sources }),
      },
      {
        ...{ id: newId('o', world.clock.now()), runId },
        ...(changedBy === undefined ? {} : { changedBy }),
        ...(environment.dqPacks === undefined ? {} : { definedBy: environment.dqPacks }),
        ...(signal === undefined ? {} : { signal }),
      },
    );
    if (found === undefined) {
      yield { event: 'profile.left', model, reason: 'its rows changed while they were read, three times' };
      continue;
    }
    await world.state.quality.recordProfiles([found], []);
    done.push(found);
    yield { event: 'model.profiled', model: table.name, profile: found };
  }
  return done;
}
