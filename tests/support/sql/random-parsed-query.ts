import fc from 'fast-check';

/** Random text of SELECT queries that DuckDB's grammar allows; depth is bounded, meaning is not considered. */

const name = fc.constantFrom('a', 'b', 'order_date', 'value', 'year', '"Q x"', 'filter', 't1', 'name', 'key');
const table = fc.constantFrom('t', 's.t', 'c.s.t', '"T x"', "'f.parquet'");
const type = fc.constantFrom(
  'INT',
  'DECIMAL(10, 2)',
  'VARCHAR[]',
  'STRUCT(a INT, b TEXT)',
  'TIMESTAMP WITH TIME ZONE',
);
const literal = fc.constantFrom(
  '1',
  '2.5',
  "'x'",
  'NULL',
  'TRUE',
  "DATE '2024-01-01'",
  'INTERVAL 3 DAYS',
  '[1, 2]',
  "{'k': 1}",
);
const infix = fc.constantFrom(
  '+',
  '-',
  '*',
  '/',
  '//',
  '%',
  '||',
  '=',
  '<>',
  '<',
  '>=',
  'AND',
  'OR',
  'IS DISTINCT FROM',
  '&',
);

const { query } = fc.letrec<{
  expression: string;
  query: string;
  select: string;
  source: string;
  item: string;
}>((tie) => {
  const e = tie('expression');
  const list = fc.array(e, { minLength: 1, maxLength: 3 }).map((items) => items.join(', '));
  return {
    expression: fc.oneof(
      { maxDepth: 4, depthIdentifier: 'sql' },
      name,
      literal,
      fc.tuple(name, name).map(([a, b]) => `${a}.${b}`),
      // Comparisons do not chain, so operands are in parentheses.
      fc.tuple(e, infix, e).map(([a, op, b]) => `(${a}) ${op} (${b})`),
      e.map((a) => `NOT (${a})`),
      e.map((a) => `-(${a})`),
      fc.tuple(e, type).map(([a, t]) => `(${a})::${t}`),
      fc.tuple(e, type).map(([a, t]) => `CAST(${a} AS ${t})`),
      fc.tuple(e, e, e).map(([a, b, c]) => `CASE WHEN ${a} THEN ${b} ELSE ${c} END`),
      fc.tuple(e, list).map(([a, b]) => `(${a}) IN (${b})`),
      fc.tuple(e, e, e).map(([a, b, c]) => `(${a}) NOT BETWEEN (${b}) AND (${c})`),
      fc.tuple(e, e).map(([a, b]) => `(${a}) LIKE (${b})`),
      e.map((a) => `(${a}) IS NOT NULL`),
      fc.tuple(name, list).map(([f, a]) => `f_${f.replaceAll(/\W/g, '')}(${a})`),
      fc.tuple(e, e).map(([a, b]) => `sum(DISTINCT ${a}) FILTER (WHERE ${b})`),
      e.map((a) => `list_transform([${a}], x -> (x) + 1)`),
      fc.tuple(e, e).map(([a, b]) => `(${a})[${b}]`),
      tie('query').map((q) => `(${q})`),
      tie('query').map((q) => `EXISTS (${q})`),
    ),
    item: fc.oneof(
      e,
      fc.tuple(e, name).map(([a, b]) => `${a} AS ${b}`),
      fc.constantFrom(
        '*',
        't.*',
        '* EXCLUDE (a)',
        'rank() OVER (PARTITION BY a ORDER BY b DESC ROWS 1 PRECEDING)',
      ),
    ),
    source: fc.oneof(
      { maxDepth: 3, depthIdentifier: 'sql' },
      table,
      fc.tuple(table, fc.constantFrom('x', 'y')).map(([a, b]) => `${a} AS ${b}`),
      fc
        .tuple(tie('source'), fc.constantFrom('JOIN', 'LEFT JOIN', 'ANTI JOIN'), table, e)
        .map(([a, j, b, on]) => `${a} ${j} ${b} ON ${on}`),
      fc.tuple(tie('source'), table).map(([a, b]) => `${a} CROSS JOIN ${b}`),
      tie('query').map((q) => `(${q}) AS q`),
      fc.constantFrom('range(5) AS r(i)', 'unnest([1]) u'),
    ),
    select: fc
      .record(
        {
          items: fc.array(tie('item'), { minLength: 1, maxLength: 3 }),
          from: tie('source'),
          where: e,
          group: list,
          having: e,
          order: e,
        },
        { requiredKeys: ['items'] },
      )
      .map(({ items, from, where, group, having, order }) =>
        [
          `SELECT ${items.join(', ')}`,
          from === undefined ? '' : `FROM ${from}`,
          where === undefined ? '' : `WHERE ${where}`,
          group === undefined ? '' : `GROUP BY ${group}`,
          group === undefined || having === undefined ? '' : `HAVING ${having}`,
          order === undefined ? '' : `ORDER BY ${order} NULLS LAST LIMIT 5`,
        ]
          .filter((part) => part !== '')
          .join(' '),
      ),
    query: fc.oneof(
      { maxDepth: 3, depthIdentifier: 'sql' },
      tie('select'),
      fc
        .tuple(tie('select'), fc.constantFrom('UNION ALL', 'UNION', 'EXCEPT', 'INTERSECT'), tie('select'))
        .map(([a, op, b]) => `(${a}) ${op} (${b})`),
      fc.tuple(tie('query'), tie('select')).map(([a, b]) => `WITH w AS (${a}) ${b}`),
    ),
  };
});

/** A random query as text. */
export const anyQuery: fc.Arbitrary<string> = query;
