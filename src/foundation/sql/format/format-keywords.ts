/** Words that are written in capitals wherever they stand alone: reserved, or never sensible as a column. */
const RESERVED =
  'ALL AND ANTI ANY AS ASC ASOF BETWEEN BY CASE CAST COLLATE CROSS CUBE DESC DISTINCT ELSE END ESCAPE EXCEPT EXCLUDE EXISTS FALSE FETCH FOR FROM FULL GROUP HAVING ILIKE IN INNER INTERSECT INTERVAL IS JOIN LATERAL LEFT LIKE LIMIT NATURAL NOT NULL NULLS OFFSET ON OR ORDER OUTER OVER PARTITION PIVOT POSITIONAL QUALIFY RECURSIVE RIGHT ROLLUP SELECT SEMI SIMILAR SOME TABLESAMPLE THEN TRUE TRY_CAST UNION UNNEST UNPIVOT USING VALUES WHEN WHERE WINDOW WITH WITHIN';

const KEYWORDS: ReadonlySet<string> = new Set(RESERVED.split(' '));

/** Words that are keywords only after another one. */
const AFTER: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['FIRST', new Set(['NULLS'])],
  ['LAST', new Set(['NULLS'])],
  ['NULLS', new Set(['IGNORE', 'RESPECT', 'ASC', 'DESC'])],
  ['SETS', new Set(['GROUPING'])],
  ['ROW', new Set(['CURRENT'])],
  ['PRECEDING', new Set(['UNBOUNDED'])],
  ['FOLLOWING', new Set(['UNBOUNDED'])],
  ['MATERIALIZED', new Set(['AS', 'NOT'])],
]);

/** Words that are keywords only before another one. */
const BEFORE: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['UNBOUNDED', new Set(['PRECEDING', 'FOLLOWING'])],
  ['CURRENT', new Set(['ROW'])],
  ['IGNORE', new Set(['NULLS'])],
  ['RESPECT', new Set(['NULLS'])],
  ['ROWS', new Set(['BETWEEN', 'UNBOUNDED', 'CURRENT'])],
  ['RANGE', new Set(['BETWEEN', 'UNBOUNDED', 'CURRENT'])],
  ['GROUPING', new Set(['SETS'])],
]);

/** Function names by their spelling, but separated from their parenthesis as keywords are. */
const SPACED_BEFORE_PARENTHESIS: ReadonlySet<string> = new Set(
  'ALL AND ANY AS ASC BETWEEN BY CASE CUBE DESC DISTINCT ELSE ESCAPE EXCEPT EXCLUDE EXISTS FETCH FILTER FOR FROM GROUP HAVING ILIKE IN INTERSECT INTERVAL IS JOIN LATERAL LIKE LIMIT MATERIALIZED NOT OFFSET ON OR ORDER OVER PARTITION PIVOT QUALIFY RENAME REPLACE ROLLUP SELECT SETS SIMILAR SOME TABLESAMPLE THEN UNION UNPIVOT USING VALUES WHEN WHERE WINDOW WITH WITHIN'.split(
    ' ',
  ),
);

/** What decides about a word: its neighbours, in capitals, empty at an end. */
export interface Neighbours {
  readonly before: string;
  readonly after: string;
}

/** Whether a bare word is a keyword here; a part of a dotted name, a key of a struct and a macro's name never are. */
export function isKeyword(upper: string, { before, after }: Neighbours): boolean {
  if (before === '.' || after === '.' || after === ':' || before === '@') return false;
  if (AFTER.get(upper)?.has(before) === true || BEFORE.get(upper)?.has(after) === true) return true;
  if (upper === 'FILTER') return before === ')' && after === '(';
  if (upper === 'REPLACE' || upper === 'RENAME') return (before === '*' || before === ')') && after === '(';
  return KEYWORDS.has(upper);
}

/** Whether a blank stands between this word and an opening parenthesis. */
export function isSpaced(upper: string, before: string): boolean {
  // * REPLACE (…) is a clause, replace(…) a function.
  if (upper === 'REPLACE' || upper === 'RENAME') return before === '*' || before === ')';
  if (upper === 'FILTER') return before === ')';
  return SPACED_BEFORE_PARENTHESIS.has(upper);
}
