import { type DuckDBConnection, type DuckDBPreparedStatement, StatementType } from '@duckdb/node-api';
import type { Answer, InspectedSql } from '../../../domain/engine.ts';
import { commitAndReadBack } from './commit-and-read-back.ts';
import { fatalityOf, messageOf } from './duckdb-errors.ts';
import { columnsOfResult, rowsOfChunk } from './duckdb-types.ts';
import { inspectSql } from './inspect-sql.ts';
import { checkFiles, closedFile } from './keeper-files.ts';
import { readLines, type TakeLines } from './keeper-reading.ts';
import { errorOf, Refusal, tooLarge } from './keeper-refusal.ts';
import { checkType, preparedColumns, READS, rowsWritten } from './keeper-statements.ts';
import type { CallAnswer, SessionCall, WireError, WireFence } from './keeper-wire.ts';
import { serializeSql } from './prepared-statements.ts';
import type { SessionContext } from './session-context.ts';

/** Hands on the parts of a long answer; the promises hold the query back while the client is slow. */
export interface TakeParts extends TakeLines {
  rows(rows: Answer['rows']): Promise<void>;
  /** Ends all waiting: the query was stopped. */
  release(): void;
  /** Answers at once, for the keeper will not live to see the call's end. */
  fail(error: WireError): void;
}
type TakeRows = TakeParts['rows'];
type ReadCall = Extract<SessionCall, { readonly kind: 'read' }>;
type CommitCall = Extract<SessionCall, { readonly kind: 'commit' }>;

const ROWS_MAX = 1_000_000;
const INTERRUPT_MS = 20;

/** What an interrupt may end; the rest is short, or must be finished. */
const STOPPABLE: ReadonlySet<SessionCall['kind']> = new Set(['run', 'query', 'prepare', 'inspect', 'read']);

interface Transaction {
  readonly fences: readonly WireFence[];
  /** False when DuckDB has none: it was refused, or is over already. */
  isOpen: boolean;
  /** Takes it off the list of those that a newer token rolls back. */
  forget?: () => void;
  /** Whether statements of users ran in it, which may define functions. */
  isForeign?: boolean;
  /** The first failure; everything until the rollback gets it as its answer. */
  failed?: WireError;
}

/** One DuckDB connection with its own queue and transaction. */
export class KeeperSession {
  readonly #context: SessionContext;
  #tail: Promise<unknown> = Promise.resolve();
  #connection: DuckDBConnection | undefined;
  #transaction: Transaction | undefined;
  #isTouched = false;
  #endWriting: (() => void) | undefined;
  #received = 0;
  #answered = 0;
  /** Calls up to this number were cancelled, for this reason. */
  #stopped: { readonly upTo: number; readonly why: WireError } | undefined;
  /** Stands for the text that is read just now. */
  inspection: object | undefined;
  running: { readonly number: number; readonly call: SessionCall; readonly take: TakeParts } | undefined;

  constructor(context: SessionContext) {
    this.#context = context;
  }

  /** Whether more was asked already than is answered. */
  get hasMore(): boolean {
    return this.#received > this.#answered;
  }

  get isRunning(): boolean {
    return this.running !== undefined && STOPPABLE.has(this.running.call.kind);
  }

  /** Whether a long answer is being read: its client waits for nothing else, so others need not be stopped before it. */
  get isReading(): boolean {
    return this.running?.call.kind === 'read';
  }

  /** Queues a call. Rejects with nothing but `Refusal`s: see `errorOf`. */
  call(call: SessionCall, take: TakeParts): Promise<CallAnswer> {
    const number = ++this.#received;
    const answer = this.#tail.then(async () => {
      this.running = { number, call, take };
      // A `read` does this itself, at its end; and to inspect a text no database is looked at.
      if (call.kind !== 'inspect' && call.kind !== 'read') this.#endWriting ??= this.#context.writers.begin();
      const leave = await this.#context.threads.enter(call.kind);
      try {
        return await this.#perform(call, number, take);
      } catch (error) {
        throw this.#failed(error, number);
      } finally {
        leave();
        this.running = undefined;
        this.#leaveWriters();
        this.#answered = number;
      }
    });
    this.#tail = answer.catch(() => undefined);
    return answer;
  }

  /** Stops what runs and refuses what waits, outside the queue. A commit on its way is not touched. */
  stop(why: WireError): void {
    this.#stopped = { upTo: this.#received, why };
    const interrupt = (): void => {
      const running = this.running;
      if (running === undefined || running.number > (this.#stopped?.upTo ?? 0)) return;
      // DuckDB forgets an interrupt that comes between two of its steps, so it is repeated until the call is over.
      if (this.isRunning) this.#connection?.interrupt();
      running.take.release();
      setTimeout(interrupt, INTERRUPT_MS);
    };
    interrupt();
  }

  /** What runs does not obey, and the keeper ends for it. */
  blame(error: WireError): void {
    this.running?.take.fail(error);
  }

  /** The client is gone: interrupt, wait, roll back, close. */
  async end(): Promise<void> {
    this.stop({ code: 'engine.cancelled', parameters: {} });
    await this.#tail;
    await this.#rollback().catch(() => undefined);
    this.#leaveWriters();
    this.#release();
  }

  #leaveWriters(): void {
    if (this.#transaction !== undefined) return;
    this.#endWriting?.();
    this.#endWriting = undefined;
  }

  async #perform(call: SessionCall, number: number, take: TakeParts): Promise<CallAnswer> {
    if (call.kind === 'rollback') {
      await this.#rollback();
      this.#release();
      return null;
    }
    this.#refuseStopped(number);
    if (this.#transaction?.failed !== undefined) throw new Refusal(this.#transaction.failed);
    await checkFiles(call, this.#context.files, () => this.#connected());
    switch (call.kind) {
      case 'begin':
        return this.#begin(call.fences, call.catalogs);
      case 'run':
        if (call.books !== undefined) await this.#context.prepareBooks(call.books);
        return call.isForeign === true ? this.#runForeign(call.sql) : this.#run(call.sql);
      case 'query':
        return call.isForeign === true ? this.#queryWhole(call, number, take.rows) : this.#query(call.sql);
      case 'inspect':
        return this.#inspect(call.sql);
      case 'read':
        // What its functions mean may have changed since it was inspected, but only to something of the warehouse's own.
        if (call.isInspected === true && (await this.#context.ownFunctions()).size > 0)
          await this.#inspect(call.sql);
        return this.#read(call, number, take);
      case 'prepare':
        return this.#prepare(call.sql, take.rows);
      case 'commit':
        return this.#commit(call);
    }
  }

  async #begin(fences: readonly WireFence[], catalogs: readonly string[]): Promise<null> {
    if (this.#transaction !== undefined) throw new Error('a session has one transaction at a time');
    const transaction: Transaction = { fences, isOpen: false };
    this.#transaction = transaction;
    await this.#context.prepareBooks(catalogs);
    this.#checkFences(fences);
    await this.#context.fences.raise(fences);
    await (await this.#connected()).run('BEGIN');
    transaction.isOpen = true;
    transaction.forget = this.#context.fences.opened({ fences, evict: () => this.#evict(transaction) });
    return null;
  }

  /** A newer token came: what is open is rolled back in its turn, and the next call of its client fails with that. */
  async #evict(transaction: Transaction): Promise<void> {
    const why = this.#context.fences.refusal(transaction.fences);
    if (why === undefined) return;
    this.stop(why);
    const gone = this.#tail.then(async () => {
      if (this.#transaction !== transaction) return;
      transaction.failed ??= why;
      if (!transaction.isOpen) return;
      await this.#connection?.run('ROLLBACK').catch(() => undefined);
      transaction.isOpen = false;
    });
    this.#tail = gone;
    await gone;
  }

  async #commit({ ledger, written, changes }: CommitCall): Promise<null> {
    const transaction = this.#transaction;
    if (transaction === undefined) throw new Error('there is no transaction to commit');
    const connection = await this.#connected();
    if (ledger.length > 0) await this.#context.prepareBooks(ledger.map(({ catalog }) => catalog));
    this.#checkFences(transaction.fences);
    const { fences, versions } = this.#context;
    const commit = (): Promise<void> => commitAndReadBack(connection, { ledger, written });
    await fences.commit(transaction.fences, () => versions.commit(changes, commit));
    this.#transaction = undefined;
    transaction.forget?.();
    if (transaction.isForeign === true) this.#context.forgetFunctions();
    this.#release();
    return null;
  }

  #checkFences(fences: readonly WireFence[]): void {
    const refusal = this.#context.fences.refusal(fences);
    if (refusal !== undefined) throw new Refusal(refusal);
  }

  async #rollback(): Promise<void> {
    const transaction = this.#transaction;
    this.#transaction = undefined;
    transaction?.forget?.();
    if (transaction?.isOpen !== true) return;
    try {
      await this.#connection?.run('ROLLBACK');
    } catch (error) {
      // A commit that failed has rolled back already.
      if (!/no transaction is active/.test(messageOf(error))) throw error;
    }
  }

  async #run(sql: string): Promise<number> {
    return rowsWritten(await (await this.#connected()).run(sql));
  }

  async #runForeign(sql: string): Promise<number> {
    let rows = 0;
    if (this.#transaction !== undefined) this.#transaction.isForeign = true;
    await this.#eachStatement(sql, async (statement) => {
      rows = (await statement.run()).rowsChanged;
    });
    return rows;
  }

  #inspect(sql: string): Promise<InspectedSql> {
    this.inspection = {};
    const context = { ...this.#context, serialize: (text: string) => this.#serialize(text) };
    return inspectSql(sql, context).finally(() => {
      this.inspection = undefined;
    });
  }

  async #serialize(sql: string): Promise<string> {
    const text = await serializeSql(await this.#connected(), sql);
    if (this.#transaction === undefined) this.#release();
    return text;
  }

  /** A query of ours, with a small answer: one trip to DuckDB. */
  async #query(sql: string): Promise<Answer> {
    const result = await (await this.#connected()).run(sql);
    if (result.rowCount > ROWS_MAX) throw tooLarge(ROWS_MAX);
    const rows: (readonly unknown[])[] = [];
    for (let index = 0; index < result.chunkCount; index++) rows.push(...rowsOfChunk(result.getChunk(index)));
    if (this.#transaction === undefined) this.#release();
    return { columns: columnsOfResult(result), rows };
  }

  async #read({ sql, versionsOf }: ReadCall, number: number, take: TakeParts): Promise<null> {
    const lines = async (some: Buffer): Promise<void> => {
      this.#refuseStopped(number);
      await take.lines(some);
    };
    const { writers, versions } = this.#context;
    const watch = versionsOf && (() => versions.watch(versionsOf));
    await readLines(await this.#connected(), sql, { columns: take.columns, lines }, { writers, watch });
    this.#refuseStopped(number);
    this.#release();
    return null;
  }

  #refuseStopped(number: number): void {
    if (this.#stopped !== undefined && number <= this.#stopped.upTo) throw new Refusal(this.#stopped.why);
  }

  /** The stream of a query that was interrupted ends without an error: what came until then is not its answer. */
  async #queryWhole(
    { sql, rowsMax = ROWS_MAX }: Extract<SessionCall, { readonly kind: 'query' }>,
    number: number,
    takeRows: TakeRows,
  ): Promise<Answer> {
    const answer = await this.#queryForeign(sql, rowsMax, takeRows);
    this.#refuseStopped(number);
    return answer;
  }

  async #queryForeign(sql: string, rowsMax: number, takeRows: TakeRows): Promise<Answer> {
    let answer: Answer = { columns: [], rows: [] };
    await this.#eachStatement(sql, async (statement, isLast) => {
      if (!isLast) await statement.run();
      else answer = await this.#streamed(statement, rowsMax, takeRows);
    });
    return answer;
  }

  /** Only what DuckDB does not prepare, or not alone, is explained, for the words of EXPLAIN at a third of the speed. */
  async #prepare(sql: string, takeRows: TakeRows): Promise<Answer | null> {
    const columns = await preparedColumns(await this.#connected(), sql);
    if (columns === undefined) await this.#queryForeign(`EXPLAIN ${sql}`, ROWS_MAX, takeRows);
    else if (this.#transaction === undefined) this.#release();
    return columns === undefined ? null : { columns, rows: [] };
  }

  async #streamed(statement: DuckDBPreparedStatement, rowsMax: number, takeRows: TakeRows): Promise<Answer> {
    const result = await statement.stream();
    let rows: Answer['rows'] = [];
    let count = 0;
    for (;;) {
      const chunk = await result.fetchChunk();
      if (chunk === null || chunk.rowCount === 0) break;
      count += chunk.rowCount;
      if (count > rowsMax) {
        // The rest of the stream lives in the connection until that is closed.
        this.#isTouched = true;
        throw tooLarge(rowsMax);
      }
      if (rows.length > 0) await takeRows(rows);
      rows = rowsOfChunk(chunk);
    }
    return { columns: columnsOfResult(result), rows };
  }

  /** Prepares and runs the statements of a text that is not ours, one after the other. */
  async #eachStatement(
    sql: string,
    work: (statement: DuckDBPreparedStatement, isLast: boolean) => Promise<void>,
  ): Promise<void> {
    const connection = await this.#connected();
    const statements = await connection.extractStatements(sql);
    for (let index = 0; index < statements.count; index++) {
      const statement = await statements.prepare(index);
      try {
        const type = statement.statementType;
        checkType(type, sql, this.#transaction !== undefined);
        const needsGuard = this.#transaction === undefined && !READS.has(type);
        if (type !== StatementType.SELECT) this.#isTouched = true;
        if (needsGuard) await connection.run('BEGIN TRANSACTION READ ONLY');
        try {
          await work(statement, index === statements.count - 1);
        } finally {
          if (needsGuard) await connection.run('ROLLBACK').catch(() => undefined);
        }
      } finally {
        statement.destroySync();
      }
    }
    if (this.#transaction === undefined) this.#release();
  }

  async #connected(): Promise<DuckDBConnection> {
    this.#connection ??= await this.#context.connect();
    return this.#connection;
  }

  #release(): void {
    if (this.#connection !== undefined) this.#context.giveBack(this.#connection, this.#isTouched);
    this.#connection = undefined;
    this.#isTouched = false;
  }

  #failed(thrown: unknown, number: number): Refusal {
    let error = closedFile(thrown, this.running?.call, this.#context.files) ?? errorOf(thrown);
    const stopped = this.#stopped;
    if (error.code === 'engine.cancelled' && stopped !== undefined && number <= stopped.upTo)
      error = stopped.why;
    error = this.#context.handleFailure(error, fatalityOf(thrown));
    if (this.#transaction === undefined) {
      this.#isTouched = true;
      this.#release();
    } else this.#transaction.failed ??= error;
    return new Refusal(error);
  }
}
