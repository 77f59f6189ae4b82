/*
 * A second connection to the file, on the caller's thread, which only reads. What every request asks (whose is this token?)
 * takes some microseconds here; the way to the thread of the store and back takes ten times as long, and its messages alone
 * more time of this thread than the answer. In WAL mode a reader neither waits for a writer nor holds one up, and it sees
 * whatever any process has committed before it began: who is revoked is revoked at once.
 */
import { openReader, type StateDatabase } from './database.ts';
import { type OperationName, perform } from './operations.ts';

/** Reads that find a row or a few by a key. */
const QUICK: ReadonlySet<OperationName> = new Set(['tokenOwner', 'principalNamed', 'statement', 'result']);

export class StateReader {
  readonly #file: string;
  #database: StateDatabase | undefined;
  #isClosed = false;

  constructor(file: string) {
    this.#file = file;
  }

  /** The answer; undefined when it is not one to be given here, or cannot be: then the store is asked, which says what is wrong. */
  answer(name: OperationName, given: readonly unknown[]): { readonly value: unknown } | undefined {
    if (this.#isClosed || !QUICK.has(name)) return undefined;
    try {
      this.#database ??= openReader(this.#file);
      this.#database.run('BEGIN');
      const value = perform(this.#database, name, given);
      this.#database.run('COMMIT');
      return { value };
    } catch {
      this.#leave();
      return undefined;
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#leave();
  }

  #leave(): void {
    this.#database?.close();
    this.#database = undefined;
  }
}
