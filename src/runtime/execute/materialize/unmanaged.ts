import { failure } from '../../../domain/failure.ts';
import { isoInstantShort } from '../../../foundation/time/iso.ts';
import { intersectRanges, subtractRanges } from '../../../foundation/time/ranges.ts';
import { replacePartitions } from './partition.ts';
import {
  insertColumns,
  listSql,
  type Materialize,
  subquery,
  type TableWrite,
  withColumns,
} from './table-write.ts';

/**
 * INCREMENTAL_UNMANAGED: rows are added. Each interval is added exactly once: nothing that the ledger has is asked
 * for again, and a ledger that moved is a conflict. With insert_overwrite the partitions of the new rows are replaced instead. Asked to
 * write a part of its time again, it refuses: which rows belong to that part is not known. The whole table can be rebuilt.
 */
export const materializeUnmanaged: Materialize = async (write, given) => {
  const { session, sending, relation, layout, batch, model, dialect } = write;
  const { kind } = model;
  if (kind.kind !== 'incremental-unmanaged') throw new Error(`${model.name} is not unmanaged`);
  const isAgain = batch.isRestatement && !kind.insertOverwrite;
  if (batch.isFirst || (isAgain && subtractRanges(batch.filled, [batch.range]).length === 0))
    return { rows: sending.send(session.replaceTable(relation, given.query, layout)) };
  if (isAgain) refuseTwice(write);
  if (kind.insertOverwrite) return replacePartitions(write, given, model.partitionedBy);
  const source = await withColumns(write, given);
  const columns = await insertColumns(write, source);
  const rows = `SELECT ${listSql(columns, dialect)} FROM ${subquery(source.query)} AS plinth__rows`;
  return { rows: sending.send(session.insert(relation, columns, rows)) };
};

function refuseTwice({ model, batch: { range, filled } }: TableWrite): void {
  const [again] = intersectRanges([range], filled);
  if (again === undefined) return;
  throw failure('audit.filled-twice', {
    model: model.name,
    start: isoInstantShort(again.start),
    end: isoInstantShort(again.end),
  });
}
