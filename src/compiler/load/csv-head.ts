import type { CsvSettings } from '../../domain/model-kind.ts';

/** The first rows of a CSV text. */
export interface CsvHead {
  readonly rows: readonly (readonly string[])[];
  /** The text ended inside quotes: the last row is not whole. */
  readonly endsInQuotes: boolean;
  /** The text ended with a line end: the last row is whole. */
  readonly endsWithLine: boolean;
}

/**
 * Reads rows from the head of a file as the settings say; blank lines are skipped, and quotes may hold delimiters and line
 * ends. With `isExact` blank lines are rows of one value, and each value begins with `"` or `=`, by whether it was in quotes.
 */
export function readCsvHead(
  text: string,
  settings: CsvSettings,
  rowsMax: number,
  { isExact = false }: { readonly isExact?: boolean } = {},
): CsvHead {
  const { delimiter, quotechar, escapechar, doublequote, skipinitialspace, lineterminator } = settings;
  const rows: (readonly string[])[] = [];
  let row: string[] = [];
  let field = '';
  let isQuoted = false;
  let wasQuoted = false;
  let i = 0;
  const endField = (): void => {
    row.push(isExact ? `${wasQuoted ? '"' : '='}${field}` : field);
    field = '';
    wasQuoted = false;
  };
  const endRow = (): void => {
    const isBlank = row.length === 0 && field === '' && !wasQuoted;
    endField();
    if (!isBlank || isExact) rows.push(row);
    row = [];
  };
  while (i < text.length && rows.length < rowsMax) {
    const char = text[i] as string;
    if (escapechar !== undefined && char === escapechar && i + 1 < text.length) {
      field += text[i + 1];
      i += 2;
    } else if (isQuoted) {
      if (char !== quotechar) field += char;
      else if (doublequote && text[i + 1] === quotechar) {
        field += quotechar;
        i++;
      } else isQuoted = false;
      i++;
    } else if (char === quotechar && field === '') {
      isQuoted = wasQuoted = true;
      i++;
    } else if (text.startsWith(delimiter, i)) {
      endField();
      i += delimiter.length;
      while (skipinitialspace && text[i] === ' ') i++;
    } else if (
      lineterminator !== undefined ? text.startsWith(lineterminator, i) : char === '\n' || char === '\r'
    ) {
      endRow();
      i += lineterminator?.length ?? (char === '\r' && text[i + 1] === '\n' ? 2 : 1);
    } else {
      field += char;
      i++;
    }
  }
  const endsWithLine = row.length === 0 && field === '' && !wasQuoted;
  if (rows.length < rowsMax && !endsWithLine) endRow();
  return { rows, endsInQuotes: isQuoted, endsWithLine };
}

/** Texts that mean a missing value unless `keep_default_na` is false; the same as in SQLMesh. */
export const MISSING_VALUES: readonly string[] = [
  '', '#N/A', '#N/A N/A', '#NA', '-1.#IND', '-1.#QNAN', '-NaN', '-nan', '1.#IND', '1.#QNAN', '<NA>', 'N/A', 'NA', 'NULL', 'NaN', 'None', 'n/a', 'nan', 'null',
]; // biome-ignore format: a table

const INTEGER = /^[+-]?(?:0|[1-9]\d{0,17})$/;
const DECIMAL = /^[+-]?(?:0|[1-9]\d*)?(?:\.\d*)?(?:[eE][+-]?\d{1,3})?$/;
const DATE = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?$/;

const TYPES: readonly { readonly type: string; readonly fits: (value: string) => boolean }[] = [
  { type: 'BOOLEAN', fits: (value) => /^(?:true|false)$/i.test(value) },
  { type: 'BIGINT', fits: (value) => INTEGER.test(value) },
  { type: 'DOUBLE', fits: (value) => DECIMAL.test(value) && /\d/.test(value) },
  { type: 'DATE', fits: (value) => DATE.test(value) },
  { type: 'TIMESTAMP', fits: (value) => DATE.test(value) || TIMESTAMP.test(value) },
];

/**
 * The type of a column that the block does not declare, from the values in the head of the file: the first of BOOLEAN, BIGINT, DOUBLE,
 * DATE, TIMESTAMP that fits all of them, else VARCHAR. Numbers with leading zeros are codes, not numbers; a column without values is VARCHAR.
 */
export function sniffType(values: readonly string[], missing: ReadonlySet<string>): string {
  const present = values.filter((value) => !missing.has(value));
  if (present.length === 0) return 'VARCHAR';
  return TYPES.find(({ fits }) => present.every(fits))?.type ?? 'VARCHAR';
}
