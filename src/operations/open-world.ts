import { basename, join, resolve } from 'node:path';
import { CONFIG_FILES, loadConfig } from '../compiler/load/config/load-config.ts';
import type { Config, Gateway } from '../domain/config.ts';
import { type Environment, environmentName } from '../domain/environment.ts';
import { failure } from '../domain/failure.ts';
import { noteHiddenPaths } from '../domain/hidden-paths.ts';
import { splitModelName } from '../domain/model-name.ts';
import type { ViewNaming } from '../domain/relation.ts';
import type { UserCode } from '../domain/user-code.ts';
import { didYouMean } from '../foundation/diagnostics/nearest.ts';
import type { World, WorldReader } from '../runtime/world.ts';
import { pathsToHide } from './paths-to-hide.ts';
import { realPlace, statePlace, type Workspace } from './workspace.ts';

/** The ports of one gateway, and what config.yaml says about it: reading half, for verbs that change neither warehouse nor state. */
export interface OpenedWorldReader extends WorldReader {
  readonly config: Config;
  readonly gateway: Gateway;
  /** The folder's own code: what a plan stores of signals, and of macros of `before_all` and `after_all`. */
  readonly userCode: UserCode;
  naming(environment: string): ViewNaming;
}

/** All that is needed to act without loading the project. */
export type OpenedWorld = OpenedWorldReader & World;

/** Opens warehouse and state of the chosen gateway. Only the configuration is read, so it can go on while the project loads. */
export async function openWorld(workspace: Workspace): Promise<OpenedWorld> {
  const written = await readConfig(workspace);
  workspace.secrets.noteConfig(written);
  const gateway = gatewayOf(written, workspace.gateway ?? written.defaultGateway);
  const { concurrentTasks = written.run.maxParallel } = gateway.connection;
  const config = { ...written, run: { maxParallel: Math.min(written.run.maxParallel, concurrentTasks) } };
  const stored = workspace.state(gateway, config.state.isDurable);
  // A state that knows something was applied to a warehouse that was there.
  const mayMake = async (catalog?: string): Promise<boolean> => {
    const known = await stored;
    if (catalog === undefined) return known.isEmpty();
    return !(await known.snapshots.environments()).some((each) => isIn(catalog, config, each));
  };
  const [state, engine] = await Promise.all([stored, workspace.engine(gateway.connection, mayMake)]);
  const { options, type } = gateway.connection;
  const names = {
    state: statePlace(gateway, workspace.folder),
    warehouse:
      typeof options['database'] === 'string' ? resolve(workspace.folder, options['database']) : type,
  };
  noteHiddenPaths(pathsToHide(workspace.folder, names));
  return {
    engine,
    state,
    clock: workspace.clock,
    variables: workspace.variables,
    hide: workspace.secrets.hide,
    userCodeOf: (files) => workspace.userCodeOf(files),
    names,
    config,
    gateway,
    userCode: workspace.userCode,
    naming: (environment) => namingOf(config, environment, engine.capabilities.identifierMax),
  };
}

/** Whether something of an environment lies in a catalog. */
function isIn(catalog: string, config: Config, { name, entries }: Environment): boolean {
  const found = [
    namingOf(config, name, undefined).catalog,
    ...entries.map(({ model }) => splitModelName(model).catalog),
  ];
  return found.some((each) => each?.toLowerCase() === catalog.toLowerCase());
}

/** A gateway that is misspelled must not silently become the default one. */
export function gatewayOf({ gateways }: Config, name: string): Gateway {
  const gateway = gateways[name];
  if (gateway !== undefined) return gateway;
  const known = Object.keys(gateways);
  throw failure(
    'cli.bad-value',
    { name: '--gateway', value: name, expected: known.join(', ') },
    { hint: didYouMean(name, known) ?? 'config.yaml names the gateways' },
  );
}

/** The configuration alone; a load reports what is wrong with it. */
export async function readConfig(workspace: Workspace): Promise<Config> {
  const { files } = await workspace.files.read(CONFIG_FILES);
  if (files.size === 0 && realPlace(join(workspace.folder, 'models')) === undefined)
    throw failure('project.nothing-found', { folder: workspace.folder });
  return loadConfig({
    files: [...files].map(([path, text]) => ({ path, text })),
    folderName: basename(workspace.folder),
    environment: workspace.variables,
  }).config;
}

/** How the views of an environment are named. */
export function namingOf(
  { environments }: Config,
  environment: string,
  identifierMax: number | undefined,
): ViewNaming {
  const catalog = environments.catalogs.find(({ pattern }) => new RegExp(pattern).test(environment))?.target;
  return {
    environment,
    suffixTarget: environments.suffixTarget,
    ...(catalog === undefined ? {} : { catalog }),
    ...(identifierMax === undefined ? {} : { identifierMax }),
  };
}

/** The environment a command means: what was written, in its valid spelling, or the project's default. */
export function environmentOf({ environments }: Config, written: string | undefined): string {
  return environmentName(written ?? environments.defaultTarget);
}

/** The environment as it was last promoted; `environment.unknown` when no plan was ever applied to it. */
export async function appliedEnvironment(
  { state }: Pick<WorldReader, 'state'>,
  name: string,
): Promise<Environment> {
  const found = await state.snapshots.environment(name);
  if (found === undefined) throw failure('environment.unknown', { environment: name });
  return found;
}
