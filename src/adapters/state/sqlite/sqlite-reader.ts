/*
 * A second connection to the file, on the caller's thread, which only reads. What every request asks (whose is this token?)
 * takes some microseconds here; the way to the thread of the store and back takes ten times as long, and its messages alone
 * more time of this thread than the answer. In WAL mode a reader neither waits for a writer nor holds one up, and it sees
 * whatever any process has committed before it began: who is revoked is revoked at once.
 */
import { type OperationName, operationSteps } from '../sql/operations.ts';
import { drive, openReader, type StateDatabase } from './database.ts';

/** Reads that find a row or a few by a key. */
const QUICK: ReadonlySet<OperationName> = new Set([
  'tokenOwner',
  'token',
  'principalNamed',
  'statement',
  'result',
  'currentPromotion',
]);
const KEPT_MAX = 1_000;

export class SqliteReader {
  readonly #file: string;
  #database: StateDatabase | undefined;
  #isClosed = false;
  /** By what is asked: answers that are kept until something is committed that may change them. */
  readonly #kept: Readonly<Partial<Record<OperationName, KeptAnswers>>>;

  constructor(file: string) {
    this.#file = file;
    const access = new KeptAnswers('SELECT revision FROM access_revision');
    // Differs from before when another connection, of whatever process, has committed anything; SQLite promises it.
    const any = new KeptAnswers('PRAGMA data_version');
    this.#kept = { tokenOwner: access, token: access, principalNamed: access, statement: any };
  }

  /** The answer; undefined when it is not one to be given here, or cannot be: then the store is asked, which says what is wrong. */
  answer(name: OperationName, given: readonly unknown[]): { readonly value: unknown } | undefined {
    if (this.#isClosed || !QUICK.has(name)) return undefined;
    try {
      this.#database ??= openReader(this.#file);
      return this.#kept[name]?.of(this.#database, name, given) ?? read(this.#database, name, given);
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
    for (const kept of Object.values(this.#kept)) kept.clear();
    this.#database?.close();
    this.#database = undefined;
  }
}

class KeptAnswers {
  readonly #versionSql: string;
  #version: unknown;
  readonly #answers = new Map<string, { readonly value: unknown }>();

  constructor(versionSql: string) {
    this.#versionSql = versionSql;
  }

  of(database: StateDatabase, name: OperationName, given: readonly unknown[]): { readonly value: unknown } {
    // Before the read: what is committed in between makes the next version differ from this one.
    const [version] = Object.values(database.row(this.#versionSql) ?? {});
    if (version !== this.#version || this.#answers.size >= KEPT_MAX) this.clear();
    this.#version = version;
    const key = JSON.stringify([name, ...given]);
    const answer = this.#answers.get(key) ?? read(database, name, given);
    this.#answers.set(key, answer);
    return answer;
  }

  clear(): void {
    this.#answers.clear();
  }
}

function read(
  database: StateDatabase,
  name: OperationName,
  given: readonly unknown[],
): { readonly value: unknown } {
  database.run('BEGIN');
  const value = drive(operationSteps(database.state, name, given));
  database.run('COMMIT');
  return { value };
}
