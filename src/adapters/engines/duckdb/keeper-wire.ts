/*
 * What a keeper and its clients say to each other over one socket: frames of four bytes of length and JSON, or of a 1, four bytes
 * of a call's number and lines of an answer as they are.
 *
 *   client                          keeper
 *   hello      ──────────────────▶            protocol, DuckDB version, hash of the connection's options
 *              ◀──────────────────  welcome   or `refused`, and the socket is closed
 *   begin, run, run, query, commit  ▶         sent without waiting; one queue per session
 *              ◀──────────────────  done / failed, by id, in the order of the queue
 *   cancel     ──────────────────▶            outside the queue
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import type { Answer, AnswerColumn, InspectedSql } from '../../../domain/engine.ts';
import type { KeeperSettings } from './duckdb-config.ts';
import type { VersionChanges } from './keeper-versions.ts';

/** Changes with every change of the frames: keepers and clients of different builds must not talk. */
export const KEEPER_PROTOCOL = 6;

/** A code of the catalog with its parameters: the client makes the failure, so that the keeper need not load the catalog. */
export interface WireError {
  readonly code: KeeperErrorCode;
  readonly parameters: Readonly<Record<string, string | number>>;
  readonly isRetryable?: boolean;
  readonly hint?: string;
  /** Where in the text of the query, in UTF-16 units. */
  readonly at?: { readonly start: number; readonly end: number };
}

export type KeeperErrorCode =
  | 'engine.answer-too-large'
  | 'engine.cancelled'
  | 'engine.cannot-open'
  | 'engine.conflict'
  | 'engine.disk-full'
  | 'engine.fenced'
  | 'engine.file-closed'
  | 'engine.keeper-differs'
  | 'engine.locked'
  | 'engine.lost'
  | 'engine.broken'
  | 'engine.out-of-memory'
  | 'engine.row-too-large'
  | 'engine.statement-failed'
  | 'engine.timed-out'
  | 'engine.type-mismatch'
  | 'query.cannot-parse'
  | 'query.function-bounded'
  | 'query.function-not-allowed'
  | 'query.not-a-query'
  | 'query.not-allowed'
  | 'query.pivot-needs-in'
  | 'query.several-statements'
  | 'query.too-complex'
  | 'query.too-costly'
  | 'query.unclear-name';

/** A fence as it travels: `table` is its `tableKey`. */
export interface WireFence {
  readonly table: string;
  readonly token: number;
}

/** A query with one number, and the number it must give once the transaction is committed. */
export interface ReadBack {
  readonly sql: string;
  readonly count: number;
}

/** A statement for the ledger of a catalog. */
export interface LedgerInsert {
  readonly sql: string;
  readonly catalog: string;
}

/** What a session can be asked; answered in order. */
export type SessionCall =
  | { readonly kind: 'begin'; readonly fences: readonly WireFence[]; readonly catalogs: readonly string[] }
  /** Answers with the number of rows changed. `isForeign`: a user's text, which must not touch the transaction. `books`: catalogs whose bookkeeping it needs. */
  | {
      readonly kind: 'run';
      readonly sql: string;
      readonly isForeign?: boolean;
      readonly books?: readonly string[];
    }
  /** `isForeign`: a user's text, of any length of answer; outside a transaction it must only read. */
  | {
      readonly kind: 'query';
      readonly sql: string;
      readonly rowsMax?: number;
      readonly isForeign?: boolean;
    }
  /** What DuckDB's parser sees in a user's query: answered with `InspectedSql`. */
  | { readonly kind: 'inspect'; readonly sql: string }
  /**
   * One SELECT whose answer is sent as lines, with `columns` before them, as fast as the client says `taken`. `isInspected`: a user's
   * text, which is looked at once more where the warehouse has functions of its own. `versionsOf`: tables whose data versions are
   * sent with the columns, as the rows show them.
   */
  | {
      readonly kind: 'read';
      readonly sql: string;
      readonly isInspected?: boolean;
      readonly versionsOf?: readonly string[];
    }
  /** Whether DuckDB can plan a user's query; nothing is run. */
  | { readonly kind: 'prepare'; readonly sql: string }
  /**
   * `ledger`: the transaction's last statements, in the same trip to DuckDB. `written`: queries that count what must be there
   * afterwards, each with the number expected. `changes`: what the transaction does to data versions.
   */
  | {
      readonly kind: 'commit';
      readonly ledger: readonly LedgerInsert[];
      readonly written: readonly ReadBack[];
      readonly changes: VersionChanges;
    }
  | { readonly kind: 'rollback' };

/** The first frame of every client. Its shape must never change: it is how different builds find out that they differ. */
export interface Hello {
  readonly kind: 'hello';
  readonly protocol: number;
  readonly duckdb: string;
  readonly options: string;
  readonly pid: number;
  readonly who: string;
}

/** The very first frame of the client that starts a keeper, on the descriptor it left for it; secrets stay out of the command line. */
export interface StartFrame {
  readonly kind: 'start';
  readonly settings: KeeperSettings;
}

export type ClientFrame =
  | Hello
  | StartFrame
  | { readonly kind: 'call'; readonly id: number; readonly session: number; readonly call: SessionCall }
  | { readonly kind: 'raise'; readonly id: number; readonly fences: readonly WireFence[] }
  /** Answers with one row: the id that is kept, and whether data was written before. */
  | { readonly kind: 'identity'; readonly id: number; readonly proposed: string }
  /** Answers with the data version of each table, in their order; '' for one that has none. */
  | { readonly kind: 'versions'; readonly id: number; readonly tables: readonly string[] }
  /** Answers with the keys of tables and the newest token of each, in turns. */
  | { readonly kind: 'tokens'; readonly id: number }
  /** So many bytes of the lines of a `read` have been used: as many more may be sent. */
  | { readonly kind: 'taken'; readonly id: number; readonly bytes: number }
  | { readonly kind: 'cancel'; readonly session: number };

/** What a call is answered with. */
export type CallAnswer = Answer | InspectedSql | readonly string[] | number | null;

export type KeeperFrame =
  | { readonly kind: 'welcome'; readonly pid: number }
  /** `isEnding`: the keeper was idle and makes room for one with the options asked for. */
  | { readonly kind: 'refused'; readonly error: WireError; readonly isEnding: boolean }
  /** A part of an answer whose end `done` will bring. */
  | { readonly kind: 'rows'; readonly id: number; readonly rows: Answer['rows'] }
  | { readonly kind: 'done'; readonly id: number; readonly value: CallAnswer }
  /** The first answer to a `read`; its lines follow in frames of their own (see `sendLines`), then `done`. */
  | {
      readonly kind: 'columns';
      readonly id: number;
      readonly columns: readonly AnswerColumn[];
      readonly versions?: readonly string[];
    }
  | { readonly kind: 'failed'; readonly id: number; readonly error: WireError }
  /** The keeper ends; whatever was asked and not answered failed for this reason. */
  | { readonly kind: 'ending'; readonly error: WireError };

/** Begins the frames that are not JSON, which begins with a brace. */
const LINES = 1;

/** Sends a frame; frames of one turn of the event loop leave in one write. */
export function sendFrame(socket: Socket, frame: ClientFrame | KeeperFrame): void {
  if (socket.destroyed || !socket.writable) return;
  const text = JSON.stringify(frame);
  const bytes = Buffer.byteLength(text);
  const whole = Buffer.allocUnsafe(4 + bytes);
  whole.writeUInt32LE(bytes, 0);
  whole.write(text, 4);
  corkTurn(socket);
  socket.write(whole);
}

/** Sends lines of the answer to a `read`. */
export function sendLines(socket: Socket, id: number, lines: Buffer): void {
  if (socket.destroyed || !socket.writable) return;
  const head = Buffer.allocUnsafe(9);
  head.writeUInt32LE(5 + lines.length, 0);
  head.writeUInt8(LINES, 4);
  head.writeUInt32LE(id, 5);
  corkTurn(socket);
  socket.write(head);
  socket.write(lines);
}

function corkTurn(socket: Socket): void {
  if (socket.writableCorked > 0) return;
  socket.cork();
  process.nextTick(() => socket.uncork());
}

/** Cuts what a socket delivers into frames and hands each on. */
export function receiveFrames<Frame>(
  socket: Socket,
  take: (frame: Frame) => void,
  takeLines: (id: number, lines: Buffer) => void = () => undefined,
): void {
  let chunks: Buffer[] = [];
  let length = 0;
  let wanted = 4;
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    length += chunk.length;
    if (length < wanted) return;
    let buffer = chunks.length === 1 ? chunk : Buffer.concat(chunks);
    for (;;) {
      wanted = buffer.length < 4 ? 4 : 4 + buffer.readUInt32LE(0);
      if (buffer.length < wanted || buffer.length < 4) break;
      const body = buffer.subarray(4, wanted);
      buffer = buffer.subarray(wanted);
      if (body[0] === LINES) takeLines(body.readUInt32LE(1), body.subarray(5));
      else take(JSON.parse(body.toString('utf8')) as Frame);
    }
    chunks = buffer.length === 0 ? [] : [buffer];
    length = buffer.length;
  });
}

/** The installed version of DuckDB's driver, read without loading it: clients never do. */
export function driverVersion(): string {
  const manifest = createRequire(import.meta.url).resolve('@duckdb/node-api/package.json');
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version: string };
  return version;
}
