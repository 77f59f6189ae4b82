/** Each trap of the design page, and each rewrite that must be seen to change nothing. */
import { describe, expect, it } from 'vitest';
import { compareQueries } from '../../src/compiler/plan/categorize/compare-queries.ts';
import type { QueryChange } from '../../src/compiler/plan/categorize/query-change.ts';
import { compared, type Tables } from './compared-model.ts';

const TABLES: Tables = {
  t: ['a', 'b', 'x', 'k', 's'],
  u: ['k', 'y', 'c'],
  v: ['k', 'z'],
};

type Expected = QueryChange['kind'] | readonly string[];

interface Case {
  readonly what: string;
  readonly before: string;
  readonly after: string;
  /** A kind, or the changed and removed columns. */
  readonly expected: Expected;
  readonly reason?: RegExp;
}

const UNCHANGED: readonly Case[] = [
  { what: 'formatting, comments and case', before: 'SELECT a, b FROM t', after: 'select A , -- first\n B\nfrom T', expected: 'same' },
  { what: 'redundant parentheses', before: 'SELECT a + b AS c FROM t WHERE a > 1', after: 'SELECT ((a) + (b)) AS c FROM (t) WHERE ((a > (1)))', expected: 'same' },
  { what: 'a renamed table alias', before: 'SELECT p.a, q.y FROM t p JOIN u q ON p.k = q.k', after: 'SELECT l.a, r.y FROM t AS l JOIN u AS r ON l.k = r.k', expected: 'same' },
  { what: 'a table alias that was left out', before: 'SELECT t.a FROM t', after: 'SELECT a FROM t AS z', expected: 'same' },
  { what: 'an alias renamed inside a CTE', before: 'WITH c AS (SELECT a + 1 AS n FROM t) SELECT n AS m FROM c', after: 'WITH c AS (SELECT a + 1 AS number FROM t) SELECT number AS m FROM c', expected: 'same' },
  { what: 'a renamed CTE', before: 'WITH c AS (SELECT a FROM t WHERE b > 0) SELECT a FROM c', after: 'WITH positive AS (SELECT a FROM t WHERE b > 0) SELECT a FROM positive', expected: 'same' },
  { what: 'CTEs in another order', before: 'WITH c AS (SELECT a, k FROM t), d AS (SELECT y, k FROM u) SELECT a, y FROM c JOIN d ON c.k = d.k', after: 'WITH d AS (SELECT y, k FROM u), c AS (SELECT a, k FROM t) SELECT a, y FROM c JOIN d ON c.k = d.k', expected: 'same' },
  { what: 'an unused CTE', before: 'SELECT a FROM t', after: 'WITH unused AS (SELECT random() AS r FROM u) SELECT a FROM t', expected: 'same' },
  { what: 'an inlined CTE', before: 'WITH c AS (SELECT k, sum(a) AS n FROM t GROUP BY k) SELECT k, n FROM c WHERE n > 3', after: 'SELECT k, n FROM (SELECT k, sum(a) AS n FROM t GROUP BY k) WHERE n > 3', expected: 'same' },
  { what: 'a CTE that was merged into the query', before: 'WITH c AS (SELECT a, b FROM t WHERE a > 1) SELECT a, b * 2 AS d FROM c WHERE b > 2', after: 'SELECT a, b * 2 AS d FROM t WHERE b > 2 AND a > 1', expected: 'same' },
  { what: 'a final SELECT * from the last CTE', before: 'SELECT k, count(*) AS n FROM t GROUP BY k', after: 'WITH final AS (SELECT k, count(*) AS n FROM t GROUP BY k) SELECT * FROM final', expected: 'same' },
  { what: 'a filter moved out of a derived table below an inner join', before: 'SELECT p.a, u.y FROM (SELECT a, k FROM t WHERE b > 1) p JOIN u ON p.k = u.k', after: 'SELECT t.a, u.y FROM t JOIN u ON t.k = u.k WHERE t.b > 1', expected: 'same' },
  { what: 'a star that was written out', before: 'SELECT * FROM u', after: 'SELECT k, y, c FROM u', expected: 'same' },
  { what: 'reordered conjuncts', before: 'SELECT a FROM t WHERE a > 1 AND b < 2 AND x = 3', after: 'SELECT a FROM t WHERE x = 3 AND (b < 2 AND a > 1)', expected: 'same' },
  { what: 'turned comparisons', before: 'SELECT a FROM t WHERE a > 1 AND b = x', after: 'SELECT a FROM t WHERE 1 < a AND x = b', expected: 'same' },
  { what: 'join conditions in another order', before: 'SELECT a FROM t LEFT JOIN u ON t.k = u.k AND y > 1', after: 'SELECT a FROM t LEFT JOIN u ON u.y > 1 AND u.k = t.k', expected: 'same' },
  { what: 'a comma join written as JOIN', before: 'SELECT a, y FROM t, u WHERE t.k = u.k', after: 'SELECT a, y FROM t JOIN u ON t.k = u.k', expected: 'same' },
  { what: 'keys of a grouping in another order', before: 'SELECT a, b, count(*) AS n FROM t GROUP BY a, b', after: 'SELECT a, b, count(*) AS n FROM t GROUP BY b, a', expected: 'same' },
  { what: 'GROUP BY positions written out', before: 'SELECT a, b, count(*) AS n FROM t GROUP BY 1, 2', after: 'SELECT a, b, count(*) AS n FROM t GROUP BY a, b', expected: 'same' },
  { what: 'GROUP BY ALL written out', before: 'SELECT a, b, count(*) AS n FROM t GROUP BY ALL', after: 'SELECT a, b, count(*) AS n FROM t GROUP BY a, b', expected: 'same' },
  { what: 'another spelling of a cast', before: 'SELECT a::INT AS i FROM t', after: 'SELECT CAST(a AS INTEGER) AS i FROM t', expected: 'same' },
  { what: 'the same cast twice', before: 'SELECT a::INT AS i FROM t', after: 'SELECT a::INTEGER::INT AS i FROM t', expected: 'same' },
  { what: 'a changed order without a limit', before: 'SELECT a FROM t ORDER BY a', after: 'SELECT a FROM t ORDER BY b DESC', expected: 'same' },
  { what: 'a rename around now()', before: 'WITH c AS (SELECT a, now() AS at FROM t) SELECT a, at FROM c', after: 'WITH d AS (SELECT a, now() AS stamp FROM t) SELECT a, stamp AS at FROM d', expected: 'same' },
  { what: 'a rename around a choice among ties', before: 'WITH c AS (SELECT a, row_number() OVER (PARTITION BY k ORDER BY b) AS n FROM t) SELECT a FROM c WHERE n = 1', after: 'WITH ranked AS (SELECT a, row_number() OVER (PARTITION BY k ORDER BY b) AS place FROM t) SELECT a FROM ranked WHERE place = 1', expected: 'same' },
  { what: 'EXISTS (SELECT 1) written as EXISTS (SELECT *)', before: 'SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.k = t.k)', after: 'SELECT a FROM t WHERE EXISTS (SELECT * FROM u WHERE u.k = t.k)', expected: 'same' },
  { what: 'a recursive table with other names', before: 'WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT n FROM r', after: 'WITH RECURSIVE series AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM series WHERE i < 5) SELECT i AS n FROM series', expected: 'same' },
]; // biome-ignore format: a table

const ADDITIVE: readonly Case[] = [
  { what: 'an added column', before: 'SELECT a FROM t', after: 'SELECT a, b FROM t', expected: 'additive', reason: /adds b/ },
  { what: 'an added column in the middle', before: 'SELECT a, x FROM t WHERE b > 0', after: 'SELECT a, b, x FROM t WHERE b > 0', expected: 'additive' },
  { what: 'columns in another order', before: 'SELECT a, b FROM t', after: 'SELECT b, a FROM t', expected: 'additive', reason: /order/ },
  { what: 'an aggregate added to a grouped select', before: 'SELECT k, count(*) AS n FROM t GROUP BY k', after: 'SELECT k, count(*) AS n, sum(a) AS total FROM t GROUP BY k', expected: 'additive' },
  { what: 'a window function', before: 'SELECT a FROM t', after: 'SELECT a, row_number() OVER (ORDER BY b) AS n FROM t', expected: 'additive' },
  { what: 'a column added through a CTE', before: 'WITH c AS (SELECT a, k FROM t) SELECT a FROM c', after: 'WITH c AS (SELECT a, k, b FROM t) SELECT a, b FROM c', expected: 'additive' },
  { what: 'a scalar subquery', before: 'SELECT a FROM t', after: 'SELECT a, (SELECT max(y) FROM u WHERE u.k = t.k) AS m FROM t', expected: 'additive' },
  { what: 'a column that may fail', before: 'SELECT a FROM t', after: 'SELECT a, 1 / b AS d, s::INT AS i FROM t', expected: 'additive' },
  { what: 'a volatile column beside others', before: 'SELECT a FROM t', after: 'SELECT a, random() AS r FROM t', expected: 'additive' },
  { what: 'a column under a limit that the order settles for the old ones', before: 'SELECT a, b FROM t ORDER BY a, b LIMIT 3', after: 'SELECT a, b, x FROM t ORDER BY a, b LIMIT 3', expected: 'additive' },
  { what: 'a column of both sides of UNION ALL', before: 'SELECT a FROM t UNION ALL SELECT y FROM u', after: 'SELECT a, k FROM t UNION ALL SELECT y, k FROM u', expected: 'additive' },
  { what: 'a LEFT JOIN that a CTE already had', before: 'WITH c AS (SELECT t.a, u.y FROM t LEFT JOIN u ON t.k = u.k) SELECT a FROM c', after: 'WITH c AS (SELECT t.a, u.y FROM t LEFT JOIN u ON t.k = u.k) SELECT a, y FROM c', expected: 'additive' },
]; // biome-ignore format: a table

const TRAPS: readonly Case[] = [
  { what: 'a column added under DISTINCT', before: 'SELECT DISTINCT a FROM t', after: 'SELECT DISTINCT a, b FROM t', expected: 'rows', reason: /DISTINCT/ },
  { what: 'DISTINCT added', before: 'SELECT a FROM t', after: 'SELECT DISTINCT a FROM t', expected: 'rows', reason: /DISTINCT/ },
  { what: 'a column added under DISTINCT in a CTE', before: 'WITH c AS (SELECT DISTINCT a FROM t) SELECT a FROM c', after: 'WITH c AS (SELECT DISTINCT a, b FROM t) SELECT a FROM c', expected: 'rows', reason: /DISTINCT/ },
  { what: 'a column added under UNION', before: 'SELECT a FROM t UNION SELECT y FROM u', after: 'SELECT a, k FROM t UNION SELECT y, k FROM u', expected: 'rows', reason: /UNION/ },
  { what: 'a column added under EXCEPT', before: 'SELECT a FROM t EXCEPT SELECT y FROM u', after: 'SELECT a, k FROM t EXCEPT SELECT y, k FROM u', expected: 'rows' },
  { what: 'a column added under INTERSECT', before: 'SELECT a FROM t INTERSECT SELECT y FROM u', after: 'SELECT a, k FROM t INTERSECT SELECT y, k FROM u', expected: 'rows' },
  { what: 'a column added to one side of UNION ALL by position', before: 'SELECT a, b FROM t UNION ALL SELECT y, c FROM u', after: 'SELECT a, x, b FROM t UNION ALL SELECT y, c, k FROM u', expected: ['b'] },
  { what: 'a column added under GROUP BY ALL', before: 'SELECT a, count(*) AS n FROM t GROUP BY ALL', after: 'SELECT a, b, count(*) AS n FROM t GROUP BY ALL', expected: 'rows', reason: /grouping.*b/ },
  { what: 'a position in GROUP BY that moved', before: 'SELECT a, count(*) AS n FROM t GROUP BY 1', after: 'SELECT b, a, count(*) AS n FROM t GROUP BY 1', expected: 'rows', reason: /grouping/ },
  { what: 'a position in ORDER BY of a limit that moved', before: 'SELECT a, b FROM t ORDER BY 1, 2 LIMIT 3', after: 'SELECT x, a, b FROM t ORDER BY 1, 2 LIMIT 3', expected: 'rows', reason: /LIMIT/ },
  { what: 'NATURAL JOIN on a widened relation', before: 'SELECT a FROM (SELECT a, k FROM t) NATURAL JOIN (SELECT k, y FROM u)', after: 'SELECT a FROM (SELECT a, k, b AS y FROM t) NATURAL JOIN (SELECT k, y FROM u)', expected: 'rows' },
  { what: 'USING that finds its column in a widened relation', before: 'SELECT a FROM t JOIN (SELECT k AS a, y FROM u) w USING (a) JOIN v ON true', after: 'SELECT w.a FROM t JOIN (SELECT k AS a, y, k FROM u) w USING (a) JOIN v USING (k)', expected: 'rows' },
  { what: 'PIVOT of a widened source', before: 'SELECT * FROM (SELECT a, k FROM t) PIVOT (count(*) FOR k IN (1, 2))', after: 'SELECT * FROM (SELECT a, b, k FROM t) PIVOT (count(*) FOR k IN (1, 2))', expected: 'rows', reason: /PIVOT/ },
  { what: 'a PIVOT statement of a widened source', before: 'WITH c AS (SELECT a, k FROM t) PIVOT c ON k USING sum(a)', after: 'WITH c AS (SELECT a, b, k FROM t) PIVOT c ON k USING sum(a)', expected: 'rows' },
  { what: 'a set-returning function added', before: 'SELECT a FROM t', after: 'SELECT a, unnest([1, 2]) AS n FROM t', expected: 'rows', reason: /unnest/ },
  { what: 'an aggregate added to an ungrouped select', before: 'SELECT 1 AS one FROM t', after: 'SELECT 1 AS one, count(*) AS n FROM t', expected: 'rows', reason: /grouping/ },
  { what: 'a new alias captured by WHERE', before: 'SELECT p.a, (SELECT max(q.y) FROM u q WHERE q.y > big) AS m FROM t p, (SELECT 1 AS big) o', after: 'SELECT p.a, (SELECT max(q.y) FROM (SELECT y, c AS big FROM u) q WHERE q.y > big) AS m FROM t p, (SELECT 1 AS big) o', expected: ['m'] },
  { what: 'an alias in WHERE that means another expression', before: 'SELECT a, a + 1 AS n FROM t WHERE n > 1', after: 'SELECT a, a - 1 AS n FROM t WHERE n > 1', expected: 'rows', reason: /filter/ },
  { what: 'a new alias captured by GROUP BY', before: 'SELECT count(*) AS n, a AS g FROM t GROUP BY g', after: 'SELECT count(*) AS n, a % 2 AS g FROM t GROUP BY g', expected: 'rows', reason: /grouping/ },
  { what: 'a new alias captured by HAVING', before: 'SELECT a, sum(b) AS n FROM t GROUP BY a, b HAVING b > 0', after: 'SELECT a, sum(b) AS n, -sum(b) AS b FROM t GROUP BY a, t.b HAVING b > 0', expected: 'rows', reason: /filter/ },
  { what: 'a name in HAVING that only GROUP BY decides', before: 'SELECT x AS a, sum(a) AS x FROM t GROUP BY x HAVING x > 1', after: 'SELECT x AS a, sum(a) AS x FROM t GROUP BY ALL HAVING x > 1', expected: 'rows', reason: /filter/ },
  { what: 'a new alias captured by ORDER BY under a limit', before: 'SELECT a FROM t ORDER BY b, a LIMIT 3', after: 'SELECT a, -b AS b FROM t ORDER BY b, a LIMIT 3', expected: 'rows', reason: /LIMIT/ },
  { what: 'a new alias captured by QUALIFY', before: 'SELECT a FROM t QUALIFY x > rank() OVER (ORDER BY a)', after: 'SELECT a, -x AS x FROM t QUALIFY x > rank() OVER (ORDER BY a)', expected: 'rows' },
  { what: 'a lateral alias that means another expression', before: 'SELECT a + 1 AS n, n * 2 AS m, b FROM t', after: 'SELECT a + 2 AS n, n * 2 AS m, b FROM t', expected: ['m', 'n'] },
  { what: 'DISTINCT ON', before: 'SELECT DISTINCT ON (k) k, a FROM t ORDER BY k, b', after: 'SELECT DISTINCT ON (k) k, a, x FROM t ORDER BY k, b', expected: ['a'], reason: /DISTINCT ON/ },
  { what: 'COLUMNS(*) over a widened relation', before: 'SELECT min(COLUMNS(*)) FROM (SELECT a FROM t)', after: 'SELECT min(COLUMNS(*)) FROM (SELECT a, b FROM t)', expected: 'rows' },
  { what: 'COLUMNS(*) in WHERE over a widened relation', before: 'SELECT a FROM (SELECT a FROM t) WHERE COLUMNS(*) > 1', after: 'SELECT a FROM (SELECT a, b FROM t) WHERE COLUMNS(*) > 1', expected: 'rows', reason: /filter/ },
  { what: 'a column beside a volatile one', before: 'SELECT a, random() AS r FROM t', after: 'SELECT a, random() AS r, b FROM t', expected: ['r'], reason: /random/ },
  { what: 'anything beside a volatile filter', before: 'SELECT a FROM t WHERE random() < 0.5', after: 'SELECT a, b FROM t WHERE random() < 0.5', expected: 'rows', reason: /random/ },
  { what: 'now(), uuid() and nextval() beside an added column', before: "SELECT a, now() AS n, uuid() AS u, nextval('q') AS v FROM t", after: "SELECT a, now() AS n, uuid() AS u, nextval('q') AS v, b FROM t", expected: ['n', 'u', 'v'] },
  { what: 'times that pass without a function', before: "SELECT k, age(a::TIMESTAMP) AS n, 'today'::DATE AS d FROM t", after: "SELECT k, age(a::TIMESTAMP) AS n, 'today'::DATE AS d, b FROM t", expected: ['d', 'n'] },
  { what: 'LIMIT without an order', before: 'SELECT a FROM t LIMIT 3', after: 'SELECT a, b FROM t LIMIT 3', expected: ['a'], reason: /LIMIT without ORDER BY/ },
  { what: 'LIMIT with an order that leaves ties', before: 'SELECT a, b FROM t ORDER BY b LIMIT 3', after: 'SELECT a, b, x FROM t ORDER BY b LIMIT 3', expected: ['a'], reason: /equal/ },
  { what: 'OFFSET with an order that leaves ties', before: 'SELECT a FROM t ORDER BY b OFFSET 3', after: 'SELECT a, b FROM t ORDER BY b OFFSET 3', expected: ['a'] },
  { what: 'LIMIT in a CTE', before: 'WITH c AS (SELECT a, b FROM t LIMIT 3) SELECT count(*) AS n, sum(a) AS s FROM c', after: 'WITH c AS (SELECT a, b FROM t LIMIT 3) SELECT count(*) AS n, sum(a) AS s, sum(b) AS z FROM c', expected: ['s'] },
  { what: 'LIMIT in a scalar subquery', before: 'SELECT a, (SELECT y FROM u LIMIT 1) AS y FROM t', after: 'SELECT a, (SELECT y FROM u LIMIT 1) AS y, b FROM t', expected: ['y'] },
  { what: 'a sample', before: 'SELECT a FROM t USING SAMPLE 10%', after: 'SELECT a, b FROM t USING SAMPLE 10%', expected: 'rows', reason: /SAMPLE/ },
  { what: 'TABLESAMPLE', before: 'SELECT a FROM t TABLESAMPLE 10%', after: 'SELECT a, b FROM t TABLESAMPLE 10%', expected: 'rows', reason: /SAMPLE/ },
  { what: 'row_number() that chooses among ties', before: 'SELECT a FROM t QUALIFY row_number() OVER (PARTITION BY k ORDER BY b) = 1', after: 'SELECT a, x FROM t QUALIFY row_number() OVER (PARTITION BY k ORDER BY b) = 1', expected: 'rows', reason: /row_number/ },
  { what: 'first() without an order', before: 'SELECT k, first(a) AS f FROM t GROUP BY k', after: 'SELECT k, first(a) AS f, count(*) AS n FROM t GROUP BY k', expected: ['f'], reason: /order in which rows come/ },
  { what: 'a function of the user', before: 'SELECT a, shiny(b) AS c FROM t', after: 'SELECT a, shiny(b) AS c, x FROM t', expected: 'rows', reason: /shiny/ },
  { what: 'a function of the user that is added', before: 'SELECT a FROM t', after: 'SELECT a, mylib.shiny(b) AS c FROM t', expected: 'rows', reason: /shiny/ },
  { what: 'a changed literal in a filter', before: 'SELECT a FROM t WHERE b > 1', after: 'SELECT a FROM t WHERE b > 2', expected: 'rows', reason: /filter changed \(b\)/ },
  { what: 'a changed filter in EXISTS', before: 'SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.k = t.k)', after: 'SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.k = t.k AND y > 1)', expected: 'rows' },
  { what: 'another join', before: 'SELECT a FROM t JOIN u ON t.k = u.k', after: 'SELECT a FROM t LEFT JOIN u ON t.k = u.k', expected: 'rows', reason: /LEFT JOIN/ },
  { what: 'a LEFT JOIN added for a column', before: 'SELECT a FROM t', after: 'SELECT a, y FROM t LEFT JOIN u ON t.k = u.k', expected: 'rows', reason: /LEFT JOIN/ },
  { what: 'a condition moved from ON of a LEFT JOIN to WHERE', before: 'SELECT a FROM t LEFT JOIN u ON t.k = u.k AND y > 1', after: 'SELECT a FROM t LEFT JOIN u ON t.k = u.k WHERE y > 1', expected: 'rows' },
  { what: 'an expression moved out of the nullable side', before: 'SELECT d.n FROM t LEFT JOIN (SELECT k, coalesce(y, 0) AS n FROM u) d ON t.k = d.k', after: 'SELECT coalesce(d.y, 0) AS n FROM t LEFT JOIN (SELECT k, y FROM u) d ON t.k = d.k', expected: ['n'] },
  { what: 'a removed column', before: 'SELECT a, b FROM t', after: 'SELECT a FROM t', expected: ['b'], reason: /removes b/ },
  { what: 'a changed expression', before: 'SELECT a, b + 1 AS c FROM t', after: 'SELECT a, b + 2 AS c FROM t', expected: ['c'], reason: /changes c/ },
  { what: 'a changed expression in a CTE that one column reads', before: 'WITH p AS (SELECT a, b * 2 AS d FROM t) SELECT a, d + 1 AS e FROM p', after: 'WITH p AS (SELECT a, b * 3 AS d FROM t) SELECT a, d + 1 AS e FROM p', expected: ['e'] },
  { what: 'swapped columns', before: 'SELECT a AS p, b AS q, x FROM t', after: 'SELECT b AS p, a AS q, x FROM t', expected: ['p', 'q'] },
  { what: 'UNION ALL that becomes UNION', before: 'SELECT a FROM t UNION ALL SELECT y FROM u', after: 'SELECT a FROM t UNION SELECT y FROM u', expected: 'rows' },
  { what: 'swapped sides of a union by position', before: 'SELECT a, b FROM t UNION ALL SELECT y, c FROM u', after: 'SELECT a, b FROM t UNION ALL SELECT c, y FROM u', expected: ['a', 'b'] },
  { what: 'keys of a rollup', before: 'SELECT a, b, count(*) AS n FROM t GROUP BY ROLLUP (a, b)', after: 'SELECT a, b, count(*) AS n FROM t GROUP BY ROLLUP (b, a)', expected: 'rows' },
  { what: 'a key of a rollup computed outside', before: 'SELECT a, a + 1 AS c, count(*) AS n FROM t GROUP BY ROLLUP (a, a + 1)', after: 'SELECT a, a + 1 AS c, n FROM (SELECT a, a + 1 AS d, count(*) AS n FROM t GROUP BY ROLLUP (a, a + 1))', expected: ['c'] },
  { what: 'sum of a key and sum of a column below it', before: 'SELECT s, sum(x) AS m FROM (SELECT x, sum(x) AS s FROM t GROUP BY x) GROUP BY s', after: 'SELECT s, s AS m FROM (SELECT x, sum(x) AS s FROM t GROUP BY x) GROUP BY s', expected: ['m'] },
  { what: 'a window that looks at filtered rows instead', before: 'SELECT a, r FROM (SELECT a, b, rank() OVER (ORDER BY a) AS r FROM t) WHERE b > 1', after: 'SELECT a, rank() OVER (ORDER BY a) AS r FROM t WHERE b > 1', expected: ['r'] },
  { what: 'a second random() made of the first', before: 'SELECT random() AS p, random() AS q, a FROM t', after: 'WITH c AS (SELECT random() AS r, a FROM t) SELECT r AS p, r AS q, a FROM c', expected: ['p', 'q'] },
  { what: 'a recursive step', before: 'WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT n FROM r', after: 'WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 2 FROM r WHERE n < 5) SELECT n FROM r', expected: 'rows' },
  { what: 'a column of the recursive table', before: 'WITH RECURSIVE r AS (SELECT 1 AS n UNION SELECT n + 1 FROM r WHERE n < 5) SELECT n FROM r', after: 'WITH RECURSIVE r AS (SELECT 1 AS n, 0 AS m UNION SELECT n + 1, m + n FROM r WHERE n < 5) SELECT n FROM r', expected: 'rows' },
  { what: 'a query that cannot be read', before: 'SELECT a FROM t', after: 'SELECT a FROM FROM t', expected: 'rows', reason: /read/ },
  { what: 'a column that is in two tables now', before: 'SELECT a, y FROM t JOIN (SELECT k, y FROM u) w ON t.k = w.k', after: 'SELECT a, y FROM t JOIN (SELECT k, y, c AS a FROM u) w ON t.k = w.k', expected: 'rows', reason: /more than one table/ },
]; // biome-ignore format: a table

function check({ before, after, expected, reason }: Case): void {
  const change = compareQueries(compared(before, TABLES), compared(after, TABLES));
  const got =
    change.kind === 'columns' && typeof expected !== 'string'
      ? [...change.changed, ...change.removed].sort()
      : change.kind;
  expect({ got, reason: change.reason }).toEqual({
    got: expected,
    reason: reason === undefined ? change.reason : expect.stringMatching(reason),
  });
}

describe('what changes no data is recognised', () => {
  it.each(UNCHANGED)('$what', check);
  it.each(UNCHANGED)('$what, the other way round', ({ before, after, ...rest }) =>
    check({ ...rest, before: after, after: before }),
  );
});

describe('columns that are only added', () => {
  it.each(ADDITIVE)('$what', check);
});

describe('traps', () => {
  it.each(TRAPS)('$what', check);
});
