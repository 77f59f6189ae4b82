import { isProvenInside } from '../../../compiler/render/is-proven-inside.ts';
import { failure } from '../../../domain/failure.ts';
import { counted } from '../../../foundation/counted.ts';
import { DAY_MS } from '../../../foundation/time/civil.ts';
import { isoInstantShort } from '../../../foundation/time/iso.ts';
import {
  type BatchRows,
  insertColumns,
  intoStagingTable,
  listSql,
  type Materialize,
  subquery,
  type TableWrite,
  typeOfColumn,
  withColumns,
} from './table-write.ts';
import { type TimedColumn, timeFilter, timeType } from './time-filter.ts';

/**
 * INCREMENTAL_BY_TIME_RANGE: the rows of the interval are replaced. Rows of another time, or of none, are counted and left out:
 *
 *   proven   the text of the query allows no others: write it straight
 *   first    build the table of all rows, then remove the others
 *   later    stage all rows, remove the interval's from the table, insert those that belong to it
 */
export const materializeTimeRange: Materialize = async (write, given) => {
  const { session, sending, relation, layout, batch, dialect } = write;
  const timed = await timedColumn(write, given);
  const filter = timeFilter(timed, batch.range, dialect);
  const isProven = !given.isStaged && isInsideByText(write, timed);
  if (batch.isFirst) {
    const query = isProven ? filtered(given.query, '*', filter) : given.query;
    const all = sending.send(session.replaceTable(relation, query, layout));
    if (isProven) return { rows: all, rowsOutside: Promise.resolve(0), filter };
    const removed = sending.send(session.remove(relation, `NOT ${filter}`));
    return {
      rows: difference(write, all, removed),
      rowsOutside: strict(write, removed),
      filter,
    };
  }
  const source = await withColumns(write, given);
  const columns = await insertColumns(write, source);
  const staged = isProven ? undefined : intoStagingTable(write, source);
  sending.send(session.remove(relation, filter));
  const query = filtered((staged?.source ?? source).query, listSql(columns, dialect), filter);
  const rows = sending.send(session.insert(relation, columns, query));
  const rowsOutside =
    staged === undefined ? Promise.resolve(0) : strict(write, difference(write, staged.rows(), rows));
  return { rows, rowsOutside, filter };
};

const filtered = (query: string, columns: string, filter: string): string =>
  `SELECT ${columns} FROM ${subquery(query)} AS plinth__rows WHERE ${filter}`;

function isInsideByText(
  { model, rendered, dialect, batch }: TableWrite,
  { column, type }: TimedColumn,
): boolean {
  const kind = timeType(type);
  const { start, end } = batch.range;
  // A declared type may be coarser than what the query compares: that changes nothing between whole days.
  const isDeclared = (model.declaredColumns?.length ?? 0) > 0;
  if (kind === 'text' || kind === 'number' || (isDeclared && (start % DAY_MS !== 0 || end % DAY_MS !== 0)))
    return false;
  return isProvenInside(rendered.query, dialect, { column, type: kind }, batch.range);
}

/** The condition that is true for the rows of the batch's interval. */
export async function intervalFilter(write: TableWrite, source: BatchRows): Promise<string> {
  return timeFilter(await timedColumn(write, source), write.batch.range, write.dialect);
}

/** The time column with how it is to be read. */
export async function timedColumn(write: TableWrite, source: BatchRows): Promise<TimedColumn> {
  const { batch, model } = write;
  const { kind } = model;
  if (kind.kind !== 'incremental-by-time-range') throw new Error(`${model.name} has no time column`);
  const { timeColumn } = kind;
  const type = await typeOfColumn(write, source, timeColumn.column);
  const defaultFormat = batch.content.applied.timeColumnFormat ?? '%Y-%m-%d';
  return { ...timeColumn, type, defaultFormat };
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
