import { duckdbFunctions } from './duckdb-functions.ts';

/** Whether a call without OVER folds rows: aggregates and macros made of them, by their lower-case name. Our tree has DuckDB's names. */
export function foldsRows(name: string): boolean {
  return duckdbFunctions.aggregates.has(name);
}
