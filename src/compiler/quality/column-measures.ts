/* What is measured of a column, and how it is said in SQL: in three passes, because each needs numbers of the one before. */
import type { CellPart, ProfileAnswers, RowsPart } from './profile-queries.ts';
import type { ProfiledColumn } from './profiled-column.ts';
import { castTo, countWhere, listOf, spelled } from './spelled.ts';
import { SHOWN_LENGTH } from './value-parts.ts';

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
        part('low', castTo('DOUBLE', `MIN(${finite})`, dialect)),
        part('high', castTo('DOUBLE', `MAX(${finite})`, dialect)),
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
      return [
        known,
        part('min', `MIN(${value})`),
        part('max', `MAX(${value})`),
        part('low', `MIN(${double})`),
        part('high', `MAX(${double})`),
      ];
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

/** Quantiles that are computed one by one hold the values of the column once for each. */
export function quantileMeasures(
  { key, double, dialect }: ProfiledColumn,
  { isExact, hasLists }: { readonly isExact: boolean; readonly hasLists: boolean },
): readonly CellPart[] {
  const name = isExact ? 'quantile_cont' : 'approx_quantile';
  const parts = EIGHTHS.map((eighth) => ({ key: `${key}.q${eighth}`, sql: String(eighth / 8) }));
  if (!hasLists)
    return parts.map((part) => ({ key: part.key, sql: spelled(name, [double, part.sql], dialect) }));
  const list = listOf(
    parts.map(({ sql }) => sql),
    dialect,
  );
  return [{ key: parts.map((part) => part.key), sql: spelled(name, [double, list], dialect) }];
}

/** Number of different values without counting each: always possible in little memory. */
export function aboutDistinct({ key, value, dialect }: ProfiledColumn): CellPart {
  return { key: `${key}.about`, sql: spelled('approx_count_distinct', [value], dialect) };
}

/** How many values lie between edges, which are sorted: row i has those from edge i − 1 on and below edge i. */
export function binRows(
  { key, double, dialect }: ProfiledColumn,
  edges: readonly number[],
  from: string,
): RowsPart {
  const below = (edge: number): string => `x < ${castTo('DOUBLE', `'${edge}'`, dialect)}`;
  /** Halves what is left with each comparison. */
  const between = (first: number, last: number): string => {
    if (first === last) return String(first);
    const middle = Math.floor((first + last) / 2);
    return `CASE WHEN ${below(edges[middle] as number)} THEN ${between(first, middle)} ELSE ${between(middle + 1, last)} END`;
  };
  const values = `SELECT ${double} AS x FROM ${from}`;
  return {
    key: `${key}.bins`,
    sql: (first) =>
      `SELECT ${first}, bin, COUNT(*) AS n FROM (SELECT ${between(0, edges.length)} AS bin FROM (${values}) AS doubles WHERE x IS NOT NULL) AS placed GROUP BY bin`,
  };
}
