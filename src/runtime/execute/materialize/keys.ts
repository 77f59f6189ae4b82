/*
 * Rows that belong together by a key: SQL expressions, mostly columns. Keys are compared so that NULL equals NULL. A key
 * is computed under names of our own before it meets a table, so that its columns can only mean that table's.
 */
import { failure } from '../../../domain/failure.ts';
import type { ModelKind } from '../../../domain/model-kind.ts';
import { counted } from '../../../foundation/counted.ts';
import { subquery, type TableWrite } from './table-write.ts';

const keyName = (i: number): string => `plinth__key_${i}`;

/** The expressions under our names, as a list of projections. */
export function keyColumns(key: readonly string[]): string {
  return key.map((expression, i) => `(${expression}) AS ${keyName(i)}`).join(', ');
}

/** Our names with a qualifier, as a list. */
export function keyNames(key: readonly string[], qualifier = ''): string {
  return key.map((_, i) => `${qualifier}${keyName(i)}`).join(', ');
}

/** Two relations with `keyColumns` have the same key. */
export function sameKey(key: readonly string[], left: string, right: string): string {
  return key.map((_, i) => `${left}.${keyName(i)} IS NOT DISTINCT FROM ${right}.${keyName(i)}`).join(' AND ');
}

/** A condition on a table: its row has the key of some row of the query. */
export function hasKeyIn(key: readonly string[], query: string): string {
  const keys = `SELECT DISTINCT ${keyColumns(key)} FROM ${subquery(query)} AS plinth__rows`;
  const same = key.map((expression, i) => `plinth__keys.${keyName(i)} IS NOT DISTINCT FROM (${expression})`);
  return `EXISTS (SELECT 1 FROM (${keys}) AS plinth__keys WHERE ${same.join(' AND ')})`;
}

/** How many rows a query has, how many keys, and how many rows lack a part of their key. */
export async function countKeys(
  { session, sending }: TableWrite,
  key: readonly string[],
  query: string,
): Promise<{ readonly rows: number; readonly keys: number; readonly nulls: number }> {
  const isNull = key.map((_, i) => `${keyName(i)} IS NULL`).join(' OR ');
  const groups = `SELECT ${keyNames(key)}, COUNT(*) AS n FROM (SELECT ${keyColumns(key)} FROM ${subquery(query)} AS plinth__rows) AS plinth__keyed GROUP BY ${keyNames(key)}`;
  const { rows } = await sending.send(
    session.query(
      `SELECT COALESCE(SUM(n), 0), COUNT(*), COALESCE(SUM(CASE WHEN ${isNull} THEN n ELSE 0 END), 0) FROM (${groups}) AS plinth__groups`,
    ),
  );
  const [found] = rows;
  return { rows: Number(found?.[0]), keys: Number(found?.[1]), nulls: Number(found?.[2]) };
}

/** Refuses rows of which one would have to be chosen at random, with an example. */
export async function refuseDuplicates(
  write: TableWrite,
  key: readonly string[],
  query: string,
): Promise<never> {
  const keyed = `SELECT ${keyColumns(key)} FROM ${subquery(query)} AS plinth__rows`;
  const groups = `SELECT ${keyNames(key)}, COUNT(*) AS n FROM (${keyed}) AS plinth__keyed GROUP BY ${keyNames(key)} HAVING COUNT(*) > 1`;
  const { session, sending, model } = write;
  const { rows } = await sending.send(
    session.query(
      `SELECT COUNT(*) OVER (), ${keyNames(key)} FROM (${groups}) AS plinth__groups ORDER BY ${keyNames(key)} LIMIT 1`,
    ),
  );
  const [count, ...example] = rows[0] ?? [];
  throw failure('audit.duplicate-key', {
    model: model.name,
    keys: `${counted(Number(count ?? 0), 'key')} that ${Number(count ?? 0) === 1 ? 'occurs' : 'occur'}`,
    example: example.map((value) => JSON.stringify(value)).join(', '),
    key: key.join(', '),
  });
}

/** The key of kinds that have one, the partition of those that replace partitions. */
export function keyOf(kind: ModelKind, partitionedBy: readonly string[]): readonly string[] {
  switch (kind.kind) {
    case 'incremental-by-unique-key':
    case 'scd-type-2-by-time':
    case 'scd-type-2-by-column':
      return kind.uniqueKey;
    case 'incremental-by-partition':
      return partitionedBy;
    case 'incremental-unmanaged':
      return kind.insertOverwrite ? partitionedBy : [];
    default:
      return [];
  }
}
