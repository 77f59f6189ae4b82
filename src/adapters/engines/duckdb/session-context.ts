import type { DuckDBConnection } from '@duckdb/node-api';
import type { ActiveWriters } from './active-writers.ts';
import type { Fatality } from './duckdb-errors.ts';
import type { FileRules } from './file-rules.ts';
import type { KeeperFences } from './keeper-fences.ts';
import type { KeeperThreads } from './keeper-threads.ts';
import type { KeeperVersions } from './keeper-versions.ts';
import type { WireError } from './keeper-wire.ts';

/** What the sessions of a keeper share. */
export interface SessionContext {
  readonly fences: KeeperFences;
  readonly versions: KeeperVersions;
  readonly writers: ActiveWriters;
  readonly threads: KeeperThreads;
  /** Absent: all files are open. */
  readonly files?: FileRules;
  connect(): Promise<DuckDBConnection>;
  /** Takes a connection back; one that users' statements have touched is closed. */
  giveBack(connection: DuckDBConnection, isTouched: boolean): void;
  /** Makes the bookkeeping tables of catalogs, once; also waits until the fences of earlier keepers are known. */
  prepareBooks(catalogs: readonly string[]): Promise<void>;
  /** Functions and macros that the warehouse defines itself, until `forgetFunctions`. */
  ownFunctions(): Promise<ReadonlySet<string>>;
  forgetFunctions(): void;
  /** The failure as the client gets it; fatal ones end the keeper. */
  handleFailure(error: WireError, fatality?: Fatality): WireError;
}
