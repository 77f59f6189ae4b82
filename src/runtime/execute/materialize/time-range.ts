import { failure } from '../../../domain/failure.ts';
import { isoInstantShort } from '../../../foundation/time/iso.ts';
import { counted } from './counted.ts';
import {
  insertColumns,
  listSql,
  type Materialize,
  type Source,
  stage,
  subquery,
  type TableWrite,
  typeOfColumn,
  withColumns,
} from './table-write.ts';
import { timeFilter } from './time-filter.ts';

/**
 * INCREMENTAL_BY_TIME_RANGE: the rows of the interval are replaced. Rows of another time, or of none, are counted and left out:
 *
 *   first    build the table of all rows, then remove the others
 *   later    stage all rows, remove the interval's from the table, insert those that belong to it
 */
export const materializeTimeRange: Materialize = async (write, given) => {
  const { session, sending, relation, layout, batch, dialect } = write;
  const filter = await intervalFilter(write, given);
  if (batch.isFirst) {
    const all = sending.send(session.replaceTable(relation, given.query, layout));
    const removed = sending.send(session.remove(relation, `NOT ${filter}`));
    return {
      rows: difference(write, all, removed),
      rowsOutside: strict(write, removed),
      filter,
    };
  }
  const source = await withColumns(write, given);
  const columns = await insertColumns(write, source);
  const staged = stage(write, source);
  sending.send(session.remove(relation, filter));
  const query = `SELECT ${listSql(columns, dialect)} FROM ${subquery(staged.source.query)} AS plinth__rows WHERE ${filter}`;
  const rows = sending.send(session.insert(relation, columns, query));
  return { rows, rowsOutside: strict(write, difference(write, staged.rows, rows)), filter };
};

/** The condition that is true for the rows of the batch's interval. */
export async function intervalFilter(write: TableWrite, source: Source): Promise<string> {
  const { batch, model, dialect } = write;
  const { kind } = model;
  if (kind.kind !== 'incremental-by-time-range') throw new Error(`${model.name} has no time column`);
  const { timeColumn } = kind;
  const type = await typeOfColumn(write, source, timeColumn.column);
  const defaultFormat = batch.content.applied.timeColumnFormat ?? '%Y-%m-%d';
  return timeFilter({ ...timeColumn, type, defaultFormat }, batch.range, dialect);
}

function difference({ sending }: TableWrite, left: Promise<number>, right: Promise<number>): Promise<number> {
  return sending.send(Promise.all([left, right]).then(([all, part]) => all - part));
}

function strict(write: TableWrite, rowsOutside: Promise<number>): Promise<number> {
  return write.sending.send(
    rowsOutside.then((rows) => {
      refuseOutside(write, rows);
      return rows;
    }),
  );
}

/** With `strict_time error` a single row of another time stops the write. */
export function refuseOutside({ model, batch }: TableWrite, rows: number): void {
  const { kind } = model;
  if (rows === 0 || kind.kind !== 'incremental-by-time-range' || kind.strictTime !== 'error') return;
  throw failure('audit.outside-interval', {
    model: model.name,
    rows: counted(rows, 'row'),
    column: kind.timeColumn.column,
    start: isoInstantShort(batch.range.start),
    end: isoInstantShort(batch.range.end),
  });
}
