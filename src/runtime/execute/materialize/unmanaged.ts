import { replacePartitions } from './partition.ts';
import { insertColumns, listSql, type Materialize, subquery, withColumns } from './table-write.ts';

/**
 * INCREMENTAL_UNMANAGED: rows are added. That it happens once per interval is seen to before: nothing that the ledger has is asked
 * for again, and a ledger that moved is a conflict. With insert_overwrite the partitions of the new rows are replaced instead.
 */
export const materializeUnmanaged: Materialize = async (write, given) => {
  const { session, sending, relation, layout, batch, model, dialect } = write;
  const { kind } = model;
  if (kind.kind !== 'incremental-unmanaged') throw new Error(`${model.name} is not unmanaged`);
  if (batch.isFirst) return { rows: sending.send(session.replaceTable(relation, given.query, layout)) };
  if (kind.insertOverwrite) return replacePartitions(write, given, model.partitionedBy);
  const source = await withColumns(write, given);
  const columns = await insertColumns(write, source);
  const rows = `SELECT ${listSql(columns, dialect)} FROM ${subquery(source.query)} AS plinth__rows`;
  return { rows: sending.send(session.insert(relation, columns, rows)) };
};
