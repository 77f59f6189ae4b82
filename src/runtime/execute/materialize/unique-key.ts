import { relationSql } from '../../../domain/relation.ts';
import { countKeys, refuseDuplicates } from './keys.ts';
import {
  type BatchRows,
  type BatchWrite,
  insertColumns,
  intoStagingTable,
  listSql,
  type Materialize,
  subquery,
  type TableWrite,
  withColumns,
} from './table-write.ts';

/**
 * INCREMENTAL_BY_UNIQUE_KEY: rows replace those of their key, others are added. Several rows of one key are one when they
 * are equal in every column; different ones are refused, since one would win by chance. The row of a key whose new row is held
 * back stays as it is.
 */
export const materializeUniqueKey: Materialize = async (write, given) => {
  const { model, session, sending, relation, rendered } = write;
  const { kind } = model;
  if (kind.kind !== 'incremental-by-unique-key') throw new Error(`${model.name} has no unique key`);
  if (write.batch.isFirst) return firstBuild(write, given, kind.uniqueKey);
  const source = await withColumns(write, given);
  const columns = await insertColumns(write, source);
  const staged = intoStagingTable(write, source);
  const { rows, query } = await oneRowPerKey(write, kind.uniqueKey, staged.source.query);
  const merged = sending.send(
    session.merge(relation, {
      columns,
      key: kind.uniqueKey,
      source: `SELECT ${listSql(columns, write.dialect)} FROM ${subquery(query)} AS plinth__rows`,
      ...(rendered.whenMatched === undefined ? {} : { whenMatched: rendered.whenMatched }),
      ...(rendered.mergeFilter === undefined ? {} : { filter: rendered.mergeFilter }),
      ...(source.all === undefined ? {} : { kept: source.all }),
    }),
  );
  return { rows: merged, accounted: Promise.resolve(rows) };
};

/** The table is built in one step and looked at afterwards; only where rows repeat is it built once more. */
async function firstBuild(write: TableWrite, given: BatchRows, key: readonly string[]): Promise<BatchWrite> {
  const { session, sending, relation, layout, dialect } = write;
  const all = sending.send(session.replaceTable(relation, given.query, layout));
  const table = `SELECT * FROM ${relationSql(relation, dialect)}`;
  const { query, rows } = await oneRowPerKey(write, key, table);
  if (query === table) return { rows: all, accounted: all };
  const distinct = intoStagingTable(write, { ...given, query, isStaged: false });
  const kept = sending.send(session.replaceTable(relation, distinct.source.query, layout));
  return { rows: kept, accounted: Promise.resolve(rows) };
}

/** The query itself when its keys are unique, else its different rows when those are. */
async function oneRowPerKey(
  write: TableWrite,
  key: readonly string[],
  query: string,
): Promise<{ readonly rows: number; readonly query: string }> {
  const found = await countKeys(write, key, query);
  if (found.rows === found.keys) return { rows: found.rows, query };
  const distinct = `SELECT DISTINCT * FROM ${subquery(query)} AS plinth__rows`;
  const left = await countKeys(write, key, distinct);
  if (left.rows !== left.keys) return refuseDuplicates(write, key, distinct);
  return { rows: found.rows, query: distinct };
}
