/* What is measured of a column, and how it is said in SQL: in three passes, because each needs numbers of the one before. */
import { quoteText } from '../../foundation/sql/quote.ts';
import type { CellPart, ProfileAnswers, RowsPart } from './profile-queries.ts';
import { earlierValues, type ProfiledColumn } from './profiled-column.ts';
import { castTo, countWhere, spelled } from './spelled.ts';

/** Values that a profile lists, patterns, and characters of a text that it shows. */
export const TOP_VALUES = 20;
export const TOP_PATTERNS = 10;
export const SHOWN_LENGTH = 200;
const PATTERN_LENGTH = 60;
/** Quantiles at 1/8 … 7/8: the edges of the bins that later profiles compare with; three of them are the quartiles. */
export const EIGHTHS = [1, 2, 3, 4, 5, 6, 7] as const;
/** Squares of greater numbers, and sums of them, leave the range of a DOUBLE. */
const SQUARE_MAX = 1e150;
/** Sums of whole numbers and decimals are exact below this. */
const EXACT_SUM_MAX = 1e37;

/** The first pass: counts, ends, lengths. */
export function firstMeasures(column: ProfiledColumn): readonly CellPart[] {
  const { family, value, finite, double, dialect } = column;
  const part = (what: string, sql: string): CellPart => ({ key: `${column.key}.${what}`, sql });
  const known: CellPart = { ...part('known', `COUNT(${value})`), isNeeded: true };
  switch (family) {
    case 'number':
      return [
        known,
        part('min', `MIN(${finite})`),
        part('max', `MAX(${finite})`),
        part('low', `MIN(${double})`),
        part('high', `MAX(${double})`),
        part('zeros', countWhere(`${finite} = 0`, dialect)),
        part('negatives', countWhere(`${finite} < 0`, dialect)),
      ];
    case 'text': {
      const text = castTo('VARCHAR', value, dialect);
      const length = spelled('length', [text], dialect);
      const shown = (sql: string): string => `SUBSTR(${sql}, 1, ${SHOWN_LENGTH})`;
      return [
        known,
        part('min', shown(`MIN(${text})`)),
        part('max', shown(`MAX(${text})`)),
        part('shortest', `MIN(${length})`),
        part('longest', `MAX(${length})`),
        part('length', `AVG(${castTo('DOUBLE', length, dialect)})`),
        part('empties', countWhere(`${text} = ''`, dialect)),
      ];
    }
    case 'time':
      return [known, part('min', `MIN(${value})`), part('max', `MAX(${value})`)];
    default:
      return [known];
  }
}

/** The second pass over numbers: what could leave the range of a type is asked in a type that can hold it, or not at all. */
export function numberMeasures(
  column: ProfiledColumn,
  answers: ProfileAnswers,
  rows: number,
): readonly CellPart[] {
  const { key, finite, double, dialect, isFloating } = column;
  const [low, high] = [answers.number(`${key}.low`), answers.number(`${key}.high`)];
  if (low === undefined || high === undefined) return [];
  const greatest = Math.max(Math.abs(low), Math.abs(high));
  const part = (what: string, sql: string): CellPart => ({ key: `${key}.${what}`, sql });
  if (greatest * rows > Number.MAX_VALUE) return [];
  const summed = isFloating || greatest * rows > EXACT_SUM_MAX ? double : finite;
  return [
    part('sum', spelled('sum', [summed], dialect)),
    part('avg', spelled('avg', [summed], dialect)),
    ...(greatest < SQUARE_MAX ? [part('stddev', spelled('stddev_samp', [double], dialect))] : []),
  ];
}

export function quantileMeasures(
  { key, double, dialect }: ProfiledColumn,
  isExact: boolean,
): readonly CellPart[] {
  const name = isExact ? 'quantile_cont' : 'approx_quantile';
  return EIGHTHS.map((eighth) => ({
    key: `${key}.q${eighth}`,
    sql: spelled(name, [double, String(eighth / 8)], dialect),
  }));
}

/** Number of different values without counting each: always possible in little memory. */
export function aboutDistinct({ key, value, dialect }: ProfiledColumn): CellPart {
  return { key: `${key}.about`, sql: spelled('approx_count_distinct', [value], dialect) };
}

export function exactDistinct({ key, value }: ProfiledColumn): CellPart {
  return { key: `${key}.distinct`, sql: `COUNT(DISTINCT ${value})` };
}

/** The most frequent values with their rows, and those that earlier profiles know; each row has the number of values, and of rows whose value is not alone. */
export function valueRows(column: ProfiledColumn, from: string): RowsPart {
  const { value, dialect } = column;
  const text = (name: string): string => `SUBSTR(${castTo('VARCHAR', name, dialect)}, 1, ${SHOWN_LENGTH})`;
  const known = earlierValues(column).map((each) => quoteText(each, dialect));
  const isKnown = known.length === 0 ? '' : ` OR ${text('v')} IN (${known.join(', ')})`;
  return {
    key: `${column.key}.values`,
    sql: (first) =>
      `SELECT ${first}, ${text('v')} AS shown, n, place, d, u FROM (SELECT v, n, COUNT(*) OVER () AS d, SUM(CASE WHEN n > 1 THEN n ELSE 0 END) OVER () AS u, ROW_NUMBER() OVER (ORDER BY n DESC, v) AS place FROM (SELECT ${value} AS v, COUNT(*) AS n FROM ${from} WHERE ${value} IS NOT NULL GROUP BY ${value}) AS counted) AS placed WHERE place <= ${TOP_VALUES}${isKnown}`,
  };
}

/** The most frequent shapes of texts: lower case letters as a, upper case ones as A, digits as 9. */
export function patternRows({ key, value, dialect }: ProfiledColumn, from: string): RowsPart {
  const shape = [
    ['\\p{Lu}', 'A'],
    ['\\p{L}', 'a'],
    ['\\p{Nd}', '9'],
  ].reduce(
    (sql, [letters = '', sign = '']) =>
      spelled('regexp_replace', [sql, quoteText(letters, dialect), quoteText(sign, dialect), "'g'"], dialect),
    `SUBSTR(${castTo('VARCHAR', 'v', dialect)}, 1, ${PATTERN_LENGTH})`,
  );
  const values = `SELECT ${value} AS v, COUNT(*) AS n FROM ${from} WHERE ${value} IS NOT NULL GROUP BY ${value}`;
  return {
    key: `${key}.patterns`,
    sql: (first) =>
      `SELECT ${first}, p, total FROM (SELECT p, SUM(n) AS total, ROW_NUMBER() OVER (ORDER BY SUM(n) DESC, p) AS place FROM (SELECT ${shape} AS p, n FROM (${values}) AS counted) AS shaped GROUP BY p) AS placed WHERE place <= ${TOP_PATTERNS}`,
  };
}

/** How many values lie between edges, which are sorted: row i has those from edge i − 1 on and below edge i. */
export function binRows(
  { key, double, dialect }: ProfiledColumn,
  edges: readonly number[],
  from: string,
): RowsPart {
  const below = edges.map((edge, i) => `WHEN x < ${castTo('DOUBLE', `'${edge}'`, dialect)} THEN ${i}`);
  const bin = below.length === 0 ? '0' : `CASE ${below.join(' ')} ELSE ${edges.length} END`;
  const values = `SELECT ${double} AS x FROM ${from}`;
  return {
    key: `${key}.bins`,
    sql: (first) =>
      `SELECT ${first}, bin, COUNT(*) AS n FROM (SELECT ${bin} AS bin FROM (${values}) AS doubles WHERE x IS NOT NULL) AS placed GROUP BY bin`,
  };
}
