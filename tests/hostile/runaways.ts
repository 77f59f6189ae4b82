/** Queries that would run for ever or take all memory. Each was seen to do so; some obey an interrupt, for some the keeper must die. */
export const RUNAWAYS = {
  'a range without end': 'SELECT sum(i) FROM range(1000000000000) AS r(i)',
  'rows without end': 'SELECT i, i * 2 AS j FROM range(1000000000000) AS r(i)',
  'a cross join': 'SELECT count(*) FROM range(100000000) AS a, range(100000000) AS b WHERE a.range % 7 = b.range % 11',
  'a cross join in order': 'SELECT a.range + b.range AS x FROM range(100000000) AS a, range(100000000) AS b ORDER BY x DESC',
  'a huge unnest': 'SELECT sum(x) FROM (SELECT unnest(range(2000000000)) AS x)',
  'an unnest of 1e9': 'SELECT unnest(range(1000000000)) AS x',
  'an unnest of every row': 'SELECT count(x) FROM (SELECT unnest(range(i + 10000000)) AS x FROM range(1000) AS r(i))',
  'a recursion without end': 'WITH RECURSIVE r AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM r) SELECT count(*) FROM r',
  'a recursion that doubles': 'WITH RECURSIVE r AS (SELECT 1 AS x UNION ALL SELECT r.x + t.i FROM r, range(2) AS t(i)) SELECT count(*) FROM r',
  'texts without end': "SELECT count(DISTINCT repeat(chr((i % 26)::INTEGER + 65), 100000) || i) FROM range(100000000) AS r(i)",
  'one text of gigabytes': "SELECT length(repeat('x', 4000000000))",
  'one text, filled up': "SELECT length(lpad('x', 2000000000, 'ab'))",
  'one text, formatted': "SELECT length(format('{:>1000000000}', 'x'))",
  'texts added up': "SELECT length(string_agg(repeat('y', 1000) || i, ',')) FROM range(100000000) AS r(i)",
  'a text that grows': "SELECT length(replace(replace(replace(repeat('x', 1000000), 'x', repeat('y', 100)), 'y', 'zz'), 'z', 'qq'))",
  'a text cut to pieces': "SELECT len(string_split(repeat('a,', 200000000), ','))",
  'a pattern over a long text': "SELECT regexp_replace(repeat('ab', 20000000), '(a+)+b', 'x', 'g')",
  'patterns over many texts': "SELECT count(*) FROM range(100000000) AS r(i) WHERE regexp_matches(repeat('a', 1000) || i, '(a|aa)+$')",
  'likeness of long texts': "SELECT count(*) FROM range(1000) AS r(i) WHERE (repeat('a', 200000) || i) LIKE '%a%a%a%a%a%a%a%ab%'",
  'distances of long texts': "SELECT sum(levenshtein(repeat('ab', 50000), repeat('ba', 50000) || i)) FROM range(1000) AS r(i)",
  'JSON of a long list': 'SELECT length(to_json(range(100000000))::VARCHAR)',
  'lists made and sorted': 'SELECT list_sort(range(i, i + 5000000))[1] FROM range(100000) AS r(i)',
  'one list of everything': 'SELECT len(list(i)) FROM range(5000000000) AS r(i)',
  'a long list, transformed': 'SELECT list_sum(list_transform(range(300000000), lambda x: x * 2))',
  'a long list, each once': 'SELECT len(list_distinct(range(100000000)))',
  'lists of lists': "SELECT list_aggregate([list_sum(range(x)) FOR x IN range(100000)], 'sum')",
  'a sort of everything': 'SELECT x FROM range(5000000000) AS r(x) ORDER BY hash(x)',
  'a hash aggregate of everything': 'SELECT hash(i) AS h, count(*) AS n FROM range(5000000000) AS r(i) GROUP BY h',
  'each of everything once': 'SELECT count(DISTINCT hash(i)) FROM range(5000000000) AS r(i)',
  'a join of everything': 'SELECT count(*) FROM range(3000000000) AS a(i) JOIN range(3000000000) AS b(i) ON hash(a.i) = hash(b.i + 1)',
  'a window over everything': 'SELECT sum(i) OVER (ORDER BY hash(i)) AS s FROM range(3000000000) AS r(i)',
  'a window of wide frames': 'SELECT max(s) FROM (SELECT quantile_cont(i, 0.5) OVER (ORDER BY i ROWS BETWEEN 100000 PRECEDING AND 100000 FOLLOWING) AS s FROM range(20000000) AS r(i))',
  'a series of timestamps': "SELECT count(*) FROM generate_series(TIMESTAMP '0001-01-01', TIMESTAMP '9999-01-01', INTERVAL 1 MICROSECOND)",
  'a list of timestamps': "SELECT len(generate_series(TIMESTAMP '2000-01-01', TIMESTAMP '2100-01-01', INTERVAL 1 SECOND))",
  'a lateral join': 'SELECT count(*) FROM range(1000000) AS a(i), LATERAL (SELECT sum(j) FROM range(10000000) AS b(j) WHERE j % 7 = a.i % 7) AS l',
  'a subquery for every row': 'SELECT sum((SELECT count(*) FROM range(10000000) AS b(j) WHERE j > a.i)) FROM range(10000000) AS a(i)',
  'a slow plan': `SELECT ${list(12, (i) => `${'upper('.repeat(190)}'x${i}'${')'.repeat(190)}`)}, 1${'+1'.repeat(190)}`,
  'many joins': `SELECT count(*) FROM ${list(14, (i) => `range(1000) AS t${i}(i)`)} WHERE ${list(13, (i) => `t${i}.i + t${i + 1}.i > 5`, ' AND ')}`,
  'many groupings': `SELECT count(*) FROM (SELECT ${list(12, (i) => `(i % ${i + 7}) AS c${i}`)} FROM range(10000000) AS r(i)) GROUP BY CUBE (${list(12, (i) => `c${i}`)})`,
  'CTEs that multiply': `WITH a AS (SELECT * FROM range(10) AS r(i)), ${list(8, (i) => `a${i} AS MATERIALIZED (SELECT x.i + y.i AS i FROM ${i > 0 ? `a${i - 1}` : 'a'} AS x, ${i > 0 ? `a${i - 1}` : 'a'} AS y)`)} SELECT count(*) FROM a7`,
} as const; // biome-ignore format: a table

export type RunawayName = keyof typeof RUNAWAYS;

function list(count: number, item: (index: number) => string, between = ', '): string {
  return Array.from({ length: count }, (_, index) => item(index)).join(between);
}
