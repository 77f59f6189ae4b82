import type { Token } from '../token.ts';

/** Words that are never a name without quotes. */
const RESERVED =
  'ALL AND ANY AS BETWEEN CASE CAST COLLATE CROSS DISTINCT ELSE END EXCEPT EXISTS FALSE FETCH FROM GROUP HAVING ILIKE IN INNER INTERSECT INTO IS ISNULL JOIN LATERAL LIKE LIMIT NATURAL NOT NOTNULL NULL ON OR ORDER QUALIFY SELECT SIMILAR SOME THEN TRUE TRY_CAST UNION USING WHEN WHERE WINDOW WITH';

/** Names like any other, but not as an alias without AS: they begin what may follow an expression. */
const NOT_COLUMN_ALIAS = 'ASC DESC ESCAPE FOR FULL GLOB LEFT MINUS NULLS OFFSET OVER RIGHT RLIKE REGEXP';

/** Names like any other, but not as a table's alias without AS: they begin what may follow a table. */
const NOT_TABLE_ALIAS =
  'ANTI ASOF CLUSTER MATCH_CONDITION DISTRIBUTE FINAL FOR FORCE FORMAT FULL GLOBAL LEFT MATCH_RECOGNIZE MINUS OFFSET OUTER PIVOT POSITIONAL PREWHERE RIGHT SEMI SETTINGS SORT STRAIGHT_JOIN TABLESAMPLE UNPIVOT';

/** Words that mean something only in one place and are names everywhere else. */
const CONTEXTUAL =
  'APPLY ARRAY AT BEFORE BOTH BY CHANGES COLUMNS CUBE CURRENT CURRENT_CATALOG CURRENT_DATE CURRENT_ROLE CURRENT_SCHEMA CURRENT_TIME CURRENT_TIMESTAMP CURRENT_USER DATE DATETIME DAY DIV EXCLUDE EXTRACT FILTER FIRST FOLLOWING GROUPING GROUPS HOUR IF IGNORE INCLUDE INTERVAL KEY LAMBDA LAST LEADING LOCALTIME LOCALTIMESTAMP MAP MATERIALIZED MINUTE MOD MONTH NAME NEXT NO OF ONLY ORDINALITY OTHERS OVERLAY PARTITION PERCENT PIVOT_LONGER PIVOT_WIDER PLACING POSITION PRECEDING PRECISION RANGE RECURSIVE RENAME REPLACE RESPECT ROLLUP ROW ROWS SAFE_CAST SAMPLE SECOND SEPARATOR SESSION_USER SETS STRUCT SUBSTR SUBSTRING SYMMETRIC SYSTEM_TIME TABLE TIES TIME TIMESTAMP TO TOP TRAILING TRIM UNBOUNDED UNKNOWN UNNEST VALUE VALUES VERSION VIEW WITHIN WITHOUT XOR YEAR ZONE JSON SUMMARIZE DESCRIBE ASYMMETRIC VARYING UNSIGNED SIGNED OUTER SETTINGS FORMAT DOUBLE CHARACTER BIT NATIONAL LARGE OBJECT LOCAL GENERATOR FLATTEN LIMIT_BY OPTION UPDATE SHARE UNIQUE';

const NAME = 0;
const IS_RESERVED = 1;
const IS_NOT_COLUMN_ALIAS = 2;
const IS_NOT_TABLE_ALIAS = 4;
const IS_NOT_NAME = 7;

const FLAGS = new Map<string, number>([
  ['word', NAME],
  ['name', NAME],
]);
/** The engine keeps one copy of each property name; strings cut from a text are not shared, and comparing those is slow. */
const sharedWords = (words: string): readonly string[] =>
  Object.keys(Object.fromEntries(words.split(' ').map((word) => [word, true])));
const addAll = (words: string, flag: number): void => {
  for (const word of sharedWords(words)) FLAGS.set(word, (FLAGS.get(word) ?? NAME) | flag);
};
addAll(CONTEXTUAL, NAME);
addAll(RESERVED, IS_NOT_NAME);
addAll(NOT_COLUMN_ALIAS, IS_NOT_COLUMN_ALIAS);
addAll(NOT_TABLE_ALIAS, IS_NOT_TABLE_ALIAS);

/** Spelling → key. Filled with both usual cases; other spellings, and words that are not keywords, are remembered as they come. */
const KEYS = new Map<string, string>();
const REMEMBERED_MAX = 20_000;
function resetKeys(): void {
  KEYS.clear();
  for (const keyword of FLAGS.keys()) {
    if (keyword === 'word' || keyword === 'name') continue;
    KEYS.set(keyword, keyword);
    KEYS.set(keyword.toLowerCase(), keyword);
  }
}
resetKeys();

/**
 * What the parser looks at: the keyword in capitals, the symbol itself, or the token's kind (`word` for a word that is not a keyword).
 * Keys are shared strings, so comparing two is comparing pointers.
 */
export function keyOf(token: Token): string {
  if (token.kind === 'symbol') return token.text;
  if (token.kind !== 'word') return token.kind;
  const known = KEYS.get(token.text);
  if (known !== undefined) return known;
  const upper = token.text.toUpperCase();
  const key = FLAGS.has(upper) ? (KEYS.get(upper) as string) : 'word';
  if (KEYS.size > REMEMBERED_MAX) resetKeys();
  KEYS.set(token.text, key);
  return key;
}

/** Whether a token with this key can be a name as it stands. */
export function isName(key: string): boolean {
  return ((FLAGS.get(key) ?? IS_NOT_NAME) & IS_RESERVED) === 0;
}

/** Whether a token with this key may follow an expression as its alias without AS. */
export function isColumnAlias(key: string): boolean {
  return ((FLAGS.get(key) ?? IS_NOT_NAME) & IS_NOT_COLUMN_ALIAS) === 0;
}

/** Whether a token with this key may follow a table as its alias without AS. */
export function isTableAlias(key: string): boolean {
  return ((FLAGS.get(key) ?? IS_NOT_NAME) & IS_NOT_TABLE_ALIAS) === 0;
}

/** Whether a token with this key is a word or a quoted name, reserved or not: enough after a dot or AS. */
export function isAnyWord(key: string): boolean {
  return FLAGS.has(key);
}

/** Whether a query begins with this key. */
export function beginsQuery(key: string): boolean {
  return (
    key === 'SELECT' ||
    key === 'WITH' ||
    key === 'FROM' ||
    key === 'VALUES' ||
    key === 'TABLE' ||
    isPivotKey(key)
  );
}

/** Whether this key begins DuckDB's statement form of PIVOT or UNPIVOT. */
export function isPivotKey(key: string): boolean {
  return key === 'PIVOT' || key === 'UNPIVOT' || key === 'PIVOT_WIDER' || key === 'PIVOT_LONGER';
}
