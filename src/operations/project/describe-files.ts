import type { Connection } from '../../domain/config.ts';
import type { Engine } from '../../domain/engine.ts';
import { Failure } from '../../domain/failure.ts';
import type { DescribeFiles, FileColumns, FileTable } from '../../domain/file-schemas.ts';
import { hash128 } from '../../foundation/hash128.ts';
import type { Workspace } from '../workspace.ts';

const ROOM = 'file-schemas';
/** What the engine says about the files themselves; the next load may meet other failures otherwise. */
const ABOUT_FILES = new Set(['engine.statement-failed', 'engine.file-closed', 'engine.type-mismatch']);

/**
 * Reads the columns of files with an engine that has no database, once for each content: what an earlier load found is kept with
 * the paths, sizes and times of the files.
 */
export function describeFilesOf(workspace: Pick<Workspace, 'fileStamp' | 'cache' | 'engine'>): DescribeFiles {
  return async (connection, tables) => {
    const beside = besideDatabase(connection);
    const known = await workspace.cache.readAll(ROOM);
    const entries = new Map<string, string>();
    const found = new Map<string, FileColumns>();
    let engine: Engine | undefined;
    for (const table of tables) {
      const stamp = workspace.fileStamp(table.paths);
      if (stamp === undefined) continue;
      const key = hash128(table.text, stamp, JSON.stringify(beside));
      let json = known.get(key);
      if (json === undefined) {
        try {
          engine ??= await workspace.engine(beside);
          json = JSON.stringify(await columnsOf(engine, table));
        } catch (error) {
          if (!(error instanceof Failure)) throw error;
          if (!ABOUT_FILES.has(error.code)) continue;
          json = 'null';
        }
      }
      entries.set(key, json);
      const columns = JSON.parse(json) as FileColumns | null;
      if (columns !== null) found.set(table.text, columns);
    }
    if (entries.size !== known.size || [...entries.keys()].some((key) => !known.has(key)))
      await workspace.cache.replaceAll(ROOM, entries);
    return found;
  };
}

async function columnsOf(engine: Engine, { text }: FileTable): Promise<FileColumns> {
  const { columns } = await engine.query(`SELECT * FROM ${text} LIMIT 0`);
  return columns.map(({ name, type }) => ({ name, type }));
}

/** The same engine with the same files open, without a database, extensions and secrets: none of them reads a local file. */
function besideDatabase({ type, options }: Connection): Connection {
  const { allowed_paths, connector_config } = options;
  const settings = (connector_config ?? {}) as Readonly<Record<string, unknown>>;
  const kept = ['enable_external_access', 'allowed_directories'].filter((name) => name in settings);
  return {
    type,
    options: {
      database: ':memory:',
      ...(allowed_paths === undefined ? {} : { allowed_paths }),
      ...(kept.length === 0
        ? {}
        : { connector_config: Object.fromEntries(kept.map((name) => [name, settings[name]])) }),
    } as Connection['options'],
  };
}
