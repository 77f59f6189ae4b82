/*
 * Whether DuckDB's own threads are up. A statement runs in the thread that calls it, and DuckDB cuts it into as many parts as it has
 * threads. While one of its own threads has a part, the caller asks in a loop whether that is done: for a small statement this takes
 * more processor time than the statement does. So these threads are only there while there is work for them:
 *
 *   external_threads = all   only callers: small statements are done by them, several beside each other
 *   external_threads = 1     all others are DuckDB's own: they take parts of what runs, also of what began before
 *
 * Statements are cut into the same number of parts either way, so one that turns out to be large loses nothing but the first moment.
 */
import type { DuckDBConnection } from '@duckdb/node-api';
import { COSTLY } from './concurrent-calls.ts';
import type { SessionCall } from './keeper-wire.ts';

const TIMES = {
  /** A statement that takes more processor time is large; on a busy machine a small one may last long. */
  smallMs: 100,
  /** One that lasts longer is large, too: it may wait for files, and threads wait beside each other. */
  slowMs: 500,
  lookMs: 50,
  /** How long they stay when nothing needs them. */
  keptMs: 1_000,
};

export class KeeperThreads {
  readonly #connection: DuckDBConnection;
  /** DuckDB's `threads`; 1 where there is nothing to decide. */
  readonly #count: number;
  readonly #times: typeof TIMES;
  #calls = 0;
  #areUp = false;
  #neededAt = 0;
  #change: Promise<unknown> = Promise.resolve();
  /** While they end, calls wait: see `#end`. */
  #ending: Promise<unknown> | undefined;

  private constructor(connection: DuckDBConnection, count: number, times: typeof TIMES) {
    this.#connection = connection;
    this.#count = count;
    this.#times = times;
  }

  /** Ends those that there are. On a connection of its own: others may be busy when they are needed. */
  static async of(connection: DuckDBConnection, times = TIMES): Promise<KeeperThreads> {
    const found = await connection.runAndReadAll(
      "SELECT current_setting('threads'), current_setting('external_threads')",
    );
    const [count = 1, external = 1] = (found.getRows()[0] ?? []).map(Number);
    // The connection's options may say how many there are.
    const threads = new KeeperThreads(connection, external === 1 ? count : 1, times);
    if (threads.#count > 1) await threads.#set(count);
    return threads;
  }

  /** A call begins, and ends with the function that is answered. */
  async enter(kind: SessionCall['kind']): Promise<() => void> {
    while (this.#ending !== undefined) await this.#ending;
    this.#calls++;
    // A person may wait for this answer.
    if (kind === 'read') this.#need();
    const look = COSTLY.has(kind) ? setInterval(this.#looker(), this.#times.lookMs) : undefined;
    return () => {
      clearInterval(look);
      if (--this.#calls === 0) this.#endWhenIdle();
    };
  }

  async close(): Promise<void> {
    await this.#change;
    this.#connection.closeSync();
  }

  /** Looks whether a call that begins now is large. */
  #looker(): () => void {
    const began = performance.now();
    const cpu = process.cpuUsage();
    return () => {
      // With a caller for each core, more threads have no core to run on.
      if (this.#calls >= this.#count) return;
      const { user, system } = process.cpuUsage(cpu);
      const isLarge = (user + system) / 1_000 > this.#calls * this.#times.smallMs;
      if (isLarge || performance.now() - began > this.#times.slowMs) this.#need();
    };
  }

  #need(): void {
    this.#neededAt = performance.now();
    if (this.#areUp || this.#count === 1) return;
    this.#areUp = true;
    this.#set(1);
  }

  #endWhenIdle(): void {
    if (!this.#areUp || this.#calls > 0) return;
    const left = this.#neededAt + this.#times.keptMs - performance.now();
    if (left > 0) setTimeout(() => this.#endWhenIdle(), left).unref();
    else this.#end();
  }

  /** Never while a call runs: DuckDB waits until its threads have done what they are at, and all other statements wait with it. */
  #end(): void {
    this.#areUp = false;
    const ending = this.#set(this.#count).then(() => {
      this.#ending = undefined;
    });
    this.#ending = ending;
  }

  /** A failure is ignored here: DuckDB refuses this only when it refuses every statement, and each caller gets that error. */
  #set(external: number): Promise<unknown> {
    this.#change = this.#change
      .then(() => this.#connection.run(`SET GLOBAL external_threads = ${external}`))
      .catch(() => undefined);
    return this.#change;
  }
}
