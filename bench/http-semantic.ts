import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { HttpConnection, requestBytes } from './http-connection.ts';
import { above, inTurns, type Latency, timedRequest } from './http-latency.ts';
import { type BenchProject, credentials, type Served, WAREHOUSE } from './http-served.ts';

// A small semantic query from the client's first byte to the answer's last, beside the same SQL in a DuckDB of this process
// that has a copy of the warehouse open.

const QUERY = {
  measures: ['orders.revenue', 'orders.count'],
  dimensions: ['customers.region', 'orders.status'],
  order: { 'customers.region': 'asc', 'orders.status': 'asc' },
} as const;

/** Medians above the bare engine's; the cached one needs no engine at all. */
export interface SemanticFigures {
  readonly sql: string;
  readonly bareEngine: Latency;
  readonly uncached: Latency;
  readonly cached: Latency;
  readonly uncachedAboveMs: number;
  readonly cachedAboveMs: number;
}

/** To be called before the project is served: whoever has the file open writes to it. */
export function copyWarehouse({ folder }: BenchProject): string {
  const copy = join(folder, '..', 'http-bare');
  rmSync(copy, { recursive: true, force: true });
  mkdirSync(copy, { recursive: true });
  // The name is that of the catalog in the SQL.
  for (const name of [WAREHOUSE, `${WAREHOUSE}.wal`])
    if (existsSync(join(folder, name))) copyFileSync(join(folder, name), join(copy, name));
  return join(copy, WAREHOUSE);
}

export async function measureSemantic(
  served: Served,
  warehouse: string,
  count: number,
): Promise<SemanticFigures> {
  const path = `${served.base}/query/semantic/rest`;
  const target = { url: served.url, headers: credentials(served, path) };
  const connection = await HttpConnection.open(served.url);
  const post = (to: string, body: unknown): Buffer => requestBytes(target, 'POST', to, body);
  const transpiled = await connection.ask(post(`${served.base}/query/transpile`, { query: QUERY }));
  const { sql } = JSON.parse(transpiled.body.toString()) as { sql: string };
  const instance = await DuckDBInstance.create(warehouse);
  const bare = await instance.connect();
  const rowsOf = async (): Promise<unknown> => (await bare.runAndReadAll(sql)).getRowsJson();
  const expected = JSON.stringify(await rowsOf());
  const check = ({ body }: { readonly body: Buffer }, strategy: string): void => {
    const statement = JSON.parse(body.toString()) as {
      strategy: string;
      result: { rows: readonly (readonly unknown[])[] };
    };
    if (statement.strategy !== strategy) throw new Error(`answered by ${statement.strategy}`);
    const rows = JSON.stringify(statement.result.rows.map((row) => row.map(String)));
    if (rows !== JSON.stringify((JSON.parse(expected) as unknown[][]).map((row) => row.map(String))))
      throw new Error(`${rows} is not ${expected}`);
  };
  try {
    const found = await inTurns(
      {
        bareEngine: async () => {
          const began = performance.now();
          await rowsOf();
          return performance.now() - began;
        },
        uncached: timedRequest(connection, post(path, { query: QUERY, cache: false }), (answer) =>
          check(answer, 'execute'),
        ),
        cached: timedRequest(connection, post(path, { query: QUERY }), (answer) =>
          check(answer, 'from_cache'),
        ),
      },
      count,
    );
    return {
      sql,
      ...found,
      uncachedAboveMs: above(found.uncached, found.bareEngine),
      cachedAboveMs: above(found.cached, found.bareEngine),
    };
  } finally {
    connection.close();
    bare.closeSync();
    instance.closeSync();
  }
}
