import { hasKeyIn } from './keys.ts';
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

/** INCREMENTAL_BY_PARTITION: every partition that has a new row is replaced as a whole, also by nothing where all its rows are held back; the others stay. */
export const materializePartition: Materialize = async (write, source) => {
  const { session, sending, relation, layout, batch, model } = write;
  if (batch.isFirst) return { rows: sending.send(session.replaceTable(relation, source.query, layout)) };
  return replacePartitions(write, source, model.partitionedBy);
};

/** Removes the partitions of the new rows, then adds the rows; `partition` are expressions, NULL is a partition like others. */
export async function replacePartitions(
  write: TableWrite,
  given: BatchRows,
  partition: readonly string[],
): Promise<BatchWrite> {
  const { session, sending, relation, dialect } = write;
  const source = await withColumns(write, given);
  const columns = await insertColumns(write, source);
  const { query } = intoStagingTable(write, source).source;
  const replaced = partition.length === 0 ? undefined : hasKeyIn(partition, source.all ?? query);
  sending.send(session.remove(relation, replaced));
  const rows = `SELECT ${listSql(columns, dialect)} FROM ${subquery(query)} AS plinth__rows`;
  return { rows: sending.send(session.insert(relation, columns, rows)) };
}
