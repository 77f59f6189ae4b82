/*
 * The built-in audits as SQL of DuckDB's dialect, over a table called THIS_MODEL; every row they return is a failure.
 *
 *   rows:   SELECT * FROM this WHERE <predicate>     NULL is neither true nor false, so such a row passes
 *   tables: any query over the rows                  a table without rows passes, except number_of_rows
 */
import type { Dialect } from '../../foundation/sql/dialect.ts';
import { parseExpression } from '../../foundation/sql/parse/parse-query.ts';
import { spellingOf } from '../../foundation/sql/print/spelling-of.ts';

/** Stands for the rows under audit until it is known where they lie. */
export const THIS_MODEL = 'plinth__this_model';

type Given = Readonly<Record<string, string>>;

const DIALECT: Dialect = 'duckdb';
const NAMES_COLUMNS = /^(?:\w+_)?columns?(?:_[ab])?$|^field$/;

/** `given` are SQL texts in DuckDB's dialect, required ones are there; undefined for an audit that is not built in. */
export function builtInQuery(name: string, written: Given): string | undefined {
  const given = Object.fromEntries(
    Object.entries(written).map(([key, text]) => [key, NAMES_COLUMNS.test(key) ? columnsText(text) : text]),
  );
  const row = Object.hasOwn(ROWS, name) ? ROWS[name]?.(given) : undefined;
  if (row !== undefined) {
    const condition = given['condition'];
    const predicate = condition === undefined ? row : `(${row}) AND (${condition})`;
    return `SELECT * FROM ${THIS_MODEL} WHERE ${predicate}`;
  }
  const table = Object.hasOwn(TABLES, name) ? TABLES[name] : undefined;
  return table?.(given, source(given));
}

const argument = (given: Given, name: string): string => `(${given[name] ?? 'NULL'})`;

/** `(a, b)`, `[a, b]` and `a` are lists of columns alike. */
function items(text: string | undefined): readonly string[] {
  if (text === undefined) return [];
  const parsed = parseExpression(text, DIALECT);
  if (!parsed.ok || (parsed.value.kind !== 'tuple' && parsed.value.kind !== 'list')) return [bare(text)];
  return parsed.value.items.map(({ span }) => bare(text.slice(span.start, span.end)));
}

/** Columns may have names that the dialect reserves: `at`, `full`. */
function columnsOf(text: string | undefined): readonly string[] {
  const { reserved, quote } = spellingOf(DIALECT);
  return items(text).map((column) => (reserved.has(column.toLowerCase()) ? quote.join(column) : column));
}

function columnsText(text: string): string {
  const columns = columnsOf(text);
  return columns.length === 1 ? (columns[0] as string) : `(${columns.join(', ')})`;
}

/** Without brackets around the whole: a list of one is often written so. */
function bare(text: string): string {
  const parsed = parseExpression(text);
  return parsed.ok ? text.slice(parsed.value.span.start, parsed.value.span.end) : text;
}

const any = (texts: readonly string[]): string =>
  texts.length === 0 ? 'FALSE' : texts.map((text) => `(${text})`).join(' OR ');
const isTrue = (text: string | undefined): boolean => !/^\(*\s*(?:false|0)\s*\)*$/i.test(text ?? 'true');
const isGiven = (text: string | undefined): text is string =>
  text !== undefined && !/^\(*\s*null\s*\)*$/i.test(text);

/** The value lies outside of min_v and max_v, which are part of the range unless `inclusive := false`. */
function outside(value: string, given: Given): string {
  const [below, above] = isTrue(given['inclusive']) ? ['<', '>'] : ['<=', '>='];
  return any([
    ...(isGiven(given['min_v']) ? [`${value} ${below} ${argument(given, 'min_v')}`] : []),
    ...(isGiven(given['max_v']) ? [`${value} ${above} ${argument(given, 'max_v')}`] : []),
  ]);
}

/** NULL in a list would make NOT IN unknown for every row, and the audit would pass whatever the rows are. */
function valueList(given: Given): readonly string[] {
  return items(given['is_in']).filter((value) => value.toUpperCase() !== 'NULL');
}

const text = (given: Given): string => `CAST(${argument(given, 'column')} AS VARCHAR)`;
const matches = (value: string, pattern: string): string => `REGEXP_MATCHES(${value}, ${pattern})`;
const UUID = "'^[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$'";
const EMAIL = String.raw`'^[A-Za-z0-9_.+-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$'`;
const URL = String.raw`'^(https?|ftp)://[^\s/$.?#][^\s]*$'`;
const METHODS = "'GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS', 'TRACE', 'CONNECT'";

/** A row matches the list when it matches one of its patterns. */
const someMatch = (given: Given, match: (pattern: string) => string): string =>
  any(items(given['patterns']).map(match));
const regex =
  (given: Given) =>
  (pattern: string): string =>
    matches(text(given), pattern);
const like =
  (given: Given) =>
  (pattern: string): string =>
    `${text(given)} LIKE ${pattern}`;

const ROWS: Readonly<Record<string, (given: Given) => string>> = {
  forall: (given) => any(items(given['criteria']).map((criterion) => `NOT (${criterion})`)),
  not_null: (given) => any(items(given['columns']).map((column) => `${column} IS NULL`)),
  accepted_values: (given) => {
    const values = valueList(given);
    const column = argument(given, 'column');
    return values.length === 0 ? `${column} IS NOT NULL` : `${column} NOT IN (${values.join(', ')})`;
  },
  not_accepted_values: (given) => {
    const values = valueList(given);
    return values.length === 0 ? 'FALSE' : `${argument(given, 'column')} IN (${values.join(', ')})`;
  },
  accepted_range: (given) => outside(argument(given, 'column'), given),
  not_empty_string: (given) => `${text(given)} = ''`,
  string_length_equal: (given) => `LENGTH(${text(given)}) <> ${argument(given, 'v')}`,
  string_length_between: (given) => outside(`LENGTH(${text(given)})`, given),
  valid_uuid: (given) => `NOT ${matches(`LOWER(${text(given)})`, UUID)}`,
  valid_email: (given) => `NOT ${matches(text(given), EMAIL)}`,
  valid_url: (given) => `NOT ${matches(text(given), URL)}`,
  valid_http_method: (given) => `${argument(given, 'column')} NOT IN (${METHODS})`,
  match_regex_pattern_list: (given) => `NOT (${someMatch(given, regex(given))})`,
  not_match_regex_pattern_list: (given) => someMatch(given, regex(given)),
  match_like_pattern_list: (given) => `NOT (${someMatch(given, like(given))})`,
  not_match_like_pattern_list: (given) => someMatch(given, like(given)),
  relationship: (given) =>
    `${argument(given, 'column')} IS NOT NULL AND ${argument(given, 'column')} NOT IN (SELECT plinth__to.${given['field']} FROM ${given['to']} AS plinth__to WHERE plinth__to.${given['field']} IS NOT NULL)`,
};

function source(given: Given): string {
  const condition = given['condition'];
  if (condition === undefined) return THIS_MODEL;
  return `(SELECT * FROM ${THIS_MODEL} WHERE ${condition}) AS plinth__rows`;
}

/** Values that occur more than once, NULL being a value like any other. */
function duplicates(columns: readonly string[], from: string): string {
  const list = columns.join(', ');
  return `SELECT ${list}, COUNT(*) AS row_count FROM ${from} GROUP BY ${list} HAVING COUNT(*) > 1`;
}

function uniqueEach(given: Given, from: string): string {
  const columns = items(given['columns']);
  if (columns.length === 1) return duplicates(columns, from);
  return columns
    .map(
      (column) =>
        `SELECT '${column.replaceAll("'", "''")}' AS column_name, CAST(${column} AS VARCHAR) AS column_value, COUNT(*) AS row_count FROM ${from} GROUP BY ${column} HAVING COUNT(*) > 1`,
    )
    .join(' UNION ALL ');
}

function outsideAggregate(aggregate: string, given: Given, from: string): string {
  const measured = `SELECT ${aggregate}(${argument(given, 'column')}) AS measured FROM ${from}`;
  return `SELECT measured FROM (${measured}) AS plinth__measured WHERE ${outside('measured', given)}`;
}

/** Tiny share for a value that one side does not have: without it the divergence of two disjoint columns would be unknown and pass. */
const NO_SHARE = '0.000001';

function klDivergence(given: Given, from: string): string {
  const share = (column: string): string =>
    `SELECT CAST(${column} AS VARCHAR) AS v, CAST(COUNT(*) AS DOUBLE) / SUM(COUNT(*)) OVER () AS share FROM ${from} WHERE ${column} IS NOT NULL GROUP BY CAST(${column} AS VARCHAR)`;
  return `SELECT divergence FROM (SELECT SUM((p - q) * LN(p / q)) AS divergence FROM (SELECT COALESCE(a.share, ${NO_SHARE}) AS p, COALESCE(b.share, ${NO_SHARE}) AS q FROM (${share(argument(given, 'source_column'))}) AS a FULL JOIN (${share(argument(given, 'target_column'))}) AS b ON a.v = b.v) AS plinth__shares) AS plinth__measured WHERE divergence > ${argument(given, 'threshold')}`;
}

/** Every pair of values counts, also one that never occurs together. */
function chiSquare(given: Given, from: string): string {
  const [a, b] = [argument(given, 'column_a'), argument(given, 'column_b')];
  const pairs = `SELECT CAST(${a} AS VARCHAR) AS a, CAST(${b} AS VARCHAR) AS b FROM ${from} WHERE ${a} IS NOT NULL AND ${b} IS NOT NULL`;
  const total = (column: string): string =>
    `SELECT ${column}, CAST(COUNT(*) AS DOUBLE) AS n FROM pairs GROUP BY ${column}`;
  const measured = `SELECT SUM((COALESCE(o.n, 0) - e.expected) * (COALESCE(o.n, 0) - e.expected) / e.expected) AS chi_square FROM expected AS e LEFT JOIN observed AS o ON o.a = e.a AND o.b = e.b`;
  const isWrong = isTrue(given['dependent'])
    ? `chi_square <= ${argument(given, 'critical_value')}`
    : `chi_square > ${argument(given, 'critical_value')}`;
  return `WITH pairs AS (${pairs}), of_a AS (${total('a')}), of_b AS (${total('b')}), observed AS (SELECT a, b, COUNT(*) AS n FROM pairs GROUP BY a, b), expected AS (SELECT of_a.a, of_b.b, of_a.n * of_b.n / (SELECT COUNT(*) FROM pairs) AS expected FROM of_a CROSS JOIN of_b), measured AS (${measured}) SELECT chi_square FROM measured WHERE ${isWrong}`;
}

/** Each range must end before the next one of its partition begins; a bound that is NULL cannot be compared and fails. */
function overlaps(given: Given, from: string): string {
  const [low, high] = [argument(given, 'lower_bound_column'), argument(given, 'upper_bound_column')];
  const clause = given['partition_clause']?.replace(/^\(*\s*PARTITION\s+BY\s+/i, '');
  const columns = clause === undefined || /^\(*\s*false/i.test(clause) ? [] : columnsOf(clause);
  const partition = columns.length === 0 ? '' : `PARTITION BY ${columns.join(', ')} `;
  const next = `LEAD(${low}) OVER (${partition}ORDER BY ${low}, ${high})`;
  const ranges = `SELECT ${[...columns.map((column, i) => `${column} AS partition_${i + 1}`), `${low} AS lower_bound`, `${high} AS upper_bound`, `${next} AS next_lower_bound`].join(', ')} FROM ${from}`;
  return `SELECT * FROM (${ranges}) AS plinth__ranges WHERE lower_bound IS NULL OR upper_bound IS NULL OR lower_bound > upper_bound OR upper_bound > next_lower_bound`;
}

const TABLES: Readonly<Record<string, (given: Given, from: string) => string>> = {
  at_least_one: (given, from) =>
    `SELECT COUNT(*) AS row_count FROM ${from} HAVING COUNT(*) > 0 AND COUNT(${argument(given, 'column')}) = 0`,
  not_null_proportion: (given, from) =>
    `SELECT COUNT(*) AS row_count, COUNT(${argument(given, 'column')}) AS not_null_count FROM ${from} HAVING COUNT(${argument(given, 'column')}) < COUNT(*) * ${argument(given, 'threshold')}`,
  not_constant: (given, from) =>
    `SELECT COUNT(*) AS row_count FROM ${from} HAVING COUNT(*) > 0 AND COUNT(DISTINCT ${argument(given, 'column')}) <= 1`,
  unique_values: uniqueEach,
  unique_combination_of_columns: (given, from) => duplicates(items(given['columns']), from),
  unique_where: (given, from) => duplicates(items(given['columns']), from),
  sequential_values: (given, from) => {
    const column = argument(given, 'column');
    const values = `SELECT ${column} AS current_value, LAG(${column}) OVER (ORDER BY ${column}) AS previous_value FROM ${from}`;
    return `SELECT * FROM (${values}) AS plinth__values WHERE current_value <> previous_value + (${given['interval'] ?? '1'})`;
  },
  mutually_exclusive_ranges: overlaps,
  number_of_rows: (given, from) =>
    `SELECT COUNT(*) AS row_count FROM ${from} HAVING COUNT(*) <= ${argument(given, 'threshold')}`,
  mean_in_range: (given, from) => outsideAggregate('AVG', given, from),
  stddev_in_range: (given, from) => outsideAggregate('STDDEV_SAMP', given, from),
  z_score: (given, from) => {
    const column = argument(given, 'column');
    const average = `(SELECT AVG(${column}) FROM ${from})`;
    const spread = `NULLIF((SELECT STDDEV_SAMP(${column}) FROM ${from}), 0)`;
    return `SELECT * FROM ${from} WHERE ABS((${column} - ${average}) / ${spread}) > ${argument(given, 'threshold')}`;
  },
  kl_divergence: klDivergence,
  chi_square: chiSquare,
};
