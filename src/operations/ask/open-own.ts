import { type ModelTables, OPEN_TABLES } from '../../compiler/semantic/sql/compile-semantic-sql.ts';
import type { Environment } from '../../domain/environment.ts';
import type { Project } from '../../domain/project.ts';
import type { Caller } from '../../domain/semantic-query.ts';
import type { Semantics } from '../../domain/semantics.ts';
import { appliedSemantics } from '../applied-semantics.ts';
import { appliedEnvironment, namingOf, type OpenedWorld } from '../open-world.ts';
import { viewOfGroups } from './view-of-groups.ts';

/** What questions are compiled from, and the world their rows are in. */
export interface OwnAsking<Folder> {
  readonly world: OpenedWorld;
  readonly environment: string;
  /** Undefined when nothing was applied: then questions can be shown, not asked. */
  readonly applied?: Environment;
  readonly semantics: Semantics;
  /** Models that SQL may name, and what may be read of them. */
  readonly models: readonly string[];
  readonly tables: ModelTables;
  /** When the semantics are those of the folder. */
  readonly folder?: Folder;
}

/** Semantics as the environment was applied with; those of the folder with `isLocal`, and where nothing was stored. */
export async function openOwn<Folder extends { readonly project: Project }>(
  world: OpenedWorld,
  request: {
    readonly environment: string;
    readonly caller: Caller;
    readonly isLocal: boolean;
    /** Only shown: the environment need not be there. */
    readonly isShown: boolean;
    readonly load: () => Promise<Folder>;
  },
): Promise<OwnAsking<Folder>> {
  const { environment, caller, isLocal, isShown, load } = request;
  const applied = isShown
    ? await world.state.snapshots.environment(environment)
    : await appliedEnvironment(world, environment);
  const stored = applied === undefined || isLocal ? undefined : await appliedSemantics(world, applied);
  const isStored =
    stored === 'unreadable'
      ? !caller.isUnrestricted
      : stored !== undefined && stored.semanticModels.length + stored.metrics.length > 0;
  const folder = isStored ? undefined : await load();
  const semantics = folder?.project ?? (stored as NonNullable<typeof stored>);
  const asking = {
    world,
    environment,
    ...(applied === undefined ? {} : { applied }),
    ...(folder === undefined ? {} : { folder }),
  };
  if (!caller.isUnrestricted || semantics === 'unreadable')
    return {
      ...asking,
      ...(await viewOfGroups(world, caller, { applied, semantics, folder: folder?.project })),
    };
  const models = applied?.entries.map(({ model }) => model) ?? semantics.models.map(({ name }) => name);
  return { ...asking, semantics, models, tables: OPEN_TABLES };
}

/** Where its views are, and how the engine writes SQL. */
export const placeOf = ({ world: { config, engine }, environment }: OwnAsking<unknown>) => ({
  naming: namingOf(config, environment, engine.capabilities.identifierMax),
  dialect: engine.dialect,
});
