import { zstdCompressSync } from 'node:zlib';
import {
  type Answer,
  type ColumnChange,
  randomDataVersion,
  type WriteSession,
} from '../../../domain/engine.ts';
import { splitModelName } from '../../../domain/model-name.ts';
import { type TableId, tableKey } from '../../../domain/relation.ts';
import { WAREHOUSE } from './duckdb-config.ts';
import {
  alterSql,
  commentSql,
  createSchemaSql,
  createTableSql,
  dropSchemaSql,
  dropSql,
  insertSql,
  ledgerInsertSql,
  mergeSql,
  removeSql,
  replaceTableSql,
  replaceViewSql,
  tableComments,
  tableIdsSql,
  textSql,
} from './duckdb-dialect.ts';
import { bookSql, LEDGER, PROMOTIONS, RECORDS, VIEWS } from './duckdb-ledger.ts';
import type { CallAnswer, LedgerInsert, ReadBack, SessionCall } from './keeper-wire.ts';

/** Sends a call to the session's queue; rejects with failures. */
export type AskSession = (call: SessionCall) => Promise<CallAnswer>;

/** The catalog whose bookkeeping speaks of a table. */
export function catalogOf({ model }: TableId): string {
  return splitModelName(model).catalog ?? WAREHOUSE;
}

/** What goes with a commit: the last statements, and what must be there afterwards. */
export interface Ending {
  readonly ledger: LedgerInsert[];
  readonly readBacks: ReadBack[];
  /** What it does to data versions. */
  readonly recorded: { readonly table: string; readonly dataVersion: string }[];
  readonly forgotten: string[];
}

/** The writing half over a session's queue. Ledger rows wait for the commit, unless more statements come after them. */
export function duckdbWriteSession(
  send: AskSession,
  { ledger, readBacks, recorded, forgotten }: Ending,
  { hasComments }: { readonly hasComments: boolean },
): WriteSession {
  const commentsOf: typeof commentSql = (...given) => (hasComments ? commentSql(...given) : []);
  const ask: AskSession = (call) => {
    for (const { sql, catalog } of ledger.splice(0))
      send({ kind: 'run', sql, books: [catalog] }).catch(() => undefined);
    return send(call);
  };
  const run = async (sql: string, books?: readonly string[]): Promise<number> =>
    Number(await ask({ kind: 'run', sql, ...(books === undefined ? {} : { books }) }));
  /** All are sent at once; the first that fails is the answer. */
  const runAll = async (statements: readonly string[]): Promise<void> => {
    await Promise.all(statements.map((statement) => run(statement)));
  };
  /** Statements without an answer of interest go as one text: one trip to DuckDB for a thousand views. */
  const runJoined = async (statements: readonly string[]): Promise<void> => {
    if (statements.length > 0) await run(statements.join(';\n'));
  };

  const session: WriteSession = {
    async execute(sql) {
      await ask({ kind: 'run', sql, isForeign: true });
    },
    query: async (sql) => (await ask({ kind: 'query', sql })) as Answer,
    createSchemas: (schemas) => runJoined(schemas.map(createSchemaSql)),
    async replaceTable(table, query, layout) {
      const rows = run(replaceTableSql(table, query));
      await Promise.all([rows, runAll(commentsOf('TABLE', table, { own: layout?.comment }))]);
      return rows;
    },
    createTable: (table, columns, layout) =>
      runAll([createTableSql(table, columns), ...commentsOf('TABLE', table, tableComments(columns, layout))]),
    insert: (table, columns, query) => run(insertSql(table, columns, query)),
    remove: (table, condition) => run(removeSql(table, condition)),
    merge: (table, merge) => run(mergeSql(table, merge)),
    replaceViews: (views) =>
      runJoined(
        views.flatMap(({ view, query, comment, columnComments }) => [
          replaceViewSql(view, query),
          ...commentsOf('VIEW', view, { own: comment, columns: columnComments }),
        ]),
      ),
    alterTable: (table, changes) =>
      runAll(alterSql(table, hasComments ? changes : changes.map(withoutComment))),
    drop: (relations) => runJoined(relations.map(dropSql)),
    dropSchemas: (schemas) => runJoined(schemas.map(dropSchemaSql)),
    async recordLedger(rows) {
      recorded.push(...rows.map(({ table, dataVersion }) => ({ table: tableKey(table), dataVersion })));
      for (const [catalog, own] of Map.groupBy(rows, ({ table }) => catalogOf(table))) {
        const book = bookSql(catalog, LEDGER);
        const versions = own.map(({ dataVersion }) => String(BigInt(dataVersion)));
        readBacks.push({
          sql: `SELECT count(*) FROM ${book} WHERE data_version IN (${versions.join(', ')})`,
          count: own.length,
        });
        ledger.push({ sql: ledgerInsertSql(book, own), catalog });
      }
    },
    async forgetTables(tables) {
      forgotten.push(...tables.map(tableKey));
      for (const [catalog, own] of Map.groupBy(tables, catalogOf))
        await run(`DELETE FROM ${bookSql(catalog, LEDGER)} WHERE (model, version) IN (${tableIdsSql(own)})`, [
          catalog,
        ]);
    },
    async recordViews(views) {
      const rows = views.map((table) => ({ table, dataVersion: randomDataVersion() }));
      recorded.push(...rows.map(({ table, dataVersion }) => ({ table: tableKey(table), dataVersion })));
      for (const [catalog, own] of Map.groupBy(rows, ({ table }) => catalogOf(table))) {
        const values = own.map(
          ({ table: { model, version }, dataVersion }) =>
            `(${textSql(model)}, ${textSql(version)}, ${dataVersion})`,
        );
        await run(`INSERT INTO ${bookSql(catalog, VIEWS)} VALUES ${values.join(', ')}`, [catalog]);
      }
    },
    async recordPromotion(environment, promotionId, record) {
      const records = bookSql(WAREHOUSE, RECORDS);
      const packed = record === undefined ? undefined : zstdCompressSync(record).toString('base64');
      const promotions = bookSql(WAREHOUSE, PROMOTIONS);
      const row = `environment = ${textSql(environment)}`;
      readBacks.push({
        sql: `SELECT count(*) FROM ${promotions} WHERE ${row} AND promotion_id = ${textSql(promotionId)}`,
        count: 1,
      });
      await Promise.all([
        run(`DELETE FROM ${promotions} WHERE ${row}`, [WAREHOUSE]),
        run(`INSERT INTO ${promotions} VALUES (${textSql(environment)}, ${textSql(promotionId)})`),
        run(`DELETE FROM ${records} WHERE ${row}`),
        ...(packed === undefined
          ? []
          : [
              run(
                `INSERT INTO ${records} VALUES (${textSql(environment)}, ${textSql(promotionId)}, from_base64('${packed}'))`,
              ),
            ]),
      ]);
    },
  };
  return quietly(session);
}

function withoutComment(change: ColumnChange): ColumnChange {
  if (change.kind !== 'add') return change;
  const { name, type } = change.column;
  return { kind: 'add', column: { name, type } };
}

/** Callers may send without looking at each answer: a failure then shows at the commit, not as a crash of the process. */
function quietly(session: WriteSession): WriteSession {
  const methods = Object.entries(session).map(([name, method]) => [
    name,
    (...given: readonly unknown[]): Promise<unknown> => {
      const answer = (method as (...given: readonly unknown[]) => Promise<unknown>)(...given);
      answer.catch(() => undefined);
      return answer;
    },
  ]);
  return Object.fromEntries(methods) as WriteSession;
}
