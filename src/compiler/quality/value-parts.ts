import { quoteText } from '../../foundation/sql/quote.ts';
import { shapeSql } from './frequent-shapes.ts';
import type { CellPart, RowsPart } from './profile-queries.ts';
import { earlierValues, type ProfiledColumn } from './profiled-column.ts';
import { castTo, limited } from './spelled.ts';

/** Values that a profile lists, patterns, and characters of a text that it shows. */
export const TOP_VALUES = 20;
const TOP_PATTERNS = 10;
export const SHOWN_LENGTH = 200;
const PATTERN_LENGTH = 60;

/**
 * What is known from the counts of a column's values, which are counted once: the most frequent values with their rows, and those that
 * earlier profiles know, each with the number of values, and of rows whose value is not alone; of texts, the most frequent patterns.
 */
export function valueParts(
  column: ProfiledColumn,
  from: string,
  frequent: readonly string[],
): readonly RowsPart[] {
  const { key, family, value } = column;
  const name = `counted_${key}`;
  const reads = {
    name,
    sql: `SELECT ${value} AS v, COUNT(*) AS n FROM ${from} WHERE ${value} IS NOT NULL GROUP BY ${value}`,
  };
  const values: RowsPart = { key: `${key}.values`, sql: (first) => topValues(column, name, first), reads };
  if (family !== 'text') return [values];
  const patterns = (first: string): string => topPatterns(column, { name, first, frequent });
  return [values, { key: `${key}.patterns`, sql: patterns, reads }];
}

/** Every value that is listed with its rows and its place; those known from earlier, behind the most frequent ones, have the last place. */
function topValues(column: ProfiledColumn, counted: string, first: string): string {
  const { dialect } = column;
  const shown = `SUBSTR(${castTo('VARCHAR', 'v', dialect)}, 1, ${SHOWN_LENGTH})`;
  const top = limited(`SELECT v, n FROM ${counted} ORDER BY n DESC, v`, TOP_VALUES, dialect);
  const placed = `SELECT v, n, ROW_NUMBER() OVER (ORDER BY n DESC, v) AS place FROM (${top}) AS most`;
  const known = earlierValues(column).map((each) => quoteText(each, dialect));
  const others = `SELECT v, n, ${TOP_VALUES + 1} AS place FROM ${counted} WHERE ${shown} IN (${known.join(', ')}) AND v NOT IN (SELECT v FROM (${top}) AS most)`;
  const listed = known.length === 0 ? placed : `${placed} UNION ALL ${others}`;
  const sums = `SELECT COUNT(*) AS d, SUM(CASE WHEN n > 1 THEN n ELSE 0 END) AS u FROM ${counted}`;
  return `SELECT ${first}, ${shown} AS shown, n, place, d, u FROM (${listed}) AS listed CROSS JOIN (${sums}) AS sums`;
}

/** As many columns as the values have: both are rows of one query. */
function topPatterns(
  column: ProfiledColumn,
  {
    name,
    first,
    frequent,
  }: { readonly name: string; readonly first: string; readonly frequent: readonly string[] },
): string {
  const shaped = `SELECT ${shapeOf('v', frequent, column)} AS p, n FROM ${name}`;
  const summed = `SELECT p, SUM(n) AS total FROM (${shaped}) AS shaped GROUP BY p ORDER BY total DESC, p`;
  return `SELECT ${first}, p, total, NULL, NULL, NULL FROM (${limited(summed, TOP_PATTERNS, column.dialect)}) AS most`;
}

/** The shapes of the first texts of a column. */
export function shapeSample(column: ProfiledColumn, from: string, rows: number): RowsPart {
  const { key, value, dialect } = column;
  const some = limited(`SELECT ${value} AS v FROM ${from} WHERE ${value} IS NOT NULL`, rows, dialect);
  return {
    key: `${key}.shapes`,
    sql: (first) =>
      `SELECT ${first}, p, COUNT(*) AS n FROM (SELECT ${shapeOf('v', [], column)} AS p FROM (${some}) AS some_texts) AS shaped GROUP BY p`,
  };
}

function shapeOf(text: string, frequent: readonly string[], { dialect }: ProfiledColumn): string {
  return shapeSql(`SUBSTR(${castTo('VARCHAR', text, dialect)}, 1, ${PATTERN_LENGTH})`, frequent, dialect);
}

/** The number of different values where they are not listed. */
export function exactDistinct({ key, value }: ProfiledColumn): CellPart {
  return { key: `${key}.distinct`, sql: `COUNT(DISTINCT ${value})` };
}
