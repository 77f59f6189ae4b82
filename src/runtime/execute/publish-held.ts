/*
 * How rows that were held back get into the table, by its kind. A row that is held back is never older than the published row of
 * its key: a write that brings the key again takes its place in the quarantine, too.
 *
 *   INCREMENTAL_BY_UNIQUE_KEY, SCD_TYPE_2   as a batch of these rows alone: merged, or a new version; keys that are not among them are not gone
 *   all others                              added to what is there
 */
import { relationSql } from '../../domain/relation.ts';
import { materializeHistory } from './materialize/history.ts';
import { hasKeyIn, keyOf } from './materialize/keys.ts';
import { type BatchRows, listSql, subquery, type TableWrite } from './materialize/table-write.ts';
import { materializeUniqueKey } from './materialize/unique-key.ts';

/** Sends the rows of `source` into the table; answers with how many of them it accounts for. */
export async function publishHeld(write: TableWrite, source: BatchRows): Promise<number> {
  const { session, sending, relation, dialect } = write;
  const names = source.columns.map(({ name }) => name);
  const columns = listSql(names, dialect);
  const keyed = keyedMaterialize(write);
  if (keyed !== undefined) {
    const there = `SELECT ${columns} FROM ${relationSql(relation, dialect)} UNION ALL ${source.query}`;
    const written = await keyed(write, { ...source, all: there });
    return (await written.accounted) ?? written.rows;
  }
  return sending.send(session.insert(relation, names, source.query));
}

/** The table as it would be with these rows: what their audits compare them with. */
export function tableWith({ relation, dialect, model }: TableWrite, source: BatchRows): string {
  const columns = listSql(
    source.columns.map(({ name }) => name),
    dialect,
  );
  const isKeyed = model.kind.kind === 'incremental-by-unique-key';
  const key = isKeyed ? keyOf(model.kind, model.partitionedBy) : [];
  const rest = key.length === 0 ? '' : ` WHERE NOT ${hasKeyIn(key, source.query)}`;
  return `SELECT ${columns} FROM ${relationSql(relation, dialect)}${rest} UNION ALL SELECT ${columns} FROM ${subquery(source.query)} AS plinth__held`;
}

function keyedMaterialize({ model }: TableWrite) {
  switch (model.kind.kind) {
    case 'incremental-by-unique-key':
      return materializeUniqueKey;
    case 'scd-type-2-by-time':
    case 'scd-type-2-by-column':
      return materializeHistory;
    default:
      return undefined;
  }
}
