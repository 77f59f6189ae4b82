import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { folderCompileCache } from '../adapters/cache/folder-compile-cache.ts';
import { type ExampleFile, exampleFiles } from '../adapters/files/example-files.ts';
import { folderFileSource } from '../adapters/files/folder-file-source.ts';
import { folderFileWriter } from '../adapters/files/folder-file-writer.ts';
import { workerUserCode } from '../adapters/user-code/worker-user-code.ts';
import type { CompileCache } from '../domain/compile-cache.ts';
import type { Engine } from '../domain/engine.ts';
import { failure } from '../domain/failure.ts';
import type { FileSource } from '../domain/file-source.ts';
import type { FileWriter } from '../domain/file-writer.ts';
import type { StateStore } from '../domain/state-store.ts';
import type { UserCode } from '../domain/user-code.ts';

/** An opened project folder and the world around it. The only place that picks adapters; engines and state are opened when first asked for. */
export interface Workspace {
  readonly folder: string;
  readonly files: FileSource;
  readonly cache: CompileCache;
  readonly userCode: UserCode;
  /** Environment variables as given, for `env_var` and `PLINTH__…` overrides. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Gateway named on the command line; otherwise the project's default. */
  readonly gateway: string | undefined;
  /** Execution time: what `--execution-time` or PLINTH_NOW fixed, else the time the workspace was opened. Epoch milliseconds. */
  readonly executionTime: number;
  engine(database: string): Promise<Engine>;
  state(): Promise<StateStore>;
  close(): Promise<void>;
}

export interface WorkspaceOptions {
  readonly folder: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly executionTime: number;
  readonly gateway?: string | undefined;
  /** How long one call of a user's function may take; tests of functions that never return wait less. */
  readonly userCodeMs?: number;
}

export function openWorkspace(options: WorkspaceOptions): Workspace {
  const folder = resolve(options.folder);
  if (!existsSync(folder) || !statSync(folder).isDirectory()) throw failure('project.no-folder', { folder });
  const userCode = workerUserCode(
    folder,
    options.userCodeMs === undefined ? {} : { callMs: options.userCodeMs },
  );
  const opened: { close(): Promise<void> }[] = [userCode];
  return {
    folder,
    files: folderFileSource(folder),
    cache: folderCompileCache(join(folder, '.plinth', 'cache'), buildId()),
    userCode,
    variables: options.variables,
    gateway: options.gateway,
    executionTime: options.executionTime,
    async engine(database) {
      const { duckdbEngine } = await import('../adapters/engines/duckdb/duckdb-connection.ts');
      const engine = await duckdbEngine(
        database === ':memory:' ? database : resolve(folder, database),
        folder,
      );
      opened.push(engine);
      return engine;
    },
    async state() {
      mkdirSync(join(folder, '.plinth'), { recursive: true });
      const { sqliteStateStore } = await import('../adapters/state/sqlite/sqlite-state-store.ts');
      const state = sqliteStateStore(join(folder, '.plinth', 'state.db'));
      opened.push(state);
      return state;
    },
    async close() {
      for (const part of opened.reverse()) await part.close();
    },
  };
}

/** A folder to write into, which need not exist yet. */
export function openFolder(folder: string): FileWriter {
  return folderFileWriter(folder);
}

/** The files of an example that comes with the package. */
export function openExample(name: string): readonly ExampleFile[] | undefined {
  return exampleFiles(name);
}

declare const PLINTH_BUILD_ID: string | undefined;

/** Names the program that computes facts: the bundle's own hash, or, run from source, the time the newest source file was written. */
function buildId(): string {
  if (typeof PLINTH_BUILD_ID === 'string') return PLINTH_BUILD_ID;
  const source = join(import.meta.dirname, '..');
  let newest = 0;
  for (const name of readdirSync(source, { recursive: true, encoding: 'utf8' }))
    if (name.endsWith('.ts')) newest = Math.max(newest, statSync(join(source, name)).mtimeMs);
  return `source-${newest}`;
}
