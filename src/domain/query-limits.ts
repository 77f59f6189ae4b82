/*
 * What the text of a query may have at most. Reading and planning take time that no interrupt ends, and for some parts far more than
 * in proportion: `tests/costly-texts` measures each production of the grammar.
 */

/** Each by the words of its refusal. */
export const SINGLE_LIMITS = {
  'words, signs and comments': 50_000,
  backslashes: 50_000,
  /** That begin, ended or not, once those that our tokenizer can read are cut out. */
  comments: 1_000,
  /** `AND` and `OR`. */
  conditions: 1_000,
  /** Reading takes quadratic time in the keys, before they can be counted. */
  'commas in GROUP BY': 1_500,
  /** Planning takes cubic time in their depth. */
  'expressions inside each other': 200,
  /** Planning doubles with each that is inside another, as with subqueries. */
  'lambdas inside each other': 6,
  'subqueries inside each other': 8,
  'structs, maps or lists inside each other': 50,
  'levels of a type': 60,
  'joins in one FROM': 50,
  /** Of the tree of a whole query. */
  levels: 6_000,
} as const;

/** Parts of a whole query. */
export const PARTS_MAX = {
  'set operations': 250,
  'INTERSECT and EXCEPT': 100,
  'aggregates with FILTER': 200,
  subqueries: 64,
  joins: 200,
} as const;

/** Items of one list. */
export const ITEMS_MAX = {
  columns: 1_600,
  'stars of one SELECT': 50,
  'keys of GROUP BY': 400,
  'grouping sets': 128,
  'keys of ORDER BY': 400,
  'keys of PARTITION BY': 400,
  'keys of DISTINCT ON': 400,
  'columns in REPLACE': 400,
  'columns in RENAME': 400,
  'cells of VALUES': 5_000,
  'columns of PIVOT': 1_600,
} as const;
