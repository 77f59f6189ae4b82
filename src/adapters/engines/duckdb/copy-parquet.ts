import type { Answer, WriteSession } from '../../../domain/engine.ts';
import { quoteName, quoteText } from '../../../foundation/sql/quote.ts';
import { uniqueNames } from '../../../foundation/unique-names.ts';

/** Copies rows, one JSON object a line with members c0, c1, …, into a Parquet file. */
export async function copyParquet(
  session: Pick<WriteSession, 'query' | 'execute'>,
  columns: Answer['columns'],
  { rows, file }: { readonly rows: string; readonly file: string },
): Promise<void> {
  const text = (value: string): string => quoteText(value, 'duckdb');
  const types = columns.map(({ type }, index) => `c${index}: ${text(readable(type))}`);
  const source = `read_json(${text(rows)}, format = 'newline_delimited', columns = {${types.join(', ')}})`;
  const wide = columns.flatMap(({ type }, index) => (type.toUpperCase() === 'HUGEINT' ? [index] : []));
  const fits = await fittingColumns(session, source, wide);
  const names = uniqueNames(columns.map(({ name }) => name));
  const list = columns.map(({ type }, index) => {
    const cell = fits.has(index) ? `CAST(c${index} AS ${WIDEST})` : cellOf(type, index);
    return `${cell} AS ${quoteName(names[index] as string, 'duckdb')}`;
  });
  await session.execute(`COPY (SELECT ${list.join(', ')} FROM ${source}) TO ${text(file)} (FORMAT parquet)`);
}

/** Of integers that Parquet has no type for: as in Arrow, sums are decimals when all of them fit, and the rest text. */
const WIDEST = 'DECIMAL(38, 0)';

async function fittingColumns(
  session: Pick<WriteSession, 'query'>,
  source: string,
  wide: readonly number[],
): Promise<ReadonlySet<number>> {
  if (wide.length === 0) return new Set();
  const each = wide.map(
    (index) => `count(*) FILTER (WHERE c${index} IS NOT NULL AND TRY_CAST(c${index} AS ${WIDEST}) IS NULL)`,
  );
  const [counts = []] = (await session.query(`SELECT ${each.join(', ')} FROM ${source}`)).rows;
  return new Set(wide.filter((_, at) => Number(counts[at]) === 0));
}

/**
 * Words of types that both DuckDB's reader of JSON and its writer of Parquet keep exactly, in whatever is nested. All else is
 * text: integers that Parquet has no type for would become floating-point numbers, maps, unions, bits and intervals inside
 * lists cannot be read from JSON.
 */
const KEPT = new Set(
  `BOOLEAN TINYINT SMALLINT INTEGER BIGINT UTINYINT USMALLINT UINTEGER UBIGINT FLOAT DOUBLE DECIMAL DATE TIME TIMESTAMP
  TIMESTAMP_S TIMESTAMP_MS TIMESTAMP_NS WITH ZONE VARCHAR UUID BLOB ENUM STRUCT`.split(/\s+/),
);
const QUOTED = /"(?:[^"]|"")*"|'(?:[^']|'')*'/g;

function isKept(type: string): boolean {
  const words =
    type
      .toUpperCase()
      .replaceAll(QUOTED, '')
      .match(/[A-Z_]\w*/g) ?? [];
  return words.every((word) => KEPT.has(word)) || type.toUpperCase() === 'INTERVAL';
}

/** Bytes come as text with escapes (`\xAA`), which only a cast reads; names and labels may be called like a type. */
const withoutBytes = (type: string): string =>
  type.replaceAll(new RegExp(`${QUOTED.source}|\\bBLOB\\b`, 'gi'), (word) =>
    word.toUpperCase() === 'BLOB' ? 'VARCHAR' : word,
  );

/** A column of nothing but NULL has no type of its own. */
const readable = (type: string): string => {
  if (/^(?:"?NULL"?|UNKNOWN|SQLNULL)$/i.test(type)) return 'INTEGER';
  return isKept(type) ? withoutBytes(type) : 'VARCHAR';
};

const cellOf = (type: string, index: number): string =>
  isKept(type) && withoutBytes(type) !== type ? `CAST(c${index} AS ${type})` : `c${index}`;
