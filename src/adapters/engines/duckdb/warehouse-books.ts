/*
 * The bookkeeping in the warehouse: tokens and versions of tables, its identity, its own functions. One connection does it, one thing
 * after the other, beside the sessions:
 *
 *   constructed ─▶ books are read ─▶ prepare · identity · versions read again · functions, each after the one before
 */
import type { DuckDBConnection } from '@duckdb/node-api';
import type { Answer } from '../../../domain/engine.ts';
import { WAREHOUSE } from './duckdb-config.ts';
import { textSql } from './duckdb-dialect.ts';
import {
  bookSql,
  booksOf,
  booksSql,
  catalogsWithSql,
  createBooksSql,
  IDENTITY,
  LEDGER,
  VIEWS,
} from './duckdb-ledger.ts';
import { KeeperFences } from './keeper-fences.ts';
import { KeeperVersions } from './keeper-versions.ts';

export class WarehouseBooks {
  readonly fences = new KeeperFences();
  readonly versions: KeeperVersions;
  readonly #connection: DuckDBConnection;
  readonly #isReadOnly: boolean;
  readonly #loaded: Promise<void>;
  /** Catalogs whose books are there. */
  readonly #made = new Set<string>();
  #chain: Promise<unknown>;
  #functions: Promise<ReadonlySet<string>> | undefined;

  constructor(connection: DuckDBConnection, isReadOnly: boolean) {
    this.#connection = connection;
    this.#isReadOnly = isReadOnly;
    this.#loaded = this.#load();
    this.#chain = this.#loaded.catch(() => undefined);
    this.versions = new KeeperVersions(
      this.#loaded,
      async () => (await this.#queued(() => this.#read())).versions,
    );
  }

  /** The books of these catalogs are there, and what was to be written before is written. */
  async prepare(catalogs: readonly string[]): Promise<void> {
    await this.#loaded;
    if (catalogs.some((catalog) => !this.#made.has(catalog))) await this.#queued(() => this.#make(catalogs));
    else await this.#chain;
  }

  /** Names of functions that the warehouse defines itself. */
  ownFunctions(): Promise<ReadonlySet<string>> {
    this.#functions ??= this.#readFunctions();
    return this.#functions;
  }

  forgetFunctions(): void {
    this.#functions = undefined;
  }

  /** The id of the warehouse, which is the proposed one if it has none yet, and whether a ledger has rows. */
  identity(proposed: string): Promise<Answer> {
    return this.#queued(async () => {
      await this.#make([WAREHOUSE]);
      const ids = bookSql(WAREHOUSE, IDENTITY);
      const catalogs = await this.#catalogsWith(LEDGER);
      let hasLedger = false;
      for (const catalog of catalogs)
        hasLedger ||= (await this.#rows(`SELECT 1 FROM ${bookSql(catalog, LEDGER)} LIMIT 1`)).length > 0;
      const [known] = catalogs.includes(WAREHOUSE) ? await this.#rows(`SELECT id FROM ${ids}`) : [];
      if (known === undefined && !this.#isReadOnly)
        await this.#connection.run(`INSERT INTO ${ids} VALUES (${textSql(proposed)})`);
      return {
        columns: [
          { name: 'id', type: 'VARCHAR' },
          { name: 'has_ledger', type: 'BOOLEAN' },
        ],
        rows: [[known?.[0] ?? proposed, hasLedger]],
      };
    });
  }

  /** When nothing is left to do. */
  async written(): Promise<void> {
    await this.#chain;
  }

  #queued<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#chain.then(work, work);
    this.#chain = result.catch(() => undefined);
    return result;
  }

  async #load(): Promise<void> {
    const books = await this.#read();
    this.fences.load(books.tokens);
    this.versions.load(books.versions);
  }

  async #read(): Promise<ReturnType<typeof booksOf>> {
    const [ledgers, views] = [await this.#catalogsWith(LEDGER), await this.#catalogsWith(VIEWS)];
    return booksOf(ledgers.length + views.length === 0 ? [] : await this.#rows(booksSql(ledgers, views)));
  }

  async #make(catalogs: readonly string[]): Promise<void> {
    for (const catalog of catalogs) {
      if (this.#made.has(catalog) || this.#isReadOnly) continue;
      for (const statement of createBooksSql(catalog)) await this.#connection.run(statement);
      this.#made.add(catalog);
    }
  }

  async #readFunctions(): Promise<ReadonlySet<string>> {
    const rows = await this.#queued(() =>
      this.#rows(
        'SELECT DISTINCT system.main.lower(function_name) FROM system.main.duckdb_functions() WHERE NOT internal',
      ),
    );
    return new Set(rows.map(([name]) => String(name)));
  }

  async #catalogsWith(book: string): Promise<readonly string[]> {
    return (await this.#rows(catalogsWithSql(book))).map(([name]) => String(name));
  }

  async #rows(sql: string): Promise<readonly (readonly unknown[])[]> {
    return (await this.#connection.runAndReadAll(sql)).getRowsJson() as readonly (readonly unknown[])[];
  }
}
