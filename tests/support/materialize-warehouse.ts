/** A project's models on a DuckDB: written batch by batch, as the runtime does it, without state or ledger. In this process, which is quick, or through a keeper. */
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { duckdbEngine } from '../../src/adapters/engines/duckdb/duckdb-connection.ts';
import {
  alterSql,
  createSchemaSql,
  createTableSql,
  dropSchemaSql,
  dropSql,
  insertSql,
  mergeSql,
  removeSql,
  replaceTableSql,
  replaceViewSql,
} from '../../src/adapters/engines/duckdb/duckdb-dialect.ts';
import { contextOfApplied } from '../../src/compiler/render/applied-context.ts';
import type { TableSource } from '../../src/compiler/render/render-snapshot.ts';
import { snapshotContent } from '../../src/compiler/render/snapshot-content.ts';
import type { CompileContext } from '../../src/compiler/resolve/compile-context.ts';
import type { Answer, Engine, WriteSession } from '../../src/domain/engine.ts';
import { failure } from '../../src/domain/failure.ts';
import {
  physicalRelation,
  quarantineRelation,
  relationSql,
  relationText,
} from '../../src/domain/relation.ts';
import type { SnapshotContent } from '../../src/domain/snapshot.ts';
import type { UserCode } from '../../src/domain/user-code.ts';
import { type RangeSet, type TimeRange, unionRanges } from '../../src/foundation/time/ranges.ts';
import { auditTable } from '../../src/runtime/execute/audit-table.ts';
import type { Batch } from '../../src/runtime/execute/batch.ts';
import type { AuditOutcome } from '../../src/runtime/execute/run-audits.ts';
import { type BatchResult, writeBatch } from '../../src/runtime/execute/write-batch.ts';
import { temporaryProject } from './temporary-project.ts';

export const NO_USER_CODE: UserCode = {
  functions: async () => ({ functions: [], problems: [] }),
  call: async () => ({ ok: false, problem: { kind: 'cannot-load', file: '', message: 'no user code here' } }),
  close: async () => {},
};

export interface Warehouse {
  readonly folder: string;
  /** Calls on write sessions since the last time, in order. */
  takeSent(): readonly string[];
  /** From now on, calls on write sessions fail after so many. */
  failAfter(calls: number): void;
  execute(sql: string): Promise<void>;
  rows(sql: string): Promise<readonly (readonly unknown[])[]>;
  /** SQL of a model's physical table, or of its quarantine. */
  table(model: string): string;
  quarantine(model: string): string;
  content(model: string): SnapshotContent;
  /** Writes a batch in a transaction that is kept unless a blocking audit or an error forbids it. */
  write(model: string, options?: WriteOptions): Promise<BatchResult>;
  audit(model: string, range?: TimeRange): Promise<AuditOutcome>;
  /** Takes over the project's files as they are changed by now; tables stay. */
  change(files: Readonly<Record<string, string>>): Promise<void>;
  close(): Promise<void>;
}

export type WriteOptions = Partial<
  Pick<Batch, 'range' | 'executionTime' | 'isEmpty' | 'isRestatement' | 'runId' | 'isFirst'>
>;

export const day = (text: string): number => Date.parse(`${text}T00:00:00Z`);
export const days = (from: string, to: string): TimeRange => ({ start: day(from), end: day(to) });
const WHOLE = days('2024-01-01', '2024-01-02');
const VERSION = 'v1';

/** A DuckDB in this process behind the port: the SQL is the adapter's own, the keeper is left out. */
async function inProcessEngine(folder: string): Promise<Engine> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run("SET TimeZone = 'UTC'");
  await connection.run(`SET file_search_path = '${folder}'`);

  async function query(sql: string): Promise<Answer> {
    try {
      const reader = await connection.runAndReadAll(sql);
      const names = reader.columnNames();
      const types = reader.columnTypes();
      return {
        columns: names.map((name, i) => ({ name, type: String(types[i]) })),
        rows: reader.getRowsJson() as readonly (readonly unknown[])[],
      };
    } catch (error) {
      const detail = (error as Error).message;
      throw failure('engine.statement-failed', { detail }, { cause: error });
    }
  }
  const count = async (sql: string): Promise<number> => Number((await query(sql)).rows[0]?.[0] ?? 0);

  /** Calls are queued, and after one failed the rest is refused, as the port says. */
  function newSession(): WriteSession {
    let last: Promise<unknown> = Promise.resolve();
    const queued = <Value>(work: () => Promise<Value>): Promise<Value> => {
      const next = last.then(work);
      last = next;
      next.catch(() => {});
      return next;
    };
    const run = (sql: string) => queued(() => query(sql).then(() => undefined));
    const each = (list: readonly string[]) => queued(async () => void (await Promise.all(list.map(query))));
    return {
      execute: run,
      query: (sql) => queued(() => query(sql)),
      createSchemas: (schemas) => each(schemas.map(createSchemaSql)),
      replaceTable: (table, text) => queued(() => count(replaceTableSql(table, text))),
      createTable: (table, columns) => run(createTableSql(table, columns)),
      insert: (table, columns, text) => queued(() => count(insertSql(table, columns, text))),
      remove: (table, condition) => queued(() => count(removeSql(table, condition))),
      merge: (table, merge) => queued(() => count(mergeSql(table, merge))),
      replaceViews: (views) => each(views.map((each) => replaceViewSql(each.view, each.query))),
      alterTable: (table, changes) => each(alterSql(table, changes)),
      drop: (relations) => each(relations.map(dropSql)),
      dropSchemas: (schemas) => each(schemas.map(dropSchemaSql)),
      recordLedger: async () => {},
      forgetTables: async () => {},
      recordPromotion: async () => {},
      recordViews: async () => {},
    };
  }

  const unused = (): never => {
    throw new Error('this test engine cannot do that');
  };
  return {
    dialect: 'duckdb',
    capabilities: {
      transactionalDdl: true, scanPacking: 'column', quantileLists: true, transactionalDml: true, merge: true, materializedViews: false, comments: true, catalogs: true, concurrency: 1,
    }, // biome-ignore format: a table
    query,
    columnsOf: async (relations) => {
      const found = new Map<string, Answer['columns']>();
      for (const relation of relations) {
        const { rows } = await query(
          `SELECT column_name, data_type FROM information_schema.columns WHERE table_schema = '${relation.schema}' AND table_name = '${relation.name}' ORDER BY ordinal_position`,
        );
        if (rows.length > 0)
          found.set(
            relationText(relation),
            rows.map(([name, type]) => ({ name: String(name), type: String(type) })),
          );
      }
      return found;
    },
    prepare: unused,
    inspect: unused,
    read: unused,
    dataVersions: unused,
    dataVersionSql: unused,
    async write(_, work) {
      await query('BEGIN');
      try {
        const result = await work(newSession());
        await query('COMMIT');
        return result;
      } catch (error) {
        await query('ROLLBACK');
        throw error;
      }
    },
    raiseFences: unused,
    newestTokens: unused,
    relations: unused,
    occupants: unused,
    viewDifferences: unused,
    readersOf: unused,
    ledger: unused,
    promotionOf: unused,
    promotions: unused,
    identity: unused,
    checkUsable: unused,
    async close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

/** Carries the result of a write that is rolled back. */
class Blocked extends Error {
  readonly result: BatchResult;
  constructor(result: BatchResult) {
    super('blocked');
    this.result = result;
  }
}

export async function openWarehouse(
  files: Readonly<Record<string, string>>,
  {
    variables = {},
    isKept = false,
  }: { readonly variables?: Readonly<Record<string, string>>; readonly isKept?: boolean } = {},
): Promise<Warehouse> {
  const project = temporaryProject(files);
  const engine = isKept
    ? await duckdbEngine({ database: join(project.folder, 'w.duckdb'), folder: project.folder, idleMs: 50 })
    : await inProcessEngine(project.folder);
  let sent: string[] = [];
  let left = Number.POSITIVE_INFINITY;
  const contents = new Map<string, SnapshotContent>();
  const filled = new Map<string, RangeSet>();
  const execute = (sql: string): Promise<void> => engine.write([], (session) => session.execute(sql));
  /** Writes down what is called, in order; fails where that is wanted. */
  const watched = (session: WriteSession): WriteSession =>
    new Proxy(session, {
      get: (target, name) => {
        const method = target[name as keyof WriteSession] as (...given: readonly unknown[]) => unknown;
        return (...given: readonly unknown[]) => {
          sent.push(`${String(name)} ${JSON.stringify(given)}`);
          if (left-- <= 0) return Promise.reject(new Error(`${String(name)} fails`));
          return method(...given);
        };
      },
    });

  async function load(): Promise<void> {
    const loaded = await project.load(variables);
    const errors = loaded.diagnostics.filter(({ severity }) => severity === 'error');
    if (errors.length > 0) throw new Error(errors.map((each) => `${each.code} ${each.message}`).join('\n'));
    contents.clear();
    // Through JSON, as state keeps it.
    for (const model of loaded.project.models)
      contents.set(model.name, JSON.parse(JSON.stringify(await snapshotContent(model, loaded, {}))));
    for (const { model } of contents.values())
      if (model.kind.kind !== 'external')
        await engine.write([], (session) =>
          session.createSchemas([physicalRelation({ model: model.name, version: VERSION })]),
        );
  }

  const compileContext = (content: SnapshotContent): CompileContext =>
    contextOfApplied(content.applied, {
      environment: 'prod',
      userCode: NO_USER_CODE,
      userFunctions: [],
      variables,
    });
  const contentOf = (model: string): SnapshotContent => {
    const found = contents.get(model);
    if (found === undefined) throw new Error(`no model ${model}`);
    return found;
  };
  const tableOf = (model: string): TableSource | undefined => {
    const content = contents.get(model);
    if (content === undefined || content.model.kind.kind === 'external') return undefined;
    return content.model.kind.kind === 'embedded'
      ? { content, compileContext: compileContext(content) }
      : physicalRelation({ model, version: VERSION });
  };

  await load();
  sent = [];
  return {
    folder: project.folder,
    takeSent() {
      const taken = sent;
      sent = [];
      return taken;
    },
    failAfter(calls) {
      left = calls;
    },
    execute,
    rows: async (sql) => (await engine.query(sql)).rows,
    table: (model) => relationSql(physicalRelation({ model, version: VERSION }), 'duckdb'),
    quarantine: (model) => relationSql(quarantineRelation({ model, version: VERSION }), 'duckdb'),
    content: contentOf,
    async write(model, options = {}) {
      const content = contentOf(model);
      const range = options.range ?? WHOLE;
      const before = filled.get(model) ?? [];
      try {
        const result = await engine.write([], async (session) => {
          const written = await writeBatch(watched(session), engine, {
            content,
            compileContext: compileContext(content),
            table: { model, version: VERSION },
            executionTime: range.end,
            environment: 'prod',
            runId: 'run-1',
            token: 1,
            tableOf,
            shown: async () => ({ has: () => false }),
            isEmpty: false,
            isRestatement: false,
            filled: before,
            isFirst: before.length === 0,
            ...options,
            range,
          });
          if (written.failed !== undefined) throw new Blocked(written);
          return written;
        });
        filled.set(model, unionRanges(before, [range]));
        return result;
      } catch (error) {
        if (error instanceof Blocked) return error.result;
        throw error;
      }
    },
    audit: (model, range) =>
      auditTable((sql) => engine.query(sql), engine, {
        content: contentOf(model),
        compileContext: compileContext(contentOf(model)),
        table: { model, version: VERSION },
        executionTime: WHOLE.end,
        tableOf,
        ...(range === undefined ? {} : { range }),
      }),
    async change(more) {
      project.write(more);
      await load();
    },
    async close() {
      await engine.close();
      project.delete();
    },
  };
}
