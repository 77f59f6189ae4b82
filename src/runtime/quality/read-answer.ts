import type { Answer, EngineReader } from '../../domain/engine.ts';
import { Failure } from '../../domain/failure.ts';
import type { TableId } from '../../domain/relation.ts';

/** A query of checks and profiles is stopped after this. */
const TIMEOUT_MS = 15 * 60_000;
const LOST_MAX = 3;

/** A small answer with the state of the data that it was read from. */
export interface VersionedAnswer extends Answer {
  /** Of `versionsOf`, in its order; absent when they cannot be known. */
  readonly versions?: readonly string[];
}

/** Reads a query in a transaction that only reads, up to `rowsMax` rows; a lost engine is asked again. */
export async function readAnswer(
  engine: EngineReader,
  sql: string,
  options: {
    readonly versionsOf?: readonly TableId[];
    readonly rowsMax: number;
    readonly signal?: AbortSignal;
  },
): Promise<VersionedAnswer> {
  for (let lost = 0; ; lost++) {
    try {
      return await readOnce(engine, sql, options);
    } catch (error) {
      const isLost = error instanceof Failure && error.code === 'engine.lost';
      if (!isLost || lost === LOST_MAX || options.signal?.aborted === true) throw error;
    }
  }
}

async function readOnce(
  engine: EngineReader,
  sql: string,
  { versionsOf, rowsMax, signal }: Parameters<typeof readAnswer>[2],
): Promise<VersionedAnswer> {
  const reading = await engine.read(sql, {
    timeoutMs: TIMEOUT_MS,
    ...(versionsOf === undefined ? {} : { versionsOf }),
    ...(signal === undefined ? {} : { signal }),
  });
  const rows: (readonly unknown[])[] = [];
  for await (const lines of reading.lines) {
    for (const line of lines.toString('utf8').split('\n')) {
      if (line === '') continue;
      rows.push(JSON.parse(line) as readonly unknown[]);
      if (rows.length === rowsMax) break;
    }
    if (rows.length === rowsMax) break;
  }
  return {
    columns: reading.columns,
    rows,
    ...(reading.versions === undefined ? {} : { versions: reading.versions }),
  };
}
