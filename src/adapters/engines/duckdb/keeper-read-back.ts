import type { DuckDBMaterializedResult } from '@duckdb/node-api';
import { rowsOfChunk } from './duckdb-types.ts';
import type { ReadBack } from './keeper-wire.ts';

/** One query that counts the rows that must be there after a commit; none when nothing must. */
export function readBackSql(written: readonly ReadBack[]): readonly string[] {
  const queries = written.map(({ sql }) => sql);
  return queries.length <= 1 ? queries : [`SELECT ${queries.map((sql) => `(${sql})`).join(', ')}`];
}

/** DuckDB answers success to the commit of a transaction that failed: only what is there counts. */
export function isAllThere(written: readonly ReadBack[], result: DuckDBMaterializedResult): boolean {
  if (written.length === 0) return true;
  const counts = result.chunkCount === 0 ? [] : (rowsOfChunk(result.getChunk(0))[0] ?? []);
  return written.every(({ count }, index) => Number(counts[index] ?? 0) >= count);
}
