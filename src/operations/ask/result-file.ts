/** Results as files of a format. */
import { type FileFormat, RESULT_MEDIA_TYPES } from '../../domain/result-format.ts';
import type { StatementColumn } from '../../domain/statement.ts';
import { unreachable } from '../../foundation/unreachable.ts';
import { withFreedMemory } from '../../foundation/with-freed-memory.ts';
import {
  arrowOf,
  csvOf,
  ndjsonOf,
  objectsOf,
  type WantedColumns,
} from '../../runtime/statements/result-formats.ts';
import type { Workspace } from '../workspace.ts';
import type { ResultStream } from './result-page.ts';

type Lines = AsyncIterable<Buffer>;

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
    readonly wanted: WantedColumns;
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

/** The pieces of the file. */
export async function* chunksOf(
  workspace: Workspace,
  {
    format,
    wanted,
    read,
  }: {
    readonly format: FileFormat;
    readonly wanted: WantedColumns;
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

function parquetOf(
  { parquet }: Workspace,
  lines: Lines,
  { columns, positions }: WantedColumns,
): AsyncIterable<Buffer> {
  const names = positions.map((_, index) => `c${index}`);
  const chosen = positions.map((at) => columns[at] as StatementColumn);
  return parquet.file(
    chosen.map(({ name, engineType }) => ({ name, type: parquetType(engineType) })),
    objectsOf(lines, { names, positions }),
  );
}

/** Intervals come in their parts, and stay so. */
const parquetType = (type: string): string =>
  type.toUpperCase() === 'INTERVAL' ? 'STRUCT("months" INTEGER, "days" INTEGER, "micros" BIGINT)' : type;
