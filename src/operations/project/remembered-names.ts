import type { Project } from '../../domain/project.ts';
import type { Workspace } from '../workspace.ts';

const ROOM = 'names';

/** Keeps the names of the models and their columns in the cache, so that a shell can complete them without loading the project. */
export async function rememberNames({ cache }: Workspace, { models }: Project): Promise<void> {
  const present = await cache.readAll(ROOM);
  const names = new Map(
    models.map(({ name, columns }) => [name, columns.map((column) => column.name).join(' ')]),
  );
  const isSame =
    present.size === names.size && [...names].every(([name, columns]) => present.get(name) === columns);
  if (!isSame && [...names.keys()].every((name) => !/[\t\n]/.test(name))) await cache.replaceAll(ROOM, names);
}

/** Names of models with the names of their columns, as the last load of the project left them. */
export async function rememberedNames({ cache }: Workspace): Promise<ReadonlyMap<string, readonly string[]>> {
  const present = await cache.readAll(ROOM);
  return new Map([...present].map(([name, columns]) => [name, columns === '' ? [] : columns.split(' ')]));
}

const ENVIRONMENTS = 'environments';

/** Keeps the name of an environment that a plan was made for, for the same purpose. */
export async function rememberEnvironment({ cache }: Workspace, environment: string): Promise<void> {
  const present = await cache.readAll(ENVIRONMENTS);
  if (!present.has(environment))
    await cache.replaceAll(ENVIRONMENTS, new Map([...present, [environment, '']]));
}

export async function rememberedEnvironments({ cache }: Workspace): Promise<readonly string[]> {
  return [...(await cache.readAll(ENVIRONMENTS)).keys()];
}
