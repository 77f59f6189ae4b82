import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CORPUS } from '../../../../tests/support/sql/rewritten-queries.ts';
import { canonicalText } from '../canonical/canonical.ts';
import type { Dialect } from '../dialect.ts';
import { parseQuery } from '../parse/parse-query.ts';
import { tokenize } from '../tokenize.ts';
import { formatSql } from './format-sql.ts';

function formatted(text: string, dialect: Dialect = 'duckdb'): string {
  const result = formatSql(text, dialect);
  if (!result.ok) throw new Error(`${result.error.message} at ${result.error.span.start} of ${text}`);
  return result.value;
}

const MODEL = `-- a header comment
model (name marts.orders, -- schema.model
  kind INCREMENTAL_BY_TIME_RANGE (time_column order_date, lookback 2), cron '@daily', grain (order_date, store_id),
  audits (not_null(columns := (order_date, store_id)), accepted_range(column := revenue, min_v := 0), unique_values(columns := (order_date))),
);
@DEF(threshold, 10);
create table if not exists x   (a int);
with a as (select id, amount -- the amount
, date_trunc('month', ts)::date as m /* month */ from raw.orders o left join raw.customers c on o.customer_id = c.id and c.active and c.very_long_column_name_here = o.another_long_column_name where o.ts between @start_ds and @end_ds and o.amount > @{threshold}_x),
-- second
b as (select * exclude (x) from a)
select a.id, -- the id
 count(*) filter (where a.amount>-1) over (partition by a.id order by m desc nulls last rows between unbounded preceding and current row) as running_total_of_things,
 case when a.amount > 100 and a.m is not null then 'big' when a.amount > 10 then 'medium one that is long' else 'small' end as size,
 @EACH([a,b], x -> sum(x) as sum_@x), a.id in (select id from b)
from a join b using (id)
where a.id=1 or a.id not in (1,2,3)
group by all having count(*)>1 order by 1, 2 desc limit 10
union all select 1, 2, 3, 4, 5 -- end
;
-- the end`;

describe('formatting a model file', () => {
  it('lays out header, macros, common tables, joins and conditions, and keeps every comment', () => {
    expect(formatted(MODEL)).toBe(`-- a header comment
model (
  name marts.orders, -- schema.model
  kind INCREMENTAL_BY_TIME_RANGE (time_column order_date, lookback 2),
  cron '@daily',
  grain (order_date, store_id),
  audits (
    not_null(columns := (order_date, store_id)),
    accepted_range(column := revenue, min_v := 0),
    unique_values(columns := (order_date))
  ),
);

@DEF(threshold, 10);

create table if not exists x   (a int);

WITH a AS (
  SELECT
    id,
    amount, -- the amount
    date_trunc('month', ts)::date AS m /* month */
  FROM raw.orders o
  LEFT JOIN raw.customers c
    ON o.customer_id = c.id
    AND c.active
    AND c.very_long_column_name_here = o.another_long_column_name
  WHERE
    o.ts BETWEEN @start_ds AND @end_ds
    AND o.amount > @{threshold}_x
),
-- second
b AS (
  SELECT
    * EXCLUDE (x)
  FROM a
)
SELECT
  a.id, -- the id
  count(*) FILTER (WHERE a.amount > -1) OVER (
    PARTITION BY a.id
    ORDER BY m DESC NULLS LAST
    ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
  ) AS running_total_of_things,
  CASE
    WHEN a.amount > 100 AND a.m IS NOT NULL THEN 'big'
    WHEN a.amount > 10 THEN 'medium one that is long'
    ELSE 'small'
  END AS size,
  @EACH([a, b], x -> sum(x) AS sum_@x),
  a.id IN (SELECT id FROM b)
FROM a
JOIN b USING (id)
WHERE
  a.id = 1
  OR a.id NOT IN (1, 2, 3)
GROUP BY ALL
HAVING count(*) > 1
ORDER BY 1, 2 DESC
LIMIT 10
UNION ALL
SELECT
  1,
  2,
  3,
  4,
  5; -- end

-- the end
`);
  });

  it('leaves Jinja blocks as they are', () => {
    const jinja = "JINJA_QUERY_BEGIN;\nselect   {{ x }} from {% if y %} 'it''s' {% endif %}\nJINJA_END;";
    expect(formatted(`MODEL (name a.b);\n${jinja}`)).toBe(`MODEL (\n  name a.b\n);\n\n${jinja}\n`);
  });

  it('leaves a statement with Jinja expressions and statements that are no queries as they are', () => {
    expect(formatted('select   {{ x }}\n from t')).toBe('select   {{ x }}\n from t\n');
    expect(formatted('insert into t\n  values (1);  \nselect 1')).toBe(
      'insert into t\n  values (1);\n\nSELECT\n  1\n',
    );
  });

  it('keeps what touches a macro together', () => {
    const text = 'SELECT\n  @x.y,\n  a_@{b}_c,\n  @{a}@{b},\n  @f(1)\nFROM @schema.t_@x\nWHERE a = @y\n';
    expect(formatted(text)).toBe(text);
  });

  it('takes a macro named like a keyword for a macro', () => {
    const condition = `@AND(${'a'.repeat(40)}, ${'b'.repeat(40)}, ${'c'.repeat(40)})`;
    expect(formatted(`select @case, @end from t where ${condition}`)).toContain('@AND(');
  });

  it('writes only keywords in capitals, never names', () => {
    expect(
      formatted('select t.date, first, name as end_, "select", left(x, 1), replace(x, 1), filter from t'),
    ).toBe(
      'SELECT\n  t.date,\n  first,\n  name AS end_,\n  "select",\n  LEFT(x, 1),\n  replace(x, 1),\n  filter\nFROM t\n',
    );
  });

  it('keeps the angles of types', () => {
    const text = 'SELECT\n  CAST(a AS ARRAY<STRUCT<x INT64, y ARRAY<INT64>>>),\n  a < b AND c > d\nFROM t\n';
    expect(formatted(text, 'bigquery')).toBe(text);
  });

  it('answers a text that cannot be cut with its error', () => {
    const text = "MODEL (name a.b);\nJINJA_QUERY_BEGIN; x JINJA_END;\nselect 'abc";
    const result = formatSql(text, 'duckdb');
    expect(!result.ok && result.error).toMatchObject({ kind: 'lexical', span: { start: text.indexOf("'") } });
  });

  it('leaves unbalanced parentheses as they are', () => {
    expect(formatted('select (a from t')).toBe('select (a from t\n');
  });

  it('formats an empty file to an empty file, and comments alone to themselves', () => {
    expect(formatted('')).toBe('');
    expect(formatted('\n  -- only\n\n/* this */ ')).toBe('-- only\n/* this */\n');
  });

  it('reads Windows line ends', () => {
    expect(formatted('select a, -- x\r\n b\r\nfrom t\r\n')).toBe('SELECT\n  a, -- x\n  b\nFROM t\n');
  });

  it('formats 5,000 projections and 5,000 conditions in linear time', () => {
    const text = `select ${Array.from({ length: 5000 }, (_, i) => `a${i}`).join(', ')} from t where ${Array.from({ length: 5000 }, (_, i) => `a${i} = 1`).join(' and ')}`;
    expect(formatted(text).split('\n').length).toBe(10_004);
  });
});

const COMMENTS = [
  ' ',
  ' ',
  ' ',
  '\n',
  '\n\n',
  ' -- note\n',
  '\n-- line\n',
  ' /* in */ ',
  '\n/* own\n   lines */\n',
  '\t',
];

/** Other blanks, comments and case between the same tokens; tokens that touched still touch. */
function scrambled(text: string, stream: Iterable<number>): string {
  const random = stream[Symbol.iterator]();
  const next = (): number => random.next().value ?? 0;
  const { tokens } = tokenize(text, 'duckdb');
  let out = '';
  tokens.forEach((token, i) => {
    const after = tokens[i + 1];
    const isKey = after?.text === ':' || tokens[i - 1]?.text === '{';
    out += token.kind === 'word' && !isKey && next() < 20 ? token.text.toUpperCase() : token.text;
    out += after === undefined || after.start === token.end ? '' : COMMENTS[next() % COMMENTS.length];
  });
  return out;
}

describe('formatting anything', () => {
  const texts = [...CORPUS, MODEL];

  it('is idempotent, and keeps every token and comment', () => {
    fc.assert(
      fc.property(fc.constantFrom(...texts), fc.infiniteStream(fc.nat(39)), (text, stream) => {
        const source = scrambled(text, stream);
        const once = formatted(source);
        expect(formatted(once)).toBe(once);
        const words = (it: string) =>
          tokenize(it, 'duckdb').tokens.map((token) =>
            token.kind === 'word' ? token.text.toLowerCase() : token.text,
          );
        expect(words(once)).toEqual(words(source));
        expect(tokenize(once, 'duckdb').comments.map((comment) => comment.text)).toEqual(
          tokenize(source, 'duckdb').comments.map((comment) => comment.text),
        );
      }),
      { numRuns: 600 },
    );
  });

  it('never changes the canonical form', () => {
    for (const text of CORPUS) {
      const before = parseQuery(text, 'duckdb');
      const after = parseQuery(formatted(text), 'duckdb');
      expect(
        before.ok &&
          after.ok &&
          canonicalText(after.value, 'duckdb') === canonicalText(before.value, 'duckdb'),
      ).toBe(true);
    }
  });

  it('keeps lines within 100 characters where there is a place to break', () => {
    for (const text of CORPUS)
      for (const line of formatted(text).split('\n')) expect(line.length).toBeLessThanOrEqual(100);
  });
});

it('keeps Jinja comments', () => {
  expect(formatted('select a, {# why #} b from t')).toContain('{# why #}');
});
