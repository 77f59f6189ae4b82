import { type DuckDBConnection, type DuckDBPreparedStatement, StatementType } from '@duckdb/node-api';
import type { AnswerColumn } from '../../../domain/engine.ts';
import { linesOfRows, linesOfTexts, linesSql } from './duckdb-lines.ts';
import { Refusal } from './keeper-refusal.ts';

/** Takes the answer to a `read`; the promise holds the query back while the client is slow. */
export interface TakeLines {
  columns(columns: readonly AnswerColumn[]): void;
  lines(lines: Buffer): Promise<void>;
}

/** Fewer bytes than this wait for more: frames have a price. */
const FRAME_BYTES = 64 * 1024;

/** Runs one SELECT in a transaction that only reads. An interrupted stream ends like a whole one: the caller must look whether it was stopped. */
export async function readLines(connection: DuckDBConnection, sql: string, take: TakeLines): Promise<void> {
  await connection.run('BEGIN TRANSACTION READ ONLY');
  const asked = await onlySelect(connection, sql);
  try {
    const types = Array.from({ length: asked.columnCount }, (_, index) => asked.columnType(index));
    const columns = types.map((type, index) => ({ name: asked.columnName(index), type: String(type) }));
    const written = linesSql(sql, types);
    const result = await (written === undefined ? asked.stream() : connection.stream(written));
    take.columns(columns);
    let waiting: Buffer[] = [];
    let bytes = 0;
    for (;;) {
      const chunk = await result.fetchChunk();
      if (chunk === null || chunk.rowCount === 0) break;
      for (const piece of written === undefined ? linesOfRows(chunk, columns) : linesOfTexts(chunk)) {
        waiting.push(piece);
        bytes += piece.length;
        if (bytes < FRAME_BYTES) continue;
        await take.lines(Buffer.concat(waiting));
        waiting = [];
        bytes = 0;
      }
    }
    if (bytes > 0) await take.lines(Buffer.concat(waiting));
  } finally {
    asked.destroySync();
  }
  await connection.run('ROLLBACK');
}

async function onlySelect(connection: DuckDBConnection, sql: string): Promise<DuckDBPreparedStatement> {
  const statements = await connection.extractStatements(sql);
  if (statements.count !== 1)
    throw new Refusal({ code: 'query.several-statements', parameters: { count: statements.count } });
  const statement = await statements.prepare(0);
  if (statement.statementType === StatementType.SELECT) return statement;
  const type = StatementType[statement.statementType];
  statement.destroySync();
  throw new Refusal({
    code: 'engine.statement-failed',
    parameters: { detail: `a query must only read, and this is a statement of type ${type}` },
  });
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

  /** Whoever waits goes on, for the query was stopped. */
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
        parameters: { detail: `nobody read its answer for ${this.#idleMs / 1000} s` },
      });
  }
}
