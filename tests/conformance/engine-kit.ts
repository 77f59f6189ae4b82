/** What the parts of the engine's suite share. */
import type { Engine, LedgerRow } from '../../src/domain/engine.ts';
import type { Failure } from '../../src/domain/failure.ts';
import { physicalRelation, type Relation, type TableId } from '../../src/domain/relation.ts';

/** One empty warehouse: every `open` is another client of it, as another process would be. */
export interface EngineWarehouse {
  open(): Promise<Engine>;
  /** Kills what executes statements, without a chance to tidy up; absent where that is not ours to kill. */
  killEngine?(): Promise<void>;
  close(): Promise<void>;
}

/** What tests get: a warehouse of their own, a first client, and the words they need most. */
export interface EngineTest {
  readonly warehouse: EngineWarehouse;
  readonly engine: Engine;
  open(): Promise<Engine>;
  sql(relation: Relation): string;
}

export type EngineCase = (name: string, body: (given: EngineTest) => Promise<void>) => void;

/** A table of the tests, and where its rows lie. */
export const ORDERS: TableId = { model: 'shop.orders', version: 'v1' };
export const ORDERS_TABLE: Relation = physicalRelation(ORDERS);

/** Makes the schema and a table of ids and names. */
export async function makeOrders(engine: Engine, rows = "SELECT 1 AS id, 'a' AS name"): Promise<void> {
  await engine.write([], async (session) => {
    await session.createSchemas([{ schema: ORDERS_TABLE.schema }]);
  });
  await engine.write([], async (session) => {
    await session.replaceTable(ORDERS_TABLE, rows);
  });
}

/** The failure a promise ends with; a value is a failed test. */
export async function failureOf(promise: Promise<unknown>): Promise<Failure> {
  try {
    await promise;
  } catch (error) {
    return error as Failure;
  }
  throw new Error('it succeeded');
}

/** The code of the failure a promise ends with. */
export async function codeOf(promise: Promise<unknown>): Promise<string> {
  const failed = await failureOf(promise);
  return failed.code ?? String(failed);
}

let versions = 1;
/** A ledger row with a data version of its own. */
export function ledgerRow(
  row: Partial<LedgerRow> & { readonly range: { readonly start: number; readonly end: number } },
): LedgerRow {
  return { table: ORDERS, runId: 'run-1', token: 1, dataVersion: String(versions++ * 1_000_003), ...row };
}

/** Ids of a table in order. */
export async function idsOf({ query }: Pick<Engine, 'query'>, table: string): Promise<readonly number[]> {
  return (await query(`SELECT id FROM ${table} ORDER BY id`)).rows.map(([id]) => Number(id));
}

/** A promise with its handle outside: for tests that stop in the middle. */
export function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

/** A query with `id` from 0 to below `count` that every engine can run. */
export function numbers(count: number): string {
  const digits = `(SELECT 0 AS n ${[1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => `UNION ALL SELECT ${n}`).join(' ')})`;
  return `SELECT a.n + 10 * b.n + 100 * c.n + 1000 * d.n AS id FROM ${digits} AS a CROSS JOIN ${digits} AS b CROSS JOIN ${digits} AS c CROSS JOIN ${digits} AS d WHERE a.n + 10 * b.n + 100 * c.n + 1000 * d.n < ${count}`;
}
