import type { DuckDBConnection, DuckDBMaterializedResult } from '@duckdb/node-api';
import { rowsOfChunk } from './duckdb-types.ts';
import { Refusal } from './keeper-refusal.ts';
import type { LedgerInsert, ReadBack } from './keeper-wire.ts';

/** Commits in one trip to DuckDB, with the last statements before it and a look at what is there after it. */
export async function commitAndReadBack(
  connection: DuckDBConnection,
  { ledger, written }: { readonly ledger: readonly LedgerInsert[]; readonly written: readonly ReadBack[] },
): Promise<void> {
  const statements = [...ledger.map(({ sql }) => sql), 'COMMIT', ...readBackSql(written)];
  if (isAllThere(written, await connection.run(statements.join('; ')))) return;
  const detail = 'the commit was answered with success, but what it wrote is not there';
  throw new Refusal({ code: 'engine.conflict', parameters: { detail }, isRetryable: true });
}

/** One query that counts the rows that must be there after a commit; none when nothing must. */
function readBackSql(written: readonly ReadBack[]): readonly string[] {
  const queries = written.map(({ sql }) => sql);
  return queries.length <= 1 ? queries : [`SELECT ${queries.map((sql) => `(${sql})`).join(', ')}`];
}

/** DuckDB answers success to the commit of a transaction that failed: only what is there counts. */
function isAllThere(written: readonly ReadBack[], result: DuckDBMaterializedResult): boolean {
  if (written.length === 0) return true;
  const counts = result.chunkCount === 0 ? [] : (rowsOfChunk(result.getChunk(0))[0] ?? []);
  return written.every(({ count }, index) => Number(counts[index] ?? 0) >= count);
}
