/*
 * SCD_TYPE_2: every version of a row, with the time it was valid. The query gives the rows as they are now; each is compared
 * with the open version of its key (the one whose valid_to is NULL):
 *
 *   the same            nothing happens
 *   changed             the open version is closed, the row becomes the new open one, both at the time of the change
 *   new                 becomes the open version; a key that was there before goes on where it was closed, or later
 *   gone                with invalidate_hard_deletes the open version is closed, else it stays
 *   held back           is not gone: the open version stays as it is
 *
 * By time a row changed when its updated_at is later, and that is the time of the change. One that had no updated_at changed
 * when it has one; one that has none (any more) changed when another column differs, at the execution time. By column a row
 * changed when a watched column differs, at the execution time (or at updated_at, where the model names one). A version never
 * ends before it begins.
 */
import { failure } from '../../../domain/failure.ts';
import type { ModelKind } from '../../../domain/model-kind.ts';
import { relationSql } from '../../../domain/relation.ts';
import { counted } from '../../../foundation/counted.ts';
import type { Dialect } from '../../../foundation/sql/dialect.ts';
import { quoteName } from '../../../foundation/sql/quote.ts';
import { sqlTimestamp } from '../../../foundation/time/iso.ts';
import { countKeys, hasKeyIn, keyColumns, keyNames, refuseDuplicates, sameKey } from './keys.ts';
import {
  type BatchRows,
  columnsOfQuery,
  intoStagingTable,
  listSql,
  type Materialize,
  subquery,
  type TableWrite,
  withColumns,
} from './table-write.ts';

type HistoryKind = Extract<ModelKind, { kind: 'scd-type-2-by-time' | 'scd-type-2-by-column' }>;

export const materializeHistory: Materialize = async (write, given) => {
  const { session, sending, relation, layout, dialect } = write;
  const kind = historyKind(write);
  const source = await withColumns(write, given);
  if (beginsAnew(write)) {
    const rows = sending.send(session.replaceTable(relation, firstVersions(write, kind, source), layout));
    const table = `SELECT * FROM ${relationSql(relation, dialect)}`;
    return { rows, accounted: Promise.resolve(await refuseBadKeys(write, kind, table)) };
  }
  const staged = intoStagingTable(write, source);
  const accounted = await refuseBadKeys(write, kind, staged.source.query);
  const columns = await historyColumns(write, kind, staged.source);
  const names = [...columns.map(({ name }) => name), kind.validFromName, kind.validToName];
  const changes = intoStagingTable(write, {
    ...source,
    query: changesQuery(write, kind, { source: staged.source.query, all: source.all, columns }),
    isStaged: false,
  }).source.query;
  const validTo = quoteName(kind.validToName, dialect);
  const closed = `SELECT * FROM ${subquery(changes)} AS plinth__changes WHERE ${validTo} IS NOT NULL`;
  sending.send(session.remove(relation, `${validTo} IS NULL AND ${hasKeyIn(kind.uniqueKey, closed)}`));
  const rows = sending.send(session.insert(relation, names, changes));
  return { rows, accounted: Promise.resolve(accounted) };
};

/** A column of the table, and whether the source still has it: what it does not have stays in the versions that had it. */
interface HistoryColumn {
  readonly name: string;
  readonly isGiven: boolean;
}

async function historyColumns(
  write: TableWrite,
  { validFromName, validToName }: HistoryKind,
  source: BatchRows,
): Promise<readonly HistoryColumn[]> {
  const table = await columnsOfQuery(write, `SELECT * FROM ${relationSql(write.relation, write.dialect)}`);
  const own = new Set([validFromName.toLowerCase(), validToName.toLowerCase()]);
  const given = new Set(source.columns.map(({ name }) => name.toLowerCase()));
  return table
    .filter(({ name }) => !own.has(name.toLowerCase()))
    .map(({ name }) => ({ name, isGiven: given.has(name.toLowerCase()) }));
}

/** The table with its columns and the two that every history has. */
export const materializeEmptyHistory: Materialize = async (write, given) => {
  const { session, sending, relation, layout, batch } = write;
  if (!batch.isFirst) return { rows: Promise.resolve(0) };
  const kind = historyKind(write);
  const source = await withColumns(write, given);
  const query = `SELECT * FROM ${subquery(firstVersions(write, kind, source))} AS plinth__versions WHERE FALSE`;
  sending.send(session.replaceTable(relation, query, layout));
  return { rows: Promise.resolve(0) };
};

function historyKind({ model: { kind, name } }: TableWrite): HistoryKind {
  if (kind.kind !== 'scd-type-2-by-time' && kind.kind !== 'scd-type-2-by-column')
    throw new Error(`${name} keeps no history`);
  return kind;
}

/** A restatement that reaches back to the beginning rebuilds the history: what the source was then is not known. */
function beginsAnew({ batch: { isFirst, isRestatement, filled, range } }: TableWrite): boolean {
  return isFirst || (isRestatement && range.start <= (filled[0]?.start ?? range.start));
}

async function refuseBadKeys(write: TableWrite, kind: HistoryKind, query: string): Promise<number> {
  const { rows, keys, nulls } = await countKeys(write, kind.uniqueKey, query);
  if (nulls > 0)
    throw failure('audit.null-key', {
      model: write.model.name,
      rows: counted(nulls, 'row'),
      key: kind.uniqueKey.join(', '),
    });
  if (rows !== keys) await refuseDuplicates(write, kind.uniqueKey, query);
  return rows;
}

/** Texts of the times that versions begin and end with. */
function timesOf({ batch }: TableWrite, kind: HistoryKind, dialect: Dialect) {
  const type = kind.timeDataType;
  const literal = (at: number): string => {
    const isInstant = /TZ|TIME ZONE/i.test(type);
    return `CAST('${sqlTimestamp(at)}${isInstant ? '+00:00' : ''}' AS ${type})`;
  };
  const now = literal(batch.executionTime);
  const updatedAt = kind.updatedAtName;
  /** When the row under this name changed, as far as it says so. */
  const changedAt = (row: string): string =>
    updatedAt === undefined
      ? now
      : `COALESCE(CAST(${row}.${quoteName(updatedAt, dialect)} AS ${type}), ${now})`;
  return { type, epoch: literal(0), now, changedAt };
}

/** Every row is the first version of its key. */
function firstVersions(write: TableWrite, kind: HistoryKind, { query, columns }: BatchRows): string {
  const { dialect } = write;
  const { type, epoch, now, changedAt } = timesOf(write, kind, dialect);
  const from =
    kind.kind === 'scd-type-2-by-time'
      ? kind.updatedAtAsValidFrom
        ? changedAt('s')
        : epoch
      : kind.executionTimeAsValidFrom
        ? now
        : epoch;
  const names = columns.map(({ name }) => name);
  return `SELECT ${listSql(names, dialect, 's.')}, ${from} AS ${quoteName(kind.validFromName, dialect)}, CAST(NULL AS ${type}) AS ${quoteName(kind.validToName, dialect)} FROM ${subquery(query)} AS s`;
}

/** Versions that are closed now, and versions that begin now. */
function changesQuery(
  write: TableWrite,
  kind: HistoryKind,
  {
    source,
    all = source,
    columns,
  }: {
    readonly source: string;
    readonly all: string | undefined;
    readonly columns: readonly HistoryColumn[];
  },
): string {
  const { relation, dialect } = write;
  const key = kind.uniqueKey;
  const table = relationSql(relation, dialect);
  const [validFrom, validTo] = [kind.validFromName, kind.validToName].map((name) => quoteName(name, dialect));
  const { type, now, changedAt } = timesOf(write, kind, dialect);
  const old = listSql(
    columns.map(({ name }) => name),
    dialect,
    'o.',
  );
  const given = columns
    .map(({ name, isGiven }) => (isGiven ? `s.${quoteName(name, dialect)}` : 'NULL'))
    .join(', ');
  // Later than both: the time of the change, and where the version before it began.
  const changeTime = `GREATEST(${changedAt('s')}, o.${validFrom})`;
  const isChanged = changeCondition(kind, columns, type, dialect);
  const parts = [
    `WITH s AS (SELECT *, ${keyColumns(key)} FROM ${subquery(source)} AS plinth__rows)`,
    `o AS (SELECT *, ${keyColumns(key)} FROM ${table} AS plinth__rows WHERE ${validTo} IS NULL)`,
    `c AS (SELECT ${keyNames(key)}, MAX(${validTo}) AS plinth__ended FROM (SELECT ${keyColumns(key)}, ${validTo} FROM ${table} AS plinth__rows WHERE ${validTo} IS NOT NULL) AS plinth__closed GROUP BY ${keyNames(key)})`,
  ];
  const changed = `FROM o JOIN s ON ${sameKey(key, 'o', 's')} WHERE ${isChanged}`;
  const selects = [
    `SELECT ${old}, o.${validFrom}, ${changeTime} AS ${validTo} ${changed}`,
    `SELECT ${given}, ${changeTime}, CAST(NULL AS ${type}) ${changed}`,
    `SELECT ${given}, CASE WHEN c.plinth__ended IS NULL THEN ${newFrom(kind, changedAt('s'), now, write)} ELSE GREATEST(c.plinth__ended, ${changedAt('s')}) END, CAST(NULL AS ${type}) FROM s LEFT JOIN o ON ${sameKey(key, 'o', 's')} LEFT JOIN c ON ${sameKey(key, 'c', 's')} WHERE o.${validFrom} IS NULL`,
    ...(kind.invalidateHardDeletes
      ? [
          `SELECT ${old}, o.${validFrom}, GREATEST(${now}, o.${validFrom}) FROM o WHERE NOT EXISTS (SELECT 1 FROM (SELECT ${keyColumns(key)} FROM ${subquery(all)} AS plinth__rows) AS plinth__all WHERE ${sameKey(key, 'plinth__all', 'o')})`,
        ]
      : []),
  ];
  return `${parts.join(', ')} ${selects.join(' UNION ALL ')}`;
}

/** When a key that never was there begins. */
function newFrom(kind: HistoryKind, changedAt: string, now: string, write: TableWrite): string {
  if (kind.kind === 'scd-type-2-by-column') return kind.updatedAtName === undefined ? now : changedAt;
  return kind.updatedAtAsValidFrom ? changedAt : timesOf(write, kind, write.dialect).epoch;
}

function changeCondition(
  kind: HistoryKind,
  columns: readonly HistoryColumn[],
  type: string,
  dialect: Dialect,
): string {
  if (kind.kind === 'scd-type-2-by-time') {
    const updated = (row: string): string =>
      `CAST(${row}.${quoteName(kind.updatedAtName, dialect)} AS ${type})`;
    const name = kind.updatedAtName.toLowerCase();
    const others = columns.filter((column) => column.isGiven && column.name.toLowerCase() !== name);
    const isOther = others
      .map((column) => quoteName(column.name, dialect))
      .map(isDistinct)
      .join(' OR ');
    return `CASE WHEN ${updated('s')} IS NULL THEN ${isOther === '' ? 'FALSE' : isOther} ELSE ${updated('o')} IS NULL OR ${updated('s')} > ${updated('o')} END`;
  }
  const watched =
    kind.columns === '*'
      ? columns.filter(({ isGiven }) => isGiven).map(({ name }) => quoteName(name, dialect))
      : kind.columns;
  return watched.map(isDistinct).join(' OR ');
}

const isDistinct = (column: string): string => `s.${column} IS DISTINCT FROM o.${column}`;
