/*
 * A model that reads itself. What it finds there depends on its kind:
 *
 *   by time range   its rows before the interval: filling one again, or looking back, sees what the first time saw
 *   all others      its rows as they are
 *
 * Where the table is made, it is empty: with declared columns, else with those that the engine gives the query over a table
 * of such columns. As long as the engine finds other types than it was given, it is asked again.
 */
import { replaceTables } from '../../../compiler/render/replace-tables.ts';
import type { AnswerColumn } from '../../../domain/engine.ts';
import { Failure, failure } from '../../../domain/failure.ts';
import { type Relation, relationSql } from '../../../domain/relation.ts';
import { quoteName } from '../../../foundation/sql/quote.ts';
import { columnsOfQuery, type TableWrite } from './table-write.ts';
import { timeFilter } from './time-filter.ts';
import { timedColumn } from './time-range.ts';

/** Types that grow with each round, as those of decimals, are taken as they are after this many. */
const ROUNDS_MAX = 4;
const UNKNOWN = 'UNKNOWN';
/** The only column of a table of which no column is known. */
const NOTHING = 'plinth__nothing';

export function readsOwnTable({ rendered, relation, dialect, model }: TableWrite): boolean {
  return model.kind.kind !== 'view' && rendered.query.includes(relationSql(relation, dialect));
}

/** The write with the query that reads the model's own past; its table is there, and empty when it is rebuilt. */
export async function withOwnPast(write: TableWrite): Promise<TableWrite> {
  const { batch, session, sending, relation, layout, model, rendered, dialect } = write;
  if (batch.isFirst && batch.filled.length > 0) sending.send(session.remove(relation));
  else if (batch.isFirst)
    sending.send(session.replaceTable(relation, emptyRows(write, await ownColumns(write)), layout));
  if (model.kind.kind !== 'incremental-by-time-range') return write;
  const table = { query: `SELECT * FROM ${relationSql(relation, dialect)}`, columns: [], isStaged: true };
  const past = timeFilter(await timedColumn(write, table), { end: batch.range.start }, dialect);
  const query = await overOwnRows(write, `${table.query} WHERE ${past}`);
  return { ...write, rendered: { ...rendered, query } };
}

/** Its columns with types, and those of a history's periods. */
async function ownColumns(write: TableWrite): Promise<readonly AnswerColumn[]> {
  let columns = withPeriods(write, columnsByText(write));
  if (columns.length > 0 && columns.every(isKnown)) return columns;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const found = withPeriods(write, await columnsOver(write, columns));
    const isSame =
      found.length === columns.length &&
      found.every(({ name, type }, i) => columns[i]?.name === name && columns[i]?.type === type);
    columns = found;
    if (isSame) break;
  }
  if (columns.some(({ name }) => name === NOTHING))
    throw unknownColumns(write, 'a star of its query stands for its own columns.');
  return columns;
}

/** As far as the text shows: those that are declared or selected, else those that it reads of itself. */
function columnsByText({ model }: TableWrite): readonly AnswerColumn[] {
  const declared = model.declaredColumns ?? [];
  if (declared.length > 0) return declared;
  if (model.hasAllColumns) return model.columns;
  const read = model.reads[model.name];
  return Array.isArray(read) ? read.map((name: string) => ({ name, type: UNKNOWN })) : [];
}

/** What the engine says of the query over an empty table of these columns. */
async function columnsOver(
  write: TableWrite,
  columns: readonly AnswerColumn[],
): Promise<readonly AnswerColumn[]> {
  try {
    return await columnsOfQuery(write, await overOwnRows(write, emptyRows(write, columns)));
  } catch (cause) {
    if (cause instanceof Failure && cause.isRetryable) throw cause;
    throw unknownColumns(write, cause instanceof Error ? cause.message : String(cause), cause);
  }
}

const unknownColumns = ({ model }: TableWrite, detail: string, cause?: unknown): Failure =>
  failure('audit.own-columns-unknown', { model: model.name, detail }, { cause });

const isKnown = ({ type }: AnswerColumn): boolean => type !== UNKNOWN && !/^(?:"?NULL"?)?$/i.test(type);

function withPeriods(
  { model: { kind } }: TableWrite,
  columns: readonly AnswerColumn[],
): readonly AnswerColumn[] {
  if (!('validFromName' in kind) || columns.length === 0) return columns;
  const names = [kind.validFromName, kind.validToName];
  const own = new Set(names.map((name) => name.toLowerCase()));
  return [
    ...columns.filter(({ name }) => !own.has(name.toLowerCase())),
    ...names.map((name) => ({ name, type: kind.timeDataType })),
  ];
}

/** No rows of these columns; what has no type yet takes any. */
function emptyRows({ dialect }: TableWrite, columns: readonly AnswerColumn[]): string {
  const list = columns.map((column) => {
    const value = isKnown(column) ? `CAST(NULL AS ${column.type})` : 'NULL';
    return `${value} AS ${quoteName(column.name, dialect)}`;
  });
  return `SELECT ${list.length === 0 ? `NULL AS ${NOTHING}` : list.join(', ')} WHERE FALSE`;
}

/** The query with another one where it names its own table. */
async function overOwnRows(
  { rendered, relation, dialect, model }: TableWrite,
  rows: string,
): Promise<string> {
  const isOwn = (parts: readonly { readonly name: string }[]): boolean => {
    const [name, schema, catalog] = parts.map((part) => part.name.toLowerCase()).reverse();
    return (
      isPart(name, relation.name) &&
      isPart(schema, relation.schema) &&
      (catalog === undefined || isPart(catalog, relation.catalog))
    );
  };
  const replaced = await replaceTables({ text: rendered.query, dialect }, (parts) =>
    isOwn(parts) ? { kind: 'query', sql: rows } : undefined,
  );
  if (replaced === undefined)
    throw failure('sql.unsupported', {
      problem: `the query of ${model.name} reads its own table, and it cannot be read here`,
    });
  return replaced.text;
}

const isPart = (written: string | undefined, own: Relation[keyof Relation]): boolean =>
  written === own?.toLowerCase();
