/** Results as files of a format. Parquet is written by a DuckDB of its own, which may touch no folder but the one it writes in. */
import { createReadStream, createWriteStream, realpathSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { diskFull, isDiskFull } from '../../domain/disk-full.ts';
import { RESULT_MEDIA_TYPES, type ResultFormat } from '../../domain/result-format.ts';
import type { StatementColumn } from '../../domain/statement.ts';
import { makePrivateFolder, PRIVATE_FILE } from '../../foundation/private-files.ts';
import { unreachable } from '../../foundation/unreachable.ts';
import { withFreedMemory } from '../../foundation/with-freed-memory.ts';
import { arrowOf, csvOf, ndjsonOf, objectsOf, type Wanted } from '../../runtime/statements/result-formats.ts';
import type { Workspace } from '../workspace.ts';
import { copyParquet } from './answer-file.ts';
import type { ResultStream } from './result-page.ts';

type Lines = AsyncIterable<Buffer>;

/** A page of JSON is not a file. */
type FileFormat = Exclude<ResultFormat, 'json'>;

const contentTypeOf = (format: FileFormat): string =>
  `${RESULT_MEDIA_TYPES[format]}${format === 'csv' ? '; charset=utf-8; header=present' : ''}`;

/** The lines of a result in another format, as they are asked for; `read` may be called more than once. */
export function resultFile(
  workspace: Workspace,
  {
    id,
    format,
    wanted,
    read,
  }: {
    readonly id: string;
    readonly format: FileFormat;
    readonly wanted: Wanted;
    readonly read: () => Promise<Lines>;
  },
): ResultStream {
  return {
    kind: 'stream',
    contentType: contentTypeOf(format),
    fileName: `${id}.${format}`,
    chunks: withFreedMemory(chunksOf(workspace, { format, wanted, read })),
  };
}

async function* chunksOf(
  workspace: Workspace,
  {
    format,
    wanted,
    read,
  }: {
    readonly format: FileFormat;
    readonly wanted: Wanted;
    readonly read: () => Promise<Lines>;
  },
): AsyncGenerator<Buffer> {
  switch (format) {
    case 'csv':
      return yield* csvOf(await read(), wanted);
    case 'ndjson':
      return yield* ndjsonOf(await read(), wanted);
    case 'arrow':
      return yield* arrowOf(read, wanted);
    case 'parquet':
      return yield* parquetOf(workspace, await read(), wanted);
    default:
      unreachable(format);
  }
}

async function* parquetOf(
  workspace: Workspace,
  lines: Lines,
  { columns, positions }: Wanted,
): AsyncGenerator<Buffer> {
  // One folder for all, so that one DuckDB serves them all.
  const home = exchangeOf(workspace);
  makePrivateFolder(home);
  const folder = await mkdtemp(join(realpathSync(home), `result-${process.pid}-`));
  try {
    const [rows, file] = [join(folder, 'rows.ndjson'), join(folder, 'answer.parquet')];
    const names = positions.map((_, index) => `c${index}`);
    await pipeline(objectsOf(lines, { names, positions }), createWriteStream(rows, { mode: PRIVATE_FILE }));
    const engine = await workspace.engine({
      type: 'duckdb',
      options: { database: ':memory:', allowed_paths: [realpathSync(home)] },
    });
    const chosen = positions.map((at) => columns[at] as StatementColumn);
    const copied = chosen.map(({ name, engineType }) => ({ name, type: parquetType(engineType) }));
    await engine.write([], (session) => copyParquet(session, copied, { rows, file }));
    yield* createReadStream(file) as AsyncIterable<Buffer>;
  } catch (error) {
    throw isDiskFull(error) ? diskFull(error) : error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function exchangeOf(workspace: Workspace): string {
  return join(workspace.folder, '.plinth', 'exchange', 'parquet');
}

/** Takes away what processes that were killed left of files they were making. Before this process makes its first: one of its id may have been among them. */
export async function sweepExchange(workspace: Workspace): Promise<void> {
  const home = exchangeOf(workspace);
  const names = await readdir(home).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  for (const name of names) {
    const maker = Number(/^result-(\d+)-/.exec(name)?.[1]);
    if (maker === process.pid || !isAlive(maker))
      await rm(join(home, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  if (Number.isNaN(pid)) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Intervals come in their parts, and stay so. */
const parquetType = (type: string): string =>
  type.toUpperCase() === 'INTERVAL' ? 'STRUCT("months" INTEGER, "days" INTEGER, "micros" BIGINT)' : type;
