/** Parquet is written by a DuckDB of its own, which may touch no folder but the one it writes in. */
import { createReadStream, createWriteStream, realpathSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Connection } from '../../../domain/config.ts';
import { diskFull, isDiskFull } from '../../../domain/disk-full.ts';
import type { Engine } from '../../../domain/engine.ts';
import type { ParquetExchange } from '../../../domain/parquet-exchange.ts';
import { makePrivateFolder, PRIVATE_FILE } from '../../../foundation/private-files.ts';
import { copyParquet } from './copy-parquet.ts';

/** `openEngine` opens a connection once. One folder for all files, so that one DuckDB in memory serves them all; it may touch this folder alone. */
export function parquetExchange(
  home: string,
  openEngine: (connection: Connection) => Promise<Pick<Engine, 'write'>>,
): ParquetExchange {
  return {
    async *file(columns, rows) {
      makePrivateFolder(home);
      const folder = await mkdtemp(join(realpathSync(home), `result-${process.pid}-`));
      try {
        const [source, file] = [join(folder, 'rows.ndjson'), join(folder, 'answer.parquet')];
        await pipeline(rows, createWriteStream(source, { mode: PRIVATE_FILE }));
        const engine = await openEngine({
          type: 'duckdb',
          options: { database: ':memory:', allowed_paths: [realpathSync(home)] },
        });
        await engine.write([], (session) => copyParquet(session, columns, { rows: source, file }));
        yield* createReadStream(file) as AsyncIterable<Buffer>;
      } catch (error) {
        throw isDiskFull(error) ? diskFull(error) : error;
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
    async sweep() {
      const names = await readdir(home).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return [];
        throw error;
      });
      for (const name of names) {
        const maker = Number(/^result-(\d+)-/.exec(name)?.[1]);
        if (maker === process.pid || !isAlive(maker))
          await rm(join(home, name), { recursive: true, force: true });
      }
    },
  };
}

function isAlive(pid: number): boolean {
  if (Number.isNaN(pid)) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
