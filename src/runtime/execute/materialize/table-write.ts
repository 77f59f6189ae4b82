import type { RenderedSnapshot } from '../../../compiler/render/render-snapshot.ts';
import type { AnswerColumn, Engine, TableLayout, WriteSession } from '../../../domain/engine.ts';
import type { Model } from '../../../domain/model.ts';
import { physicalRelation, type Relation, relationSql } from '../../../domain/relation.ts';
import type { Dialect } from '../../../foundation/sql/dialect.ts';
import { quoteName } from '../../../foundation/sql/quote.ts';
import { isWholeType } from '../../../foundation/sql/types/type-names.ts';
import type { Batch } from '../batch.ts';
import type { Sending } from './sending.ts';

/** One batch on its way into its table. */
export interface TableWrite {
  readonly session: WriteSession;
  readonly engine: Engine;
  readonly batch: Batch;
  readonly model: Model;
  readonly rendered: RenderedSnapshot;
  readonly relation: Relation;
  readonly dialect: Dialect;
  readonly layout: TableLayout;
  readonly sending: Sending;
  /** Tables made beside the target; dropped when the write is done. */
  readonly stagingTables: Relation[];
}

/** The rows of a batch before they are in the table: a query that may be asked again when it is staged. */
export interface BatchRows {
  readonly query: string;
  /** Names in order, with types where they are known. */
  readonly columns: readonly AnswerColumn[];
  readonly isStaged: boolean;
  /** A query of all rows that came in, those that an audit holds back included; absent where none can be. */
  readonly all?: string;
}

/** What was sent for a batch; counts come when the engine is through. */
export interface BatchWrite {
  readonly rows: Promise<number>;
  /** Rows of the source this accounts for, where that differs from the rows written: a merge writes what changed. */
  readonly accounted?: Promise<number>;
  readonly rowsOutside?: Promise<number>;
  /** Audits look at these rows of the table only; absent: at all. */
  readonly filter?: string;
}

/** How one kind gets its rows into its table. */
export type Materialize = (write: TableWrite, source: BatchRows) => Promise<BatchWrite>;

const UNKNOWN = 'UNKNOWN';

/** The query of a model as a source: with declared types, and columns as far as they are known without asking. */
export function sourceOf({ model, rendered, dialect }: TableWrite): BatchRows {
  const { query } = rendered;
  const declared = model.source.kind === 'sql' ? queried(model, model.declaredColumns ?? []) : undefined;
  if (declared !== undefined && declared.length > 0) {
    const casts = declared.map(({ name, type }) => {
      const quoted = quoteName(name, dialect);
      return isWholeType(type) ? `CAST(${quoted} AS ${type}) AS ${quoted}` : quoted;
    });
    return {
      query: `SELECT ${casts.join(', ')} FROM ${subquery(query)} AS plinth__query`,
      columns: declared,
      isStaged: false,
    };
  }
  return { query, columns: model.hasAllColumns ? queried(model, model.columns) : [], isStaged: false };
}

/** Columns that the query gives: those of a history's periods are added by the write. */
function queried<Column extends AnswerColumn>(
  { kind }: Model,
  columns: readonly Column[],
): readonly Column[] {
  if (!('validFromName' in kind)) return columns;
  const own = [kind.validFromName.toLowerCase(), kind.validToName.toLowerCase()];
  return columns.filter(({ name }) => !own.includes(name.toLowerCase()));
}

/** The source with its columns, asked for when they were not known. */
export async function withColumns(write: TableWrite, source: BatchRows): Promise<BatchRows> {
  if (source.columns.length > 0) return source;
  return { ...source, columns: await columnsOfQuery(write, source.query) };
}

/** The type of one column; asks the engine when the text does not say it. */
export async function typeOfColumn(write: TableWrite, source: BatchRows, name: string): Promise<string> {
  const find = (columns: readonly AnswerColumn[]): string | undefined =>
    columns.find((column) => column.name.toLowerCase() === name.toLowerCase())?.type;
  const known = find(source.columns);
  if (known !== undefined && isWholeType(known)) return known;
  return find(await columnsOfQuery(write, source.query)) ?? UNKNOWN;
}

/** What the engine says the columns of a query are; reads no rows. */
export async function columnsOfQuery(
  { session, sending }: TableWrite,
  query: string,
): Promise<readonly AnswerColumn[]> {
  const answer = await sending.send(
    session.query(`SELECT * FROM ${subquery(query)} AS plinth__query WHERE FALSE`),
  );
  return answer.columns;
}

/** The columns of the source that the table has: with `on_additive_change ignore` it may have fewer. */
export async function insertColumns(write: TableWrite, source: BatchRows): Promise<readonly string[]> {
  const { kind } = write.model;
  const names = source.columns.map(({ name }) => name);
  if (!('onAdditiveChange' in kind) || (kind.onAdditiveChange !== 'ignore' && source.columns.length > 0))
    return names;
  const table = await columnsOfQuery(write, `SELECT * FROM ${relationSql(write.relation, write.dialect)}`);
  const has = new Set(table.map(({ name }) => name.toLowerCase()));
  return names.filter((name) => has.has(name.toLowerCase()));
}

/** Writes the source into a table of its own beside the target, so that it is computed once. Its rows are counted when they are asked for. */
export function intoStagingTable(
  write: TableWrite,
  source: BatchRows,
): { readonly source: BatchRows; readonly rows: () => Promise<number> } {
  if (source.isStaged) return { source, rows: () => countOf(write, source.query) };
  const relation = stagingRelation(write);
  write.stagingTables.push(relation);
  const rows = write.sending.send(write.session.replaceTable(relation, source.query));
  return {
    source: { ...source, query: `SELECT * FROM ${relationSql(relation, write.dialect)}`, isStaged: true },
    rows: () => rows,
  };
}

function stagingRelation({ batch, engine, stagingTables: stages }: TableWrite): Relation {
  const { table, token, range } = batch;
  // Batches of one table may run side by side, each in its own transaction.
  const version = `${table.version}__stage_${token}_${range.start}_${stages.length}`;
  return physicalRelation({ model: table.model, version }, engine.capabilities.identifierMax);
}

/** How many rows a query has. */
export async function countOf({ session, sending }: TableWrite, query: string): Promise<number> {
  const answer = await sending.send(
    session.query(`SELECT COUNT(*) FROM ${subquery(query)} AS plinth__query`),
  );
  return Number(answer.rows[0]?.[0] ?? 0);
}

/** In brackets, with a line's end: the text may end in a comment. */
export function subquery(query: string): string {
  return `(\n${query}\n)`;
}

/** Names as SQL lists them. */
export function listSql(names: readonly string[], dialect: Dialect, qualifier = ''): string {
  return names.map((name) => `${qualifier}${quoteName(name, dialect)}`).join(', ');
}
