import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  Answer,
  CallOptions,
  Engine,
  EngineCapabilities,
  Fence,
  InspectedSql,
} from '../../../domain/engine.ts';
import { Failure, failure } from '../../../domain/failure.ts';
import { relationText, type TableId, tableKey } from '../../../domain/relation.ts';
import { makePrivateFolder } from '../../../foundation/private-files.ts';
import {
  attachedFiles,
  type DuckdbOptions,
  keeperSettings,
  temporaryFolder,
  WAREHOUSE,
} from './duckdb-config.ts';
import { textSql } from './duckdb-dialect.ts';
import { checkFile, type FileIdentity, fileIdentity, refuseQuestionMarks } from './duckdb-file.ts';
import {
  bookSql,
  catalogsWithSql,
  dataVersionsSql,
  LEDGER,
  type LedgerRequest,
  PROMOTIONS,
  promotionsOf,
  promotionsSql,
  RECORDS,
  summariesOf,
  summariesSql,
  versionTextSql,
} from './duckdb-ledger.ts';
import { keyOf, occupantsOf, occupantsSql } from './duckdb-names.ts';
import { duckdbReading } from './duckdb-reading.ts';
import { catalogOf, duckdbWriteSession, type Ending } from './duckdb-write-session.ts';
import type { KeeperClient } from './keeper-client.ts';
import { joinKeeper, socketPath } from './keeper-start.ts';
import type { CallAnswer, SessionCall, WireFence } from './keeper-wire.ts';
import { unlessAborted } from './unless-aborted.ts';
import { ALL_VIEWS_SQL, columnDifferencesSql, readersOf, viewDifferences } from './view-differences.ts';

const CANCEL_MS = 2_000;
/** Questions of ours are small, and rarely under way when a keeper is lost. */
const REPEATS_MAX = 3;
/** Memory that statements of others have taken is free again before long: they end, are stopped, or give way. */
const LACKS_MAX = 12;
const LACK_PAUSE_MS_MAX = 1_000;
/** What Linux takes, the keeper's further files beside it included. */
const PATH_MAX = 4_000;

const CAPABILITIES: EngineCapabilities = {
  transactionalDdl: true,
  scanPacking: 'column',
  quantileLists: true,
  transactionalDml: true,
  merge: true,
  materializedViews: false,
  comments: true,
  catalogs: true,
  ownCatalog: WAREHOUSE,
  concurrency: 4,
};

/**
 * DuckDB through the keeper of its file. Fails when the file cannot be opened; when the keeper is lost later, the calls under way
 * fail with `engine.lost` and the next call joins or starts another.
 */
export async function duckdbEngine(given: DuckdbOptions): Promise<Engine> {
  const options = { ...given, folder: realpathSync(given.folder) };
  const database = databaseOf(options);
  makeFolder(dirname(temporaryFolder(options, database)), database);
  const settings = {
    ...keeperSettings(options, database),
    ...(database === ':memory:' ? {} : { socket: socketPath(database) }),
  };
  const attached = attachedFiles(options, database);
  for (const { path } of attached) refuseQuestionMarks(path);
  const catalogCount = 1 + settings.statements.filter((statement) => statement.startsWith('ATTACH ')).length;
  const cancelMs = options.cancelMs ?? CANCEL_MS;
  const hasComments = options.hasComments ?? true;
  let lost: number | undefined;
  /** The file that the keeper has open: one that was deleted stays open, and what is written to it is lost. */
  let opened: FileIdentity | undefined;
  const joinNow = async (): Promise<KeeperClient> => {
    const mayMake = options.mayMake ?? (async () => true);
    if (database !== ':memory:' && !existsSync(database))
      if (opened !== undefined || !(await mayMake())) throw failure('engine.warehouse-gone', { database });
    for (const { catalog, path } of attached)
      if (!existsSync(path) && !(await mayMake(catalog)))
        throw failure('engine.warehouse-gone', { database: path });
    const keeper = await joinKeeper(settings, { who: options.who ?? 'plinth', lost });
    opened = await fileIdentity(database);
    return keeper;
  };
  let joined: Promise<KeeperClient> | undefined = joinNow();
  // The first caller gets the failure of a lazy opening; until then no call waits for it.
  if (options.isLazy === true) joined.catch(() => undefined);
  else await joined;
  let isClosed = false;

  /** The keeper's client; a lost one is replaced, by one attempt for all who ask. A failed attempt fails all calls that waited for it. */
  async function client(): Promise<KeeperClient> {
    if (isClosed) throw failure('engine.lost', { detail: 'the connection was closed' });
    joined ??= joinNow();
    const current = joined;
    try {
      const known = await current;
      if (!known.isLost) return known;
      lost = known.pid;
    } catch (error) {
      if (joined === current) joined = undefined;
      throw error;
    }
    if (joined === current) joined = undefined;
    return client();
  }

  /** Works on a session of its own; an abort interrupts it, and kills the keeper when that is not obeyed. */
  async function inSession<Result>(
    signal: AbortSignal | undefined,
    work: (ask: (call: SessionCall) => Promise<CallAnswer>, stop: () => void) => Promise<Result>,
  ): Promise<Result> {
    const cancelled = (): Error => failure('engine.cancelled', {});
    const keeper = await unlessAborted(client(), signal);
    const session = keeper.takeSession();
    let kill: NodeJS.Timeout | undefined;
    let open = 0;
    const ask = async (call: SessionCall): Promise<CallAnswer> => {
      if (signal?.aborted && call.kind !== 'rollback') throw cancelled();
      open++;
      try {
        return await keeper.call(session, call);
      } catch (error) {
        // A commit that was not answered may have happened: it stays lost, for the ledger to say.
        throw signal?.aborted && keeper.isLost && call.kind !== 'commit' ? cancelled() : error;
      } finally {
        if (--open === 0) clearTimeout(kill);
      }
    };
    const stop = (): void => keeper.cancel(session);
    const abort = (): void => {
      if (open === 0) return;
      stop();
      kill = setTimeout(() => keeper.kill(), cancelMs);
    };
    signal?.addEventListener('abort', abort, { once: true });
    try {
      return await work(ask, stop);
    } finally {
      clearTimeout(kill);
      signal?.removeEventListener('abort', abort);
      keeper.returnSession(session);
    }
  }

  /** What may be done twice is repeated when the keeper is lost, or lacks memory: most likely another statement was to blame. */
  async function repeated<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    let lostTimes = 0;
    let lackTimes = 0;
    while (true) {
      try {
        return await work();
      } catch (error) {
        if (isClosed || signal?.aborted || !(error instanceof Failure && error.isRetryable)) throw error;
        if (error.code === 'engine.lost' && lostTimes++ < REPEATS_MAX) continue;
        if (error.code !== 'engine.out-of-memory' || lackTimes++ >= LACKS_MAX) throw error;
        await sleep(Math.min(25 * 2 ** lackTimes, LACK_PAUSE_MS_MAX));
      }
    }
  }

  /** For what only reads. */
  function repeatedCall(call: SessionCall, signal?: AbortSignal): Promise<CallAnswer> {
    return repeated(() => inSession(signal, (ask) => ask(call)), signal);
  }

  async function ask(call: SessionCall, signal?: AbortSignal): Promise<Answer> {
    return (await repeatedCall(call, signal)) as Answer;
  }

  /** A query of ours: it reads, and its answer is small. */
  function query(sql: string): Promise<Answer> {
    return ask({ kind: 'query', sql });
  }

  async function catalogsWith(table: string): Promise<readonly string[]> {
    return (await query(catalogsWithSql(table))).rows.map(([name]) => String(name));
  }

  /** Catalogs are fixed when a keeper starts, so once all of them have a ledger, they are not asked for again. */
  let ledgers: readonly string[] = [];
  async function ledgerCatalogs(): Promise<readonly string[]> {
    if (ledgers.length < catalogCount) ledgers = await catalogsWith(LEDGER);
    return ledgers;
  }

  return {
    dialect: 'duckdb',
    capabilities: { ...CAPABILITIES, comments: hasComments },
    query: (sql, { signal, rowsMax }: CallOptions = {}) =>
      ask({ kind: 'query', sql, isForeign: true, ...(rowsMax === undefined ? {} : { rowsMax }) }, signal),
    async inspect(sql) {
      return (await repeatedCall({ kind: 'inspect', sql })) as InspectedSql;
    },
    read: (sql, { signal, timeoutMs, isInspected = false, versionsOf } = {}) => {
      const given = {
        cancelMs,
        isInspected,
        ...(versionsOf === undefined ? {} : { versionsOf }),
        ...(signal === undefined ? {} : { signal }),
        ...(timeoutMs === undefined ? {} : { timeoutMs, until: performance.now() + timeoutMs }),
      };
      return duckdbReading(client, sql, given);
    },
    async prepare(sql) {
      return ((await repeatedCall({ kind: 'prepare', sql })) as Answer | null)?.columns;
    },
    write: (fences, work, { signal } = {}) =>
      inSession(signal, async (ask, stop) => {
        const ending: Ending = { ledger: [], readBacks: [], recorded: [], forgotten: [] };
        const catalogs = new Set([WAREHOUSE, ...fences.map(({ table }) => catalogOf(table))]);
        // Not waited for: a refusal is the answer to everything that follows, up to the commit.
        ask({ kind: 'begin', fences: fences.map(wireFence), catalogs: [...catalogs] }).catch(() => undefined);
        try {
          const result = await work(duckdbWriteSession(ask, ending, { hasComments }));
          const { ledger, readBacks: written, ...changes } = ending;
          await ask({ kind: 'commit', ledger, written, changes });
          return result;
        } catch (error) {
          stop();
          // When this fails, too, the keeper is gone and the transaction with it.
          await ask({ kind: 'rollback' }).catch(() => undefined);
          throw error;
        }
      }),
    async raiseFences(fences) {
      await repeated(async () => (await client()).raise(fences.map(wireFence)));
    },
    newestTokens: () => repeated(async () => (await client()).tokens()),
    async columnsOf(relations) {
      if (relations.length === 0) return new Map();
      const wanted = new Map(relations.map((relation) => [keyOf(relation), relationText(relation)]));
      const schemas = [...new Set(relations.map(({ schema }) => textSql(schema.toLowerCase())))];
      const names = [...new Set(relations.map(({ name }) => textSql(name.toLowerCase())))];
      const { rows } = await query(
        `SELECT database_name, schema_name, table_name, column_name, data_type FROM duckdb_columns() WHERE lower(schema_name) IN (${schemas.join(', ')}) AND lower(table_name) IN (${names.join(', ')}) ORDER BY database_name, schema_name, table_name, column_index`,
      );
      const found = new Map<string, { name: string; type: string }[]>();
      for (const [catalog, schema, table, name, type] of rows) {
        const text = wanted.get(
          keyOf({ catalog: String(catalog), schema: String(schema), name: String(table) }),
        );
        if (text === undefined) continue;
        const columns = found.get(text) ?? [];
        columns.push({ name: String(name), type: String(type) });
        found.set(text, columns);
      }
      return found;
    },
    async relations(schemas) {
      const named = schemas.map((schema) => textSql(schema.toLowerCase()));
      const inNamed = named.length === 0 ? 'FALSE' : `lower(schema_name) IN (${named.join(', ')})`;
      const { rows } = await query(
        `SELECT database_name, schema_name, table_name, 'table' FROM duckdb_tables() WHERE starts_with(schema_name, 'plinth__') AND NOT temporary UNION ALL SELECT database_name, schema_name, view_name, 'view' FROM duckdb_views() WHERE (starts_with(schema_name, 'plinth__') OR ${inNamed}) AND NOT internal AND NOT temporary ORDER BY 1, 2, 3`,
      );
      return rows.map(([catalog, schema, name, object]) => ({
        relation: {
          ...(catalog === WAREHOUSE ? {} : { catalog: String(catalog) }),
          schema: String(schema),
          name: String(name),
        },
        object: object === 'view' ? 'view' : 'table',
      }));
    },
    async occupants(relations) {
      if (relations.length === 0) return new Map();
      const { rows } = await query(occupantsSql(relations));
      return occupantsOf(relations, rows);
    },
    async viewDifferences(made) {
      if (made.length === 0) return [];
      const [views, columns] = await Promise.all([
        query(occupantsSql(made.map(({ view }) => view))),
        query(columnDifferencesSql(made)),
      ]);
      const existing = occupantsOf(
        made.map(({ view }) => view),
        views.rows,
      );
      return viewDifferences(made, existing, columns.rows);
    },
    async readersOf(relations) {
      return relations.length === 0 ? new Map() : readersOf(relations, (await query(ALL_VIEWS_SQL)).rows);
    },
    async ledger(request: LedgerRequest = {}) {
      const catalogs = await ledgerCatalogs();
      if (catalogs.length === 0 || request.tables?.length === 0) return [];
      const known = ({ model, version }: TableId, dataVersion: string): boolean =>
        request.known?.get(tableKey({ model, version })) === dataVersion;
      const tables =
        request.tables ??
        (await query(dataVersionsSql(catalogs))).rows
          .filter(
            ([model, version, data]) =>
              !known({ model: String(model), version: String(version) }, String(data)),
          )
          .map(([model, version]) => ({ model: String(model), version: String(version) }));
      if (tables.length === 0) return [];
      const sinces = tables.map((table) => request.since?.get(tableKey(table)));
      const summaries = summariesOf(tables, await query(summariesSql(catalogs, tables, sinces)));
      return summaries.filter(({ table, dataVersion }) => !known(table, dataVersion));
    },
    async dataVersions(tables) {
      if (tables.length === 0) return [];
      return repeated(async () => (await client()).versions(tables.map(tableKey)));
    },
    async dataVersionSql(tables) {
      return tables.length === 0 ? "''" : versionTextSql([...new Set(tables.map(catalogOf))].sort(), tables);
    },
    async promotionOf(environment) {
      if (!(await catalogsWith(PROMOTIONS)).includes(WAREHOUSE)) return undefined;
      const sql = `SELECT promotion_id FROM ${bookSql(WAREHOUSE, PROMOTIONS)} WHERE environment = ${textSql(environment)}`;
      const id = (await query(sql)).rows[0]?.[0];
      return id === undefined ? undefined : String(id);
    },
    async promotions() {
      if (!(await catalogsWith(PROMOTIONS)).includes(WAREHOUSE)) return [];
      return promotionsOf(await query(promotionsSql((await catalogsWith(RECORDS)).includes(WAREHOUSE))));
    },
    async identity(proposed) {
      const { rows } = (await repeated(async () => (await client()).identity(proposed))) as Answer;
      const [id, hasLedger] = rows[0] ?? [];
      return { id: String(id), hasLedger: hasLedger === true };
    },
    async checkUsable() {
      await client();
      await checkFile(database, opened);
      const gone = attached.find(({ path }) => !existsSync(path));
      if (gone !== undefined) throw failure('engine.warehouse-gone', { database: gone.path });
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      // What could not be opened need not be closed; each caller got the reason.
      const last = await joined?.catch(() => undefined);
      await last?.close();
    },
  };
}

function wireFence({ table, token }: Fence): WireFence {
  return { table: tableKey(table), token };
}

/** The real path of the file, so that two ways to it lead to one keeper. With `catalogs`, the first is the connection's own. */
function databaseOf({ database, folder, connection = {} }: DuckdbOptions): string {
  const catalogs = connection['catalogs'];
  const [first] =
    typeof catalogs === 'object' && catalogs !== null && !Array.isArray(catalogs)
      ? Object.values(catalogs)
      : [];
  const named = typeof first === 'string' ? first : database;
  if (named === ':memory:' || named === '') return ':memory:';
  const path = resolve(folder, named);
  if (path.includes('\0') || path.length > PATH_MAX)
    throw failure('engine.cannot-open', {
      database: path.replaceAll('\0', '\\0').slice(0, 200),
      detail: `a path has at most ${PATH_MAX} characters, none of them NUL`,
    });
  makeFolder(dirname(path), path);
  refuseQuestionMarks(path);
  return existsSync(path) ? realpathSync(path) : join(realpathSync(dirname(path)), basename(path));
}

function makeFolder(folder: string, database: string): void {
  try {
    makePrivateFolder(folder);
  } catch (cause) {
    throw failure('engine.cannot-open', { database, detail: String(cause) }, { cause });
  }
}
