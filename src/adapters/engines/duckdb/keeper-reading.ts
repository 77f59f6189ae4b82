import { type DuckDBConnection, type DuckDBPreparedStatement, StatementType } from '@duckdb/node-api';
import type { AnswerColumn } from '../../../domain/engine.ts';
import type { ActiveWriters } from './active-writers.ts';
import { isForDuckdb, linesOfRows, linesOfTexts, linesSql } from './duckdb-lines.ts';
import { Refusal } from './keeper-refusal.ts';
import type { WatchedVersions } from './keeper-versions.ts';
import { runPrepared, runPreparedHere } from './prepared-statements.ts';

/** Takes the answer to a `read`; the promise holds the query back while the client is slow. */
export interface TakeLines {
  /** With the data versions of the tables asked about; without, where they could not be found out. */
  columns(columns: readonly AnswerColumn[], versions?: readonly string[]): void;
  lines(lines: Buffer): Promise<void>;
}

/** Fewer bytes than this wait for more: frames have a price. */
const FRAME_BYTES = 64 * 1024;
/** So many cells a millisecond are turned into lines here. */
const CELLS_PER_MS = 1_000;
/** What it costs to plan a query once more, with its lines. */
const PLAN_MS = 2;
/** A query that took longer to its first row is not run twice. */
const REPEAT_MS_MAX = 3_000;
const HELD_BYTES_MAX = 1024 ** 2;
/** Every reader holds a row whole, some of them more than once. */
const ROW_BYTES_MAX = 16 * 1024 ** 2;
/** So often a view of the data is taken while others commit. */
const SNAPSHOTS_MAX = 5;

/**
 * Runs one SELECT in a transaction that only reads. The lines of a short answer are made here; an answer that would take longer
 * so than by beginning again is begun again, with lines that DuckDB writes (nothing was sent until then). An interrupted stream
 * ends like a whole one: the caller must look whether it was stopped.
 */
export async function readLines(
  connection: DuckDBConnection,
  sql: string,
  take: TakeLines,
  {
    writers,
    watch,
    repeatMsMax = REPEAT_MS_MAX,
    planMs = PLAN_MS,
  }: {
    readonly writers: ActiveWriters;
    /** Of the data versions that are sent with the columns. */
    readonly watch?: (() => Promise<WatchedVersions>) | undefined;
    readonly repeatMsMax?: number;
    readonly planMs?: number;
  },
): Promise<void> {
  const hadNoWriter = writers.watch();
  const { prepared, seen } = await beginReading(connection, sql, watch);
  try {
    const types = Array.from({ length: prepared.columnCount }, (_, index) => prepared.columnType(index));
    const columns = types.map((type, index) => ({ name: prepared.columnName(index), type: String(type) }));
    const frames = new Frames({ ...take, columns: (list) => take.columns(list, seen) }, columns);
    const limits = isForDuckdb(types) ? { repeatMsMax, planMs } : undefined;
    if (!(await plainLines(prepared, { frames, columns, limits }))) {
      const result = await connection.stream(linesSql(sql, types));
      frames.begin();
      for (;;) {
        const chunk = await result.fetchChunk();
        if (chunk === null || chunk.rowCount === 0) break;
        for (const piece of linesOfTexts(chunk)) await frames.add(piece);
      }
    }
    // Before the last lines: an answer of one frame leaves together with its end.
    if (hadNoWriter()) await runPreparedHere(connection, 'ROLLBACK');
    else await rollBack(connection, writers);
    await frames.end();
  } finally {
    prepared.destroySync();
  }
}

/**
 * Begins the transaction and prepares the query, which gives it its view of the data. A commit that begins meanwhile may be in
 * that view or not: then it is taken again, so that the versions are those of the rows. Where that cannot be said, the answer is not kept.
 */
async function beginReading(
  connection: DuckDBConnection,
  sql: string,
  watch: (() => Promise<WatchedVersions>) | undefined,
): Promise<{ readonly prepared: DuckDBPreparedStatement; readonly seen?: readonly string[] }> {
  for (let attempt = 1; ; attempt++) {
    const watched = await watch?.();
    // It looks at no database: the transaction takes its view of each when the query first needs it.
    await runPreparedHere(connection, 'BEGIN TRANSACTION READ ONLY');
    const prepared = await onlySelect(connection, sql);
    if (watched === undefined) return { prepared };
    if (watched.holds()) return { prepared, seen: watched.versions };
    if (attempt === SNAPSHOTS_MAX) return { prepared };
    prepared.destroySync();
    await runPrepared(connection, 'ROLLBACK');
  }
}

/** Others must not wait in this thread for what this one clears away. */
async function rollBack(connection: DuckDBConnection, writers: ActiveWriters): Promise<void> {
  const over = writers.begin();
  try {
    await runPrepared(connection, 'ROLLBACK');
  } finally {
    over();
  }
}

/** False when the answer is longer than it pays to go on with: then nothing was sent. */
async function plainLines(
  prepared: DuckDBPreparedStatement,
  {
    frames,
    columns,
    limits,
  }: {
    readonly frames: Frames;
    readonly columns: readonly AnswerColumn[];
    readonly limits: { readonly repeatMsMax: number; readonly planMs: number } | undefined;
  },
): Promise<boolean> {
  const since = performance.now();
  const result = await prepared.stream();
  let firstMs: number | undefined;
  let cells = 0;
  if (limits === undefined) frames.begin();
  for (;;) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) return true;
    firstMs ??= performance.now() - since;
    cells += chunk.rowCount * columns.length;
    const isDear =
      limits !== undefined &&
      (cells / CELLS_PER_MS > firstMs + limits.planMs || frames.bytes > HELD_BYTES_MAX) &&
      !frames.hasBegun;
    if (isDear && firstMs <= limits.repeatMsMax) {
      frames.clear();
      return false;
    }
    if (isDear) frames.begin();
    for (const piece of linesOfRows(chunk, columns)) await frames.add(piece);
  }
}

/** Pieces of an answer on their way into frames; until it is begun they are held. */
class Frames {
  readonly #take: TakeLines;
  readonly #columns: readonly AnswerColumn[];
  #waiting: Buffer[] = [];
  bytes = 0;
  hasBegun = false;

  constructor(take: TakeLines, columns: readonly AnswerColumn[]) {
    this.#take = take;
    this.#columns = columns;
  }

  begin(): void {
    this.hasBegun = true;
    this.#take.columns(this.#columns);
  }

  /** A piece is long only when a row in it is. */
  async add(piece: Buffer): Promise<void> {
    if (piece.length > ROW_BYTES_MAX)
      throw new Refusal({ code: 'engine.row-too-large', parameters: { bytes_max: ROW_BYTES_MAX } });
    this.#waiting.push(piece);
    this.bytes += piece.length;
    if (this.hasBegun && this.bytes >= FRAME_BYTES) await this.#send();
  }

  clear(): void {
    this.#waiting = [];
    this.bytes = 0;
  }

  async end(): Promise<void> {
    if (!this.hasBegun) this.begin();
    if (this.bytes > 0) await this.#send();
  }

  async #send(): Promise<void> {
    const lines = Buffer.concat(this.#waiting);
    this.clear();
    await this.#take.lines(lines);
  }
}

async function onlySelect(connection: DuckDBConnection, sql: string): Promise<DuckDBPreparedStatement> {
  const statement = await onlyStatement(connection, sql);
  if (statement.statementType === StatementType.SELECT) return statement;
  const type = StatementType[statement.statementType];
  statement.destroySync();
  throw new Refusal({
    code: 'engine.statement-failed',
    parameters: { detail: `a query must only read, and this is a statement of type ${type}` },
  });
}

/** DuckDB prepares one statement at a time; how many there are is only asked when it did not. */
async function onlyStatement(connection: DuckDBConnection, sql: string): Promise<DuckDBPreparedStatement> {
  try {
    return await connection.prepare(sql);
  } catch (error) {
    const { count } = await connection.extractStatements(sql);
    if (count === 1) throw error;
    throw new Refusal({ code: 'query.several-statements', parameters: { count } });
  }
}

/** How much of an answer may be on its way: the rest waits until the client has used some. */
export class Credit {
  #bytes: number;
  #wake: (() => void) | undefined;
  readonly #idleMs: number;
  #isReleased = false;

  constructor(bytes: number, idleMs: number) {
    this.#bytes = bytes;
    this.#idleMs = idleMs;
  }

  give(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > 0) this.#wake?.();
  }

  /** Waiting readers go on, because the query was stopped. */
  release(): void {
    this.#isReleased = true;
    this.#wake?.();
  }

  /** Takes what is about to be sent; waits while nothing is left. A client that uses nothing for too long is given up. */
  async take(bytes: number): Promise<void> {
    this.#bytes -= bytes;
    if (this.#bytes > 0 || this.#isReleased) return;
    let timer: NodeJS.Timeout | undefined;
    const isIdle = await new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(true), this.#idleMs);
      this.#wake = () => resolve(false);
    });
    clearTimeout(timer);
    this.#wake = undefined;
    if (isIdle)
      throw new Refusal({
        code: 'engine.timed-out',
        parameters: { detail: `its answer was not read for ${this.#idleMs / 1000} s` },
      });
  }
}
