import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { SchemaOf, TableColumns } from '../../../src/foundation/sql/query-facts.ts';

/** A DuckDB in memory that says what a query returns; tests compare our answers with its own. */
export interface Oracle {
  readonly schemaOf: SchemaOf;
  /** Names and types, or DuckDB's reason for refusing the query. */
  readonly describe: (
    sql: string,
  ) => Promise<{ readonly columns: readonly (readonly [string, string])[] } | { readonly error: string }>;
  readonly close: () => void;
}

/** One table with every type, and three that a shop would have. */
export const TEST_SCHEMA = `
  CREATE TABLE t (
    b BOOLEAN, ti TINYINT, si SMALLINT, i INTEGER, bi BIGINT, h HUGEINT, ui UINTEGER, ubi UBIGINT, f FLOAT, d DOUBLE,
    dec DECIMAL(10, 2), dec2 DECIMAL(18, 4), dec3 DECIMAL(5, 1), s VARCHAR, dt DATE, ts TIMESTAMP, tz TIMESTAMPTZ, tm TIME, iv INTERVAL,
    u UUID, bl BLOB, j JSON, li INTEGER[], ls VARCHAR[], st STRUCT(a INTEGER, b VARCHAR), m MAP(VARCHAR, INTEGER),
    ns STRUCT(x STRUCT(y DOUBLE)), arr INTEGER[3]);
  CREATE TABLE orders (id INTEGER, customer_id INTEGER, amount DECIMAL(10, 2), status VARCHAR, created_at TIMESTAMP, day DATE);
  CREATE TABLE customers (id INTEGER, name VARCHAR, email VARCHAR, country VARCHAR, score DOUBLE);
  CREATE TABLE items (order_id INTEGER, sku VARCHAR, qty INTEGER, price DECIMAL(10, 2));
`;

export async function openOracle(schema: string = TEST_SCHEMA): Promise<Oracle> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run("SET TimeZone = 'UTC'");
  await connection.run(schema);
  const tables = await readTables(connection);
  return {
    schemaOf: (parts) => tables.get((parts.at(-1) as string).toLowerCase()),
    describe: async (sql) => {
      try {
        const rows = (await connection.runAndReadAll(`DESCRIBE ${sql}`)).getRows();
        return { columns: rows.map((row) => [String(row[0]), String(row[1])] as const) };
      } catch (error) {
        return { error: error instanceof Error ? error.message : String(error) };
      }
    },
    close: () => {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

async function readTables(connection: DuckDBConnection): Promise<Map<string, TableColumns>> {
  const rows = (
    await connection.runAndReadAll(
      'SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE NOT internal ORDER BY table_name, column_index',
    )
  ).getRows();
  const tables = new Map<string, { columns: { name: string; type: string }[] }>();
  for (const [table, name, type] of rows) {
    const key = String(table).toLowerCase();
    const entry = tables.get(key) ?? { columns: [] };
    entry.columns.push({ name: String(name), type: String(type) });
    tables.set(key, entry);
  }
  return tables;
}
