import { join, resolve } from 'node:path';
import { buildId } from '../adapters/cache/build-id.ts';
import { folderCompileCache } from '../adapters/cache/folder-compile-cache.ts';
import { systemClock } from '../adapters/clock/system-clock.ts';
import { parquetExchange } from '../adapters/engines/duckdb/parquet-exchange.ts';
import { birthOfFolder } from '../adapters/files/birth-of-folder.ts';
import { type ExampleFile, exampleFiles } from '../adapters/files/example-files.ts';
import { fileStamp } from '../adapters/files/file-stamp.ts';
import { folderFileSource } from '../adapters/files/folder-file-source.ts';
import { folderFileWriter } from '../adapters/files/folder-file-writer.ts';
import { gitChanges } from '../adapters/files/git-changes.ts';
import { givenFiles } from '../adapters/files/given-files.ts';
import { keySealer } from '../adapters/keys/key-sealer.ts';
import { askProcess } from '../adapters/processes/ask-process.ts';
import { folderResultStore } from '../adapters/results/folder-result-store.ts';
import { openStateStore, placeOfState, type WantedState } from '../adapters/state/open-state-store.ts';
import { shareUserCode } from '../adapters/user-code/share-user-code.ts';
import { storedUserCode } from '../adapters/user-code/stored-user-code.ts';
import { workerUserCode } from '../adapters/user-code/worker-user-code.ts';
import type { AskProcess } from '../domain/ask-process.ts';
import type { Clock } from '../domain/clock.ts';
import type { FolderCache } from '../domain/compile-cache.ts';
import type { Connection } from '../domain/config.ts';
import type { Engine } from '../domain/engine.ts';
import { failure } from '../domain/failure.ts';
import type { FileSource } from '../domain/file-source.ts';
import type { FileWriter } from '../domain/file-writer.ts';
import type { GivenFiles } from '../domain/given-files.ts';
import type { ParquetExchange } from '../domain/parquet-exchange.ts';
import type { ResultStore } from '../domain/result-store.ts';
import type { Sealer } from '../domain/sealer.ts';
import { type SecretValues, secretValues } from '../domain/secret-values.ts';
import type { StateStore } from '../domain/state-store.ts';
import type { UserCode } from '../domain/user-code.ts';
import { makeTreePrivate } from '../foundation/private-files.ts';
import { hostName, userName } from '../foundation/this-user.ts';

export { openChannel } from '../adapters/channels/open-channel.ts';
export { diskFacts } from '../adapters/files/disk-facts.ts';
export { realPlace } from '../adapters/files/real-place.ts';
export { remoteJwks as openPublishedKeys } from '../adapters/keys/remote-jwks.ts';

/** An opened project folder and the world around it. The only place that picks adapters; engines and state are opened when first asked for. */
export interface Workspace {
  readonly folder: string;
  /** When the folder was made here. */
  readonly createdAt: number;
  readonly files: FileSource;
  /** Names what is in files that SQL reads, without reading them; undefined when they are not on this machine. */
  fileStamp(paths: readonly string[]): string | undefined;
  readonly cache: FolderCache;
  readonly userCode: UserCode;
  /** Where large results of statements lie. */
  readonly results: ResultStore;
  readonly parquet: ParquetExchange;
  readonly askProcess: AskProcess;
  /** Environment variables as given, for `env_var` and `PLINTH__…` overrides. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** What was read of them so far, and what the configuration calls secret: hidden in whatever is stored or shown. */
  readonly secrets: SecretValues;
  /** Seals what callers entrust to the product. */
  readonly sealer: Sealer;
  /** Gateway named on the command line; otherwise the project's default. */
  readonly gateway: string | undefined;
  /** Execution time: what `--execution-time` or PLINTH_NOW fixed, else the time the workspace was opened. Epoch milliseconds. */
  readonly executionTime: number;
  /** The one that all who share the state go by, once that is open. */
  readonly clock: Clock;
  /** Who acts, for the eyes of others: user, machine and process. */
  readonly who: string;
  /** The warehouse of a connection, opened once; throws `engine.no-adapter` for engines that have none. `mayMake`: whether one that is not there may be made; true when absent. */
  engine(connection: Connection, mayMake?: MayMake): Promise<Engine>;
  /** The state of a gateway, opened once; `isDurable` also survives a power loss. */
  state(gateway: WantedState['gateway'], isDurable?: boolean): Promise<StateStore>;
  /** Runs code from stored texts, by path inside the project; the caller closes it. */
  userCodeOf(files: Readonly<Record<string, string>>): UserCode;
  /** Files of the project that differ from a git ref, committed or not. */
  changedFiles(ref: string): readonly string[];
  close(): Promise<void>;
}

/** Whether a warehouse, or one of its catalogs, that is not there may be made. */
type MayMake = (catalog?: string) => Promise<boolean>;

export interface WorkspaceOptions extends Pick<Workspace, 'folder' | 'variables' | 'executionTime'> {
  /** Whether the execution time was given. */
  readonly isTimeGiven?: boolean;
  readonly gateway?: string | undefined;
  /** How long one call of a user's function may take; tests of functions that never return wait less. */
  readonly userCodeMs?: number;
}

export function openWorkspace(options: WorkspaceOptions): Workspace {
  const folder = resolve(options.folder);
  const createdAt = birthOfFolder(folder);
  if (createdAt === undefined) throw failure('project.no-folder', { folder });
  makeTreePrivate(join(folder, '.plinth'));
  const userCode = workerUserCode(
    folder,
    options.userCodeMs === undefined ? {} : { callMs: options.userCodeMs },
  );
  const stored = shareUserCode((files) =>
    storedUserCode(folder, files, (home) => openFolder(home, { isPrivate: true })),
  );
  const opened: { close(): Promise<void> }[] = [userCode, stored];
  const keep = <Part extends { close(): Promise<void> }>(part: Part): Part => {
    opened.push(part);
    return part;
  };
  const secrets = secretValues(options.variables);
  const engine = once((connection: Connection, mayMake?: MayMake) =>
    openEngine(connection, { folder, mayMake }).then(keep),
  );
  let shared: StateStore | undefined;
  const state = once(async (wanted: WantedState) => {
    shared = keep(await openStateStore(wanted));
    return shared;
  });
  return {
    folder,
    createdAt,
    files: folderFileSource(folder),
    fileStamp: (paths) => fileStamp(folder, paths),
    cache: folderCompileCache(join(folder, '.plinth', 'cache'), buildId()),
    userCode,
    results: folderResultStore(join(folder, '.plinth', 'results')),
    parquet: parquetExchange(join(folder, '.plinth', 'exchange', 'parquet'), engine),
    askProcess,
    variables: secrets.variables,
    secrets,
    sealer: keySealer({
      given: secrets.variables['PLINTH_SECRET_KEY'],
      file: join(folder, '.plinth', 'secret.key'),
    }),
    gateway: options.gateway,
    executionTime: options.executionTime,
    clock: systemClock(() => shared?.aheadMs ?? 0, options.isTimeGiven ? options.executionTime : undefined),
    who: `${commandLine()} (${userName()}@${hostName()}, process ${process.pid})`,
    engine,
    state: ({ name, stateConnection }, isDurable = false) =>
      state({ gateway: { name, stateConnection }, folder, isDurable }),
    userCodeOf: (files) => stored.of(files),
    changedFiles: (ref) => gitChanges(folder, ref),
    async close() {
      for (const part of opened.reverse()) await part.close();
    },
  };
}

/** What is asked for is opened at the first call; later ones, also while it is being opened, get the same. */
function once<Wanted, Part, More extends readonly unknown[]>(
  open: (wanted: Wanted, ...more: More) => Promise<Part>,
): (wanted: Wanted, ...more: More) => Promise<Part> {
  const opening = new Map<string, Promise<Part>>();
  return (wanted, ...more) => {
    const key = JSON.stringify(wanted);
    const known = opening.get(key) ?? open(wanted, ...more);
    opening.set(key, known);
    return known;
  };
}

async function openEngine(
  connection: Connection,
  { folder, mayMake }: { readonly folder: string; readonly mayMake: MayMake | undefined },
): Promise<Engine> {
  if (connection.type !== 'duckdb')
    throw failure('engine.no-adapter', { engine: connection.type, known: 'duckdb' });
  const { duckdbEngine } = await import('../adapters/engines/duckdb/duckdb-connection.ts');
  const database = String(connection.options['database'] ?? ':memory:');
  return duckdbEngine({
    database,
    folder,
    connection: connection.options,
    hasComments: connection.hasComments ?? true,
    who: commandLine(),
    isLazy: true,
    ...(mayMake === undefined ? {} : { mayMake }),
  });
}

/** What tells the state of a gateway from others, and how messages call it: a file, or a place on a server. */
export const statePlace = (gateway: WantedState['gateway'], folder: string): string =>
  placeOfState({ gateway, folder });

/** The command as people know it, for the messages that others get while it works. */
const commandLine = (): string =>
  `plinth ${process.argv.slice(2).find((word) => !word.startsWith('-')) ?? ''}`.trim();

/** A folder to write into, which need not exist yet. `isPrivate`: what is written is for its owner alone. */
export function openFolder(folder: string, options: { readonly isPrivate?: boolean } = {}): FileWriter {
  return folderFileWriter(folder, options);
}

/** The files of an example that comes with the package. */
export function openExample(name: string): readonly ExampleFile[] | undefined {
  return exampleFiles(name);
}

/** Files that a command line names. */
export const openGivenFiles = (): GivenFiles => givenFiles;
