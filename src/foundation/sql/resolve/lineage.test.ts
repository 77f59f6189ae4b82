import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compareLineage } from '../../../../tests/support/sql/compare-lineage.ts';
import { EXPRESSIONS, QUERIES } from '../../../../tests/support/sql/described-queries.ts';
import { type Oracle, openOracle, TEST_SCHEMA } from '../../../../tests/support/sql/duckdb-oracle.ts';
import { LINEAGE_DIFFERENCES, LINEAGE_REFUSALS } from '../../../../tests/support/sql/lineage-differences.ts';
import { createLibraryClient } from '../library/library-client.ts';
import { parseQuery } from '../parse/parse-query.ts';
import type { QueryFacts } from '../query-facts.ts';
import { resolveQuery } from './resolve-query.ts';

/** The library takes 10 to 30 ms a column; PLINTH_CAMPAIGN asks it about the whole corpus instead of a part. */
const IS_CAMPAIGN = process.env['PLINTH_CAMPAIGN'] !== undefined;

let oracle: Oracle;
const client = createLibraryClient();
beforeAll(async () => {
  oracle = await openOracle();
});
afterAll(async () => {
  oracle.close();
  await client.close();
});

function resolve(sql: string): QueryFacts {
  const parsed = parseQuery(sql, 'duckdb');
  if (!parsed.ok) throw new Error(`${parsed.error.message} in ${sql}`);
  return resolveQuery(parsed.value, oracle.schemaOf);
}

const refusals = new Set(LINEAGE_REFUSALS.flatMap(({ queries }) => queries));
const differences = new Map(LINEAGE_DIFFERENCES.map((difference) => [difference.sql, difference.columns]));

describe('lineage against the SQL library', () => {
  it('agrees on the corpus but for the differences that are listed with their reasons', {
    timeout: 600_000,
  }, async () => {
    const corpus = [...new Set([...QUERIES, ...EXPRESSIONS])];
    for (const sql of [...differences.keys(), ...refusals]) expect(corpus).toContain(sql);
    let same = 0;
    for (const [at, sql] of corpus.entries()) {
      if (!IS_CAMPAIGN && at % 8 !== 1) continue;
      const found = await compareLineage(client, sql, resolve(sql), oracle.schemaOf);
      same += found.same;
      const different = found.different.map(({ column, ours, theirs }) =>
        theirs.startsWith('refused') ? { column, ours } : { column, ours, theirs },
      );
      if (refusals.has(sql)) expect(different.filter((each) => 'theirs' in each)).toEqual([]);
      else expect({ sql, different }).toEqual({ sql, different: differences.get(sql) ?? [] });
    }
    expect(same).toBeGreaterThan(IS_CAMPAIGN ? 800 : 60);
  });
});

describe('where lineage differs from the SQL library', () => {
  it('ours is confirmed by DuckDB when it runs the query on changed columns', async () => {
    const world = await openWorld();
    const wrong: string[] = [];
    for (const { sql, columns } of LINEAGE_DIFFERENCES) {
      // Whatever is in a row, count(row) is the number of rows; as in count(x), what is counted is a source all the same.
      if (sql.startsWith('select count(o)')) continue;
      for (const { column, ours, theirs = '' } of columns) {
        const own = ours.split(' ').filter((source) => source !== '');
        for (const source of own)
          if (!(await world.isChangedBy(sql, column, source)))
            wrong.push(`${sql}: ${column} not by ${source}`);
        for (const source of theirs.split(' '))
          if (!own.includes(source) && (await world.isChangedBy(sql, column, source)))
            wrong.push(`${sql}: ${column} by ${source}`);
      }
    }
    world.close();
    expect(wrong).toEqual([]);
  });
});

interface World {
  /** Whether the values of an output column are others when those of a source (`table.column`) are; false for a source that is none. */
  readonly isChangedBy: (sql: string, column: string, source: string) => Promise<boolean>;
  readonly close: () => void;
}

const ROWS = 6;

/** The tables of the corpus with rows in them, whose columns can be changed one at a time. */
async function openWorld(): Promise<World> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run(TEST_SCHEMA);
  await connection.run('SET threads = 1');
  const read = async (sql: string): Promise<readonly string[][]> =>
    (await connection.runAndReadAll(sql)).getRowsJson().map((row) => row.map((cell) => JSON.stringify(cell)));
  const types = new Map<string, string>();
  for (const { table_name, column_name, data_type } of (
    await connection.runAndReadAll('SELECT table_name, column_name, data_type FROM duckdb_columns()')
  ).getRowObjectsJson())
    types.set(`${table_name}.${column_name}`, String(data_type));
  const fill = async (table: string, changed?: string): Promise<void> => {
    const values = [...types]
      .filter(([name]) => name.startsWith(`${table}.`))
      .map(([name, type]) => cellOf(type, table === 'customers' ? 50 : 0, name === changed));
    await connection.run(
      `DELETE FROM ${table}; INSERT INTO ${table} SELECT ${values.join(', ')} FROM range(${ROWS}) x(r) ORDER BY r`,
    );
  };
  for (const table of ['t', 'orders', 'customers', 'items']) await fill(table);
  const valuesOf = async (sql: string, column: string): Promise<string> =>
    (await read(`SELECT "${column.replaceAll('"', '""')}" FROM (${sql})`)).map(String).sort().join('\n');
  return {
    isChangedBy: async (sql, column, source) => {
      if (!types.has(source)) return false;
      const [table] = source.split('.') as [string];
      const before = await valuesOf(sql, column);
      await fill(table, source);
      const after = await valuesOf(sql, column);
      await fill(table);
      return before !== after;
    },
    close: () => {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

/** SQL for row `r` of a column, with numbers above `from`; changed, it is another value in another order. Tables share no rows, so that EXCEPT keeps them. */
function cellOf(type: string, from: number, isChanged: boolean): string {
  const n = isChanged ? `(${from + 40} - r)::INTEGER` : `(${from} + r)::INTEGER`;
  switch (type) {
    case 'BOOLEAN':
      return isChanged ? 'r % 2 = 0' : 'true';
    case 'VARCHAR':
      return isChanged ? `'xa' || ${n}` : `'a' || ${n}`;
    case 'DATE':
      return `DATE '2024-01-01' + ${n}`;
    case 'TIMESTAMP':
      return `TIMESTAMP '2024-01-01' + to_days(${n})`;
    case 'INTEGER[]':
      return `[${n}, 2]`;
    case 'VARCHAR[]':
      return `['a' || ${n}]`;
    case 'STRUCT(a INTEGER, b VARCHAR)':
      return `{'a': ${n}, 'b': 'b' || ${n}}`;
    default:
      return /^(U?[A-Z]*INT|INTEGER|UINTEGER|DECIMAL.*|DOUBLE|FLOAT)$/.test(type)
        ? `(${n})::${type}`
        : 'NULL';
  }
}
