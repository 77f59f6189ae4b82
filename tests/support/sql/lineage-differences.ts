/** A column of a query of the corpus that the SQL library sees otherwise; sources are `table.column`, with spaces between. */
export interface ListedDifference {
  readonly column: string;
  readonly ours: string;
  /** Undefined when the library gives no answer for this column. */
  readonly theirs?: string;
}

/** Queries of the corpus on which our lineage differs from the SQL library's, and why; ours is right in all of them, by experiment on DuckDB. */
export const LINEAGE_DIFFERENCES: readonly {
  readonly sql: string;
  readonly reason: string;
  readonly columns: readonly ListedDifference[];
}[] = [
  {
    sql: `select * from (values (1,'a'),(2,null)) `,
    reason: 'the library takes VALUES for a table; its columns are constants',
    columns: [
      { column: 'col0', ours: '', theirs: '_0.col0' },
      { column: 'col1', ours: '', theirs: '_0.col1' },
    ],
  },
  {
    sql: `select * from (values (1,'a'),(2.5,null)) v(x)`,
    reason: 'the library takes VALUES for a table; its columns are constants',
    columns: [
      { column: 'x', ours: '', theirs: 'v.x' },
      { column: 'col1', ours: '', theirs: 'v.col1' },
    ],
  },
  {
    sql: `select columns('.*_id|amount') from orders`,
    reason: "the library does not expand COLUMNS('…'): it sees one column, made of a string",
    columns: [
      { column: 'customer_id', ours: 'orders.customer_id', theirs: '' },
      { column: 'amount', ours: 'orders.amount' },
    ],
  },
  {
    sql: `select max(columns(*)) from customers`,
    reason: 'the library does not expand COLUMNS(*): it sees one column without sources',
    columns: [
      { column: 'id', ours: 'customers.id', theirs: '' },
      { column: 'name', ours: 'customers.name' },
      { column: 'email', ours: 'customers.email' },
      { column: 'country', ours: 'customers.country' },
      { column: 'score', ours: 'customers.score' },
    ],
  },
  {
    sql: `select columns(c -> c like 'c%') from customers`,
    reason: 'the library does not expand COLUMNS(…) and takes the parameter of the lambda for a column',
    columns: [{ column: 'country', ours: 'customers.country', theirs: 'customers.c' }],
  },
  {
    sql: `select columns(['id','name']) from customers`,
    reason: 'the library does not expand COLUMNS([…]): it sees one column, made of strings',
    columns: [
      { column: 'id', ours: 'customers.id', theirs: '' },
      { column: 'name', ours: 'customers.name' },
    ],
  },
  {
    sql: `select * from orders o, lateral (select o.amount*2 as dbl) l`,
    reason: 'the library stops at the alias of the table outside a lateral query instead of at the table',
    columns: [{ column: 'dbl', ours: 'orders.amount', theirs: 'o.amount' }],
  },
  {
    sql: `select id, id as id from (select id, id from orders)`,
    reason: 'the library does not look into a subquery that has two columns of one name',
    columns: [
      { column: 'id', ours: 'orders.id', theirs: '_0.id' },
      { column: 'id', ours: 'orders.id', theirs: '_0.id' },
    ],
  },
  {
    sql: `select * from (select id, id from orders)`,
    reason: 'the library does not look into a subquery that has two columns of one name',
    columns: [
      { column: 'id', ours: 'orders.id', theirs: '_0.id' },
      { column: 'id_1', ours: 'orders.id', theirs: '_0.id' },
    ],
  },
  {
    sql: `select x.id from (select id, id from orders) x`,
    reason: 'the library does not look into a subquery that has two columns of one name',
    columns: [{ column: 'id', ours: 'orders.id', theirs: 'x.id' }],
  },
  {
    sql: `select O.Id from orders o`,
    reason: 'the library tells O from o, so it does not find what the alias stands for',
    columns: [{ column: 'id', ours: 'orders.id', theirs: 'o.id' }],
  },
  {
    sql: `select orders from orders`,
    reason:
      'the name of a table means its whole row; the library takes it for a column that the table does not have',
    columns: [
      {
        column: 'orders',
        ours: 'orders.amount orders.created_at orders.customer_id orders.day orders.id orders.status',
        theirs: 'orders.orders',
      },
    ],
  },
  {
    sql: `select o from orders o`,
    reason:
      'the name of a table means its whole row; the library takes it for a column that the table does not have',
    columns: [
      {
        column: 'o',
        ours: 'orders.amount orders.created_at orders.customer_id orders.day orders.id orders.status',
        theirs: 'orders.o',
      },
    ],
  },
  {
    sql: `select count(o) from orders o`,
    reason:
      'the name of a table means its whole row; the library takes it for a column that the table does not have',
    columns: [
      {
        column: 'count(o)',
        ours: 'orders.amount orders.created_at orders.customer_id orders.day orders.id orders.status',
        theirs: 'orders.o',
      },
    ],
  },
  {
    sql: `select a.* , b.* from orders a join orders b using(id)`,
    reason:
      'a.* and b.* both keep the column of USING; the library leaves one out, so that all positions behind it are one too far',
    columns: [
      { column: 'id', ours: 'orders.id', theirs: 'orders.customer_id' },
      { column: 'customer_id', ours: 'orders.customer_id', theirs: 'orders.amount' },
      { column: 'amount', ours: 'orders.amount', theirs: 'orders.status' },
      { column: 'status', ours: 'orders.status', theirs: 'orders.created_at' },
      { column: 'created_at', ours: 'orders.created_at', theirs: 'orders.day' },
      { column: 'day', ours: 'orders.day' },
    ],
  },
  {
    sql: `select * from (select id, amount, customer_id * 1.5 as w from orders) unpivot (v for k in (amount, w))`,
    reason:
      'the column of names (k) holds constants, which the library takes for values, and the column that is kept (id) loses its source there',
    columns: [
      { column: 'id', ours: 'orders.id', theirs: '' },
      { column: 'k', ours: '', theirs: 'orders.amount orders.customer_id' },
    ],
  },
  {
    sql: `select o.id, x.double from orders o cross join lateral (select o.amount * 2 as double) x`,
    reason: 'the library stops at the alias of the table outside a lateral query instead of at the table',
    columns: [{ column: 'double', ours: 'orders.amount', theirs: 'o.amount' }],
  },
  {
    sql: `select id, status from orders except select id, name from customers`,
    reason: 'the right side of EXCEPT only takes rows away; the library lets its values through',
    columns: [
      { column: 'id', ours: 'orders.id', theirs: 'customers.id orders.id' },
      { column: 'status', ours: 'orders.status', theirs: 'customers.name orders.status' },
    ],
  },
  {
    sql: `select * exclude (email), upper(email) as email from customers`,
    reason:
      'the library still counts the excluded column, so the name is ambiguous to it and the position is one too far',
    columns: [{ column: 'email', ours: 'customers.email', theirs: 'customers.score' }],
  },
  {
    sql: `select columns('^(id|amount)$') from orders`,
    reason: "the library does not expand COLUMNS('…'): it sees one column, made of a string",
    columns: [
      { column: 'id', ours: 'orders.id', theirs: '' },
      { column: 'amount', ours: 'orders.amount' },
    ],
  },
  {
    sql: `select min(columns(* exclude (status))) from orders`,
    reason: 'the library does not expand COLUMNS(* EXCLUDE …): it sees one column without sources',
    columns: [
      { column: 'id', ours: 'orders.id', theirs: '' },
      { column: 'customer_id', ours: 'orders.customer_id' },
      { column: 'amount', ours: 'orders.amount' },
      { column: 'created_at', ours: 'orders.created_at' },
      { column: 'day', ours: 'orders.day' },
    ],
  },
  {
    sql: `select list_transform(li, x -> x * 1.5) as a, list_filter(ls, x -> x <> 'a') as b, [x || '!' for x in ls if x is not null] as c, list_reduce(li, (a, b) -> a + b) as d, list_sum(li) as e, list_aggregate(li, 'avg') as f from t`,
    reason:
      'the library takes parameters of lambdas for columns or aliases (a, b, d) and does not look into a list comprehension (c)',
    columns: [
      { column: 'a', ours: 't.li', theirs: 't.li t.x' },
      { column: 'b', ours: 't.ls', theirs: 't.ls t.x' },
      { column: 'c', ours: 't.ls', theirs: '' },
      { column: 'd', ours: 't.li', theirs: 't.li t.ls t.x' },
    ],
  },
  {
    sql: `select sum(i) as a, sum(bi) as b, sum(dec) as c, sum(d) as d, sum(f) as e, avg(i) as f, avg(dec) as g, min(s) as h, max(dt) as i, count(*) as j, count(distinct s) as k, bool_and(b) as l, stddev(d) as m from t`,
    reason: 'in bool_and(b) the column b of the table comes before the alias b; the library takes the alias',
    columns: [{ column: 'l', ours: 't.b', theirs: 't.bi' }],
  },
  {
    sql: `select count(o) as n, max(o.amount) as m from orders o`,
    reason:
      'the name of a table means its whole row; the library takes it for a column that the table does not have',
    columns: [
      {
        column: 'n',
        ours: 'orders.amount orders.created_at orders.customer_id orders.day orders.id orders.status',
        theirs: 'orders.o',
      },
    ],
  },
  {
    sql: `select * from (values (1, 'a', 2.5), (2, null, 3)) as v(id, name, x)`,
    reason: 'the library takes VALUES for a table; its columns are constants',
    columns: [
      { column: 'id', ours: '', theirs: 'v.id' },
      { column: 'name', ours: '', theirs: 'v.name' },
      { column: 'x', ours: '', theirs: 'v.x' },
    ],
  },
  {
    sql: `select id, name from (values (1, 'a'), (2, 'b')) v(id, name) where id in (select customer_id from orders)`,
    reason:
      'the library takes VALUES for a table; its columns are constants, and the query in WHERE only filters',
    columns: [
      { column: 'id', ours: '', theirs: 'v.id' },
      { column: 'name', ours: '', theirs: 'v.name' },
    ],
  },
  {
    sql: `select (select max(score) from customers) as best, (select name from customers limit 1) as someone, array(select id from orders) as ids from items`,
    reason: 'the library does not look into ARRAY(SELECT …)',
    columns: [{ column: 'ids', ours: 'orders.id', theirs: '' }],
  },
  {
    sql: `select s[1] as a, s[2:3] as b, s || '-' || i as c, concat(s, i, d) as d, concat_ws(',', s, s) as e, length(s) + 1 as f, position('a' in s) as g, trim(s) as h, replace(s, 'a', 'b') as i2, lpad(s, 5, '0') as j2, regexp_matches(s, '^a') as k, md5(s) as l, hash(s) as m2 from t`,
    reason: 'the library loses the second argument of POSITION(… IN …)',
    columns: [{ column: 'g', ours: 't.s', theirs: '' }],
  },
  {
    sql: `select upper(s), lower(s), length(s), substr(s,1,2), substring(s,1,2), substring(s from 1 for 2), trim(s), ltrim(s), replace(s,'a','b'), concat(s,'x'), concat_ws(',',s,s), left(s,2), split_part(s,',',1), string_split(s,','), regexp_matches(s,'x'), regexp_replace(s,'a','b'), regexp_extract(s,'a'), position('a' in s), strpos(s,'a'), md5(s), hash(s), reverse(s), lpad(s,2,'x'), repeat(s,2), contains(s,'a'), starts_with(s,'a'), trim(both 'x' from s), trim(leading 'x' from s), format('{}',i), printf('%d',i), ascii(s), chr(65) from t`,
    reason: 'the library loses an argument of POSITION(… IN …) and of strpos',
    columns: [
      { column: 'main."position"(s, \'a\')', ours: 't.s', theirs: '' },
      { column: "strpos(s, 'a')", ours: 't.s', theirs: '' },
    ],
  },
  {
    sql: `select avg(f), avg(h), avg(ti), avg(tm), sum(f), sum(h), sum(ti), min(i), list(i), count(distinct i), sum(distinct i), sum(i) filter (where b), count(*) filter (b), string_agg(s, ','), string_agg(distinct s, ',' order by s), stddev(dec), variance(dec), bool_or(b), any_value(i), first(dec), product(dec), skewness(i), regr_slope(i,i), corr(i,dec), covar_pop(i,i), bit_and(i), bit_or(ubi), reservoir_quantile(i,0.5), list_distinct(list(i)), geomean(i), weighted_avg(i,d), arg_min(dec,dt), arg_max(dec, dec2), arg_max(dt, d), min_by(st, i), fsum(i), favg(dec), kurtosis(i), first(s order by i), mode(dec), array_agg(st) from t`,
    reason:
      'the order inside first(s ORDER BY i) decides which value comes first, so i is a source; the library leaves it out',
    columns: [{ column: '"first"(s ORDER BY i)', ours: 't.i t.s', theirs: 't.s' }],
  },
  {
    sql: `select string_agg(s, ',' order by i), list(i order by i), array_agg(distinct s order by s desc nulls last), count(*) filter (where b), sum(i) filter (b), quantile_cont(i, 0.5), mode(s), first(s), last(s), any_value(s) from t`,
    reason:
      'the order inside string_agg(s ORDER BY i) decides the text, so i is a source; the library leaves it out',
    columns: [{ column: "string_agg(s, ',' ORDER BY i)", ours: 't.i t.s', theirs: 't.s' }],
  },
  {
    sql: `select main.upper(s), upper(s).lower() from t`,
    reason: 'the library takes the schema of a function for a column',
    columns: [{ column: 'main.upper(s)', ours: 't.s', theirs: 't.main t.s' }],
  },
  {
    sql: `select c.n, c.m from (select count(*) as n, max(c.amount) as m from orders as c) as c`,
    reason:
      'n counts rows and reads no column; the subquery and the table in it share an alias, and then the library takes the subquery for a table',
    columns: [{ column: 'n', ours: '', theirs: 'c.n' }],
  },
];

/** Why the library has no answer for some or all columns of a query, and the queries of the corpus of which that is so. */
export const LINEAGE_REFUSALS: readonly { readonly reason: string; readonly queries: readonly string[] }[] = [
  {
    reason: 'the library does not know the columns of a table function',
    queries: [
      `select * from unnest([1,2]) as x`,
      `select * from unnest([1,2]) as x(y)`,
      `select * from range(3)`,
      `select * from range(3) r`,
      `select * from range(3) r(n)`,
      `select * from generate_series(1,3)`,
      `select * from generate_series(timestamp '2024-01-01', timestamp '2024-01-03', interval 1 day) g(d)`,
      `select * from generate_series(date '2024-01-01', date '2024-01-03', interval 1 day) g(d)`,
      `select * from t, unnest(li)`,
      `select * from (select i from t) x, unnest([x.i, 2]) u(v)`,
      `select * from repeat('x', 3)`,
      `select g.ts::date as day, date_trunc('week', g.ts) as week from generate_series(timestamp '2024-01-01', timestamp '2024-02-01', interval 1 day) g(ts)`,
    ],
  },
  {
    reason: 'the library answers only for SELECT',
    queries: [
      `values (1,2),(3,4.5)`,
      `pivot orders on status using sum(amount)`,
      `pivot orders on status in ('a','b') using sum(amount) group by customer_id`,
      `pivot orders on status in ('a','b') using sum(amount) as total, count(*) as n group by customer_id`,
      `unpivot (select 1 as id, 2 as a, 3 as b) on a, b into name k value v`,
      `unpivot (select 1 as id, 2 as a, 3 as b) on columns(* exclude id) into name k value v`,
      `table orders`,
      `values (null), (null)`,
      `values (null), (1.5)`,
    ],
  },
  {
    reason: 'the library does not expand COLUMNS(*), so that it has one column only',
    queries: [`select columns(*)+1 from (select 1 a, 2 b)`],
  },
  {
    reason: 'the library takes a struct whose fields are selected for a table',
    queries: [`select st.* from t`],
  },
  {
    reason: 'the library does not make columns of the fields of a struct',
    queries: [`select unnest(st) from t`, `select unnest([{'a':1,'b':2}], recursive := true)`],
  },
  {
    reason: 'the library cannot read TABLESAMPLE without parentheses',
    queries: [`select * from orders tablesample 10%`],
  },
  {
    reason: 'the library cannot read //',
    queries: [
      `select i / 2 as a, i // 2 as b, i % 2 as c, i ** 2 as d2, dec * dec2 as e, dec + 1 as f2, dec / 3 as g, bi * 1.5 as h2, ti + 1 as i2, ui + i as j2, f * 2 as k, d + dec as l, -dec as m2, abs(i) as n, round(dec, 1) as o, ceil(d) as p, sign(i) as q, 1e3 as r from t`,
      `select i+1, i-1, i*2, i/2, i//2, i%2, i**2, i^2, bi+i, ti+1, si+ti, ui+i, ubi+i, h+i, ti+ti from t`,
      `select i+1.5, dec+1, dec+dec2, dec*dec2, dec-dec2, dec/dec2, dec%dec2, dec//2, d+dec, f+dec, f+i, f+d, dec+i, dec*i, dec3*dec3, dec+bi, dec+h from t`,
      `select dec*2, dec*1.1, dec+0.001, dec*ti, -dec, abs(dec), round(dec), round(dec,1), round(d,2), ceil(dec), floor(d), round(i), trunc(dec), sign(dec), round(dec,-1), ceil(i), floor(i), mod(i,2), sqrt(i), ln(i), power(i,2), dec % 2, i % 2.5, dec // dec from t`,
      `select ts at time zone 'UTC', j->'a', j->>'a', s || 'a' || 'b', i::varchar || s, i % 2, i // 2, i ^ 2, i ** 2, i & 1, i << 2 from t`,
    ],
  },
  {
    reason: 'the library cannot read the factorial i!',
    queries: [
      `select ts at time zone 'UTC', tz at time zone 'UTC', s collate nocase, t.i, t, s glob 'x', s ~ 'x', s !~ 'x', i & 1, i | 1, i << 1, ~i, xor(i,1), @i, i!, li && li, li @> li, s ^@ 'a' from t`,
    ],
  },
  {
    reason: "the library cannot read the type ENUM('a', 'b')",
    queries: [
      `select s::double, s::date, s::time, s::boolean, s::uuid, s::json, s::hugeint, s::tinyint, s::smallint, s::ubigint, s::timestamp_ns, s::interval, s::bit, s::float, s::utinyint, s::usmallint, s::uinteger, s::uhugeint, s::timestamp_s, s::timestamp_ms, s::int[3], s::date[], s::decimal(5,2)[], s::enum('a','b'), s::timetz, s::bignum, s::variant, s::struct("key" int, Foo int, "a b" int), s::union(a int, b text) from t`,
    ],
  },
];
