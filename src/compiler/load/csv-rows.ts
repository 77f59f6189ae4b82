import { failure } from '../../domain/failure.ts';
import type { CsvSettings } from '../../domain/model-kind.ts';
import type { TestRow } from '../../domain/model-test.ts';
import { MISSING_VALUES, readCsvHead } from './csv-head.ts';

/** CSV of a test: what it is called in messages, its bytes or text, and how it is read. */
export interface CsvSource {
  readonly path: string;
  readonly content: string | Uint8Array;
  readonly csv: Partial<CsvSettings>;
}

/** What cannot be typed in every YAML string. */
const ESCAPES: Readonly<Record<string, string>> = { '\\t': '\t', '\\n': '\n', '\\r': '\r', '\\r\\n': '\r\n' };

/** Rows as all settings say, by the same reader as seeds; what means a missing value is NULL, everything else text. */
export function csvRows(source: CsvSource): readonly TestRow[] {
  const settings = completed(source);
  const { rows, endsInQuotes } = readCsvHead(decoded(source, settings), settings, Number.POSITIVE_INFINITY);
  if (endsInQuotes) throw unreadable(source, 'a quote is left open');
  const [header = [], ...values] = rows;
  const names = header.map((name) => name.trim());
  const missing = names.map((name) => missingIn(settings, name));
  return values.map((row, i) => {
    if (row.length > names.length)
      throw unreadable(source, `row ${i + 1} has ${row.length} values for ${names.length} columns`);
    return names.map((column, at) => {
      const value = row[at];
      const isMissing = value === undefined || missing[at]?.has(value) === true;
      return { column, value: isMissing ? null : value, start: 0, end: 0 };
    });
  });
}

function completed(source: CsvSource): CsvSettings {
  const character = (key: 'delimiter' | 'quotechar' | 'escapechar'): string | undefined => {
    const written = source.csv[key];
    const value = written === undefined ? undefined : (ESCAPES[written] ?? written);
    if (value !== undefined && value.length !== 1)
      throw unreadable(source, `csv_settings.${key} is not one character`);
    return value;
  };
  const { csv } = source;
  const escapechar = character('escapechar');
  const lineterminator = csv.lineterminator && (ESCAPES[csv.lineterminator] ?? csv.lineterminator);
  return {
    delimiter: character('delimiter') ?? ',',
    quotechar: character('quotechar') ?? '"',
    doublequote: csv.doublequote ?? true,
    ...(escapechar === undefined ? {} : { escapechar }),
    skipinitialspace: csv.skipinitialspace ?? false,
    ...(lineterminator === undefined || lineterminator === '' ? {} : { lineterminator }),
    encoding: csv.encoding ?? 'utf-8',
    naValues: csv.naValues ?? [],
    keepDefaultNa: csv.keepDefaultNa ?? true,
  };
}

function missingIn({ naValues, keepDefaultNa }: CsvSettings, column: string): ReadonlySet<string> {
  const own = 'length' in naValues ? (naValues as readonly string[]) : (naValues[column] ?? []);
  return new Set([...(keepDefaultNa ? MISSING_VALUES : ['']), ...own]);
}

/** Text that stands in the test has been decoded with it. */
function decoded(source: CsvSource, { encoding }: CsvSettings): string {
  const { content } = source;
  if (typeof content === 'string') return content;
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(content);
  } catch (cause) {
    const isUnknown = cause instanceof RangeError;
    throw unreadable(source, isUnknown ? `${encoding} is not an encoding` : `it is not ${encoding}`);
  }
}

function unreadable({ path }: CsvSource, detail: string): Error {
  return failure('cli.cannot-read', { path, detail });
}
