/** Queries of the corpus on which our lineage differs from the SQL library's, and why; ours is right in all of them. */
export const LINEAGE_DIFFERENCES: readonly { readonly sql: string; readonly reason: string }[] = [
  {
    sql: `select sum(i) as a, sum(bi) as b, sum(dec) as c, sum(d) as d, sum(f) as e, avg(i) as f, avg(dec) as g, min(s) as h, max(dt) as i, count(*) as j, count(distinct s) as k, bool_and(b) as l, stddev(d) as m from t`,
    reason: 'a column of the table comes before an alias of the same name; the library takes the alias',
  },
  {
    sql: `select * from orders pivot (sum(amount) for status in ('a','b') group by id)`,
    reason: 'the library attributes pivoted columns by position, wrongly when GROUP BY is there',
  },
  {
    sql: `select O.Id from orders o`,
    reason: 'the library compares the case of aliases',
  },
  {
    sql: `select * exclude (email), upper(email) as email from customers`,
    reason: 'the library counts positions before EXCLUDE takes columns away',
  },
  {
    sql: `select o.* exclude id, c.name from orders o, customers c`,
    reason: 'the library counts positions before EXCLUDE takes columns away',
  },
  {
    sql: `select * exclude (id) from orders`,
    reason: 'the library counts positions before EXCLUDE takes columns away',
  },
  {
    sql: `select min(columns(* exclude (status))) from orders`,
    reason: 'the library counts positions before EXCLUDE takes columns away',
  },
  {
    sql: `select columns(c -> c like 'c%') from customers`,
    reason: 'the library does not expand COLUMNS(…)',
  },
  {
    sql: `select columns(['id','name']) from customers`,
    reason: 'the library does not expand COLUMNS(…)',
  },
  {
    sql: `select max(columns(*)) from customers`,
    reason: 'the library does not expand COLUMNS(…)',
  },
  {
    sql: `select columns('.*_id|amount') from orders`,
    reason: 'the library does not expand COLUMNS(…)',
  },
  {
    sql: `select columns('^(id|amount)$') from orders`,
    reason: 'the library does not expand COLUMNS(…)',
  },
  {
    sql: `select * from (select id, id from orders)`,
    reason: 'the library does not look inside a subquery with two columns of one name',
  },
  {
    sql: `select id, id as id from (select id, id from orders)`,
    reason: 'the library does not look inside a subquery with two columns of one name',
  },
  {
    sql: `select x.id from (select id, id from orders) x`,
    reason: 'the library does not look inside a subquery with two columns of one name',
  },
  {
    sql: `select (select max(score) from customers) as best, (select name from customers limit 1) as someone, array(select id from orders) as ids from items`,
    reason: 'the library does not look into ARRAY(SELECT …)',
  },
  {
    sql: `select a.* , b.* from orders a join orders b using(id)`,
    reason: 'the library drops the column of USING from a.*, and all later positions shift',
  },
  {
    sql: `select * from (select id, amount, customer_id * 1.5 as w from orders) unpivot (v for k in (amount, w))`,
    reason: 'the library loses columns of UNPIVOT',
  },
  {
    sql: `select s[1] as a, s[2:3] as b, s || '-' || i as c, concat(s, i, d) as d, concat_ws(',', s, s) as e, length(s) + 1 as f, position('a' in s) as g, trim(s) as h, replace(s, 'a', 'b') as i2, lpad(s, 5, '0') as j2, regexp_matches(s, '^a') as k, md5(s) as l, hash(s) as m2 from t`,
    reason: 'the library loses the argument of POSITION(… IN …)',
  },
  {
    sql: `select * from orders o, lateral (select o.amount*2 as dbl) l`,
    reason: 'the library stops at the alias of the table outside a lateral query',
  },
  {
    sql: `select o.id, x.double from orders o cross join lateral (select o.amount * 2 as double) x`,
    reason: 'the library stops at the alias of the table outside a lateral query',
  },
  {
    sql: `select id, name from (values (1, 'a'), (2, 'b')) v(id, name) where id in (select customer_id from orders)`,
    reason: 'the library takes VALUES for a table',
  },
  {
    sql: `select list_transform(li, x -> x * 1.5) as a, list_filter(ls, x -> x <> 'a') as b, [x || '!' for x in ls if x is not null] as c, list_reduce(li, (a, b) -> a + b) as d, list_sum(li) as e, list_aggregate(li, 'avg') as f from t`,
    reason: 'the library takes a lambda’s parameter for a column',
  },
  {
    sql: `select count(o) from orders o`,
    reason: 'the library takes the name of a table, which means its whole row, for a column',
  },
  {
    sql: `select count(o) as n, max(o.amount) as m from orders o`,
    reason: 'the library takes the name of a table, which means its whole row, for a column',
  },
  {
    sql: `select o from orders o`,
    reason: 'the library takes the name of a table, which means its whole row, for a column',
  },
  {
    sql: `select orders from orders`,
    reason: 'the library takes the name of a table, which means its whole row, for a column',
  },
  {
    sql: `select id, status from orders except select id, name from customers`,
    reason: 'the right side of EXCEPT only removes rows; the library lets its values through',
  },
];
