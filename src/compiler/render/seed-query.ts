import type { Model } from '../../domain/model.ts';
import type { CsvSettings } from '../../domain/model-kind.ts';
import { quoteName, quoteText } from '../../foundation/sql/quote.ts';
import { ENCODINGS, LINE_ENDS } from '../load/header/csv-settings.ts';
import { missingValues } from '../load/load-seed.ts';

/** The rows of a seed as DuckDB reads them from its CSV file: every declared column with its type. */
export function seedQuery(model: Model): string {
  if (model.source.kind !== 'seed' || model.kind.kind !== 'seed')
    throw new Error(`${model.name} is not a seed`);
  const { header, path } = model.source;
  const { csv } = model.kind;
  const types = new Map(model.columns.map(({ name, type }) => [name.toLowerCase(), type]));
  const typeOf = (name: string): string => types.get(name.toLowerCase()) ?? 'VARCHAR';
  // READ_CSV has one list of missing values for all columns and keeps blanks: otherwise texts are read and changed afterwards.
  const isChanged = csv.skipinitialspace || !Array.isArray(csv.naValues);
  const columns = header.map((name) => `${text(name)}: ${text(isChanged ? 'VARCHAR' : typeOf(name))}`);
  const options = [
    `header = true`,
    `delim = ${text(csv.delimiter)}`,
    `quote = ${text(csv.quotechar)}`,
    ...(isChanged ? [] : [`nullstr = [${list(missingValues(csv, ''))}]`]),
    ...otherOptions(csv),
    `columns = {${columns.join(', ')}}`,
  ];
  const loaded = header.filter((name) => types.has(name.toLowerCase()));
  const selected = isChanged
    ? loaded.map((name) => changed(name, typeOf(name), csv)).join(', ')
    : loaded.length === header.length
      ? '*'
      : loaded.map(quoted).join(', ');
  return `SELECT ${selected} FROM READ_CSV(${text(path)}, ${options.join(', ')})`;
}

const text = (value: string): string => quoteText(value, 'duckdb');
const quoted = (name: string): string => quoteName(name, 'duckdb');
const list = (values: Iterable<string>): string => [...values].map(text).join(', ');

function changed(name: string, type: string, csv: CsvSettings): string {
  const value = csv.skipinitialspace ? `LTRIM(${quoted(name)}, ' ')` : quoted(name);
  const missing = `CASE WHEN ${value} IN (${list(missingValues(csv, name))}) THEN NULL ELSE ${value} END`;
  return `CAST(${missing} AS ${type}) AS ${quoted(name)}`;
}

function otherOptions(csv: CsvSettings): readonly string[] {
  const escapeSign = csv.escapechar ?? (csv.doublequote ? undefined : '');
  const newLine = csv.lineterminator === undefined ? undefined : LINE_ENDS[csv.lineterminator];
  const encoding = ENCODINGS[csv.encoding];
  return [
    ...(escapeSign === undefined ? [] : [`escape = ${text(escapeSign)}`]),
    ...(newLine === undefined ? [] : [`new_line = '${newLine}'`]),
    ...(encoding === undefined ? [] : [`encoding = ${text(encoding)}`]),
  ];
}
