import { expect, it } from 'vitest';
import { parseQuery } from '../parse/parse-query.ts';
import { resolveQuery } from './resolve-query.ts';

const SCHEMAS: Readonly<Record<string, readonly string[]>> = {
  'raw.people': ['id', 'email', 'country', 'born', 'tags'],
  'raw.orders': ['id', 'person_id', 'amount'],
};

function decidingOf(sql: string): readonly string[] {
  const parsed = parseQuery(sql, 'duckdb');
  if (!parsed.ok) throw new Error(parsed.error.message);
  const facts = resolveQuery(parsed.value, (parts) => {
    const columns = SCHEMAS[parts.join('.')];
    return columns && { columns: columns.map((name) => ({ name, type: 'VARCHAR' })) };
  });
  return facts.deciding.map(({ table, column }) => `${table.replace('raw.', '')}.${column}`);
}

it.each([
  ['SELECT id, email FROM raw.people', []],
  ['SELECT lower(email) AS e, count(*) OVER () AS n FROM raw.people', []],
  ['SELECT sum(amount) FILTER (amount > 1) FROM raw.orders', []],
  ['SELECT id FROM raw.people UNION ALL SELECT person_id FROM raw.orders', []],
  ["SELECT id FROM raw.people WHERE email LIKE 'a%'", ['people.email']],
  ['SELECT country, count(*) FROM raw.people GROUP BY country', ['people.country']],
  ['SELECT country, count(*) FROM raw.people GROUP BY 1', ['people.country']],
  ['SELECT upper(country) AS c, count(*) FROM raw.people GROUP BY c', ['people.country']],
  ['SELECT country, count(*) FROM raw.people GROUP BY ALL', ['people.country']],
  ['SELECT country FROM raw.people GROUP BY country HAVING max(born) > 3', ['people.born', 'people.country']],
  ['SELECT DISTINCT country FROM raw.people', ['people.country']],
  ['SELECT DISTINCT ON (email) id FROM raw.people', ['people.email']],
  ['SELECT id FROM raw.people ORDER BY born LIMIT 3', ['people.born']],
  ['SELECT id FROM raw.people ORDER BY born', ['people.born']],
  ['SELECT id, born FROM raw.people ORDER BY 2', ['people.born']],
  ['SELECT id FROM raw.people ORDER BY ALL', ['people.id']],
  [
    'SELECT id, row_number() OVER (PARTITION BY email ORDER BY born) AS n FROM raw.people',
    ['people.born', 'people.email'],
  ],
  ['SELECT id, count(*) OVER w AS n FROM raw.people WINDOW w AS (PARTITION BY email)', ['people.email']],
  ['SELECT id FROM raw.people QUALIFY row_number() OVER (ORDER BY born) = 1', ['people.born']],
  [
    'SELECT o.amount FROM raw.orders o JOIN raw.people p ON p.id = o.person_id',
    ['orders.person_id', 'people.id'],
  ],
  ['SELECT amount FROM raw.orders JOIN raw.people USING (id)', ['orders.id', 'people.id']],
  ['SELECT amount FROM raw.orders NATURAL JOIN raw.people', ['orders.id', 'people.id']],
  [
    'SELECT amount FROM raw.orders o SEMI JOIN raw.people p ON p.id = o.person_id',
    ['orders.person_id', 'people.id'],
  ],
  [
    "SELECT amount FROM raw.orders WHERE person_id IN (SELECT id FROM raw.people WHERE country = 'DE')",
    ['orders.person_id', 'people.country', 'people.id'],
  ],
  [
    'SELECT o.amount, EXISTS (SELECT 1 FROM raw.people p WHERE p.id = o.person_id) AS known FROM raw.orders o',
    ['orders.person_id', 'people.id'],
  ],
  [
    "WITH p AS (SELECT id FROM raw.people WHERE country = 'DE') SELECT count(*) AS n FROM p",
    ['people.country'],
  ],
  ['SELECT id FROM raw.people UNION SELECT person_id FROM raw.orders', ['orders.person_id', 'people.id']],
  ['SELECT id FROM raw.people EXCEPT SELECT person_id FROM raw.orders', ['orders.person_id', 'people.id']],
  ['SELECT p.id, t.tag FROM raw.people p, unnest(p.tags) AS t(tag)', ['people.tags']],
  [
    "PIVOT raw.people ON country IN ('DE', 'US') USING count(*) GROUP BY born",
    ['people.born', 'people.country'],
  ],
  ['UNPIVOT raw.orders ON amount INTO NAME k VALUE v', ['orders.amount']],
  ["SELECT id FROM raw.people WHERE COLUMNS('^(email|born)$') IS NOT NULL", ['people.born', 'people.email']],
  [
    'WITH RECURSIVE r AS (SELECT id FROM raw.people UNION SELECT person_id FROM raw.orders, r WHERE r.id = person_id) SELECT * FROM r',
    ['orders.person_id', 'people.id'],
  ],
] as const)('%s is decided by %j', (sql, expected) => {
  // biome-ignore format: a table
  expect(decidingOf(sql)).toEqual(expected);
});

it('counts every column that COLUMNS stands for as read, wherever it stands', () => {
  const parsed = parseQuery(
    "SELECT id FROM raw.people WHERE COLUMNS('^(email|born)$') IS NOT NULL",
    'duckdb',
  );
  if (!parsed.ok) throw new Error(parsed.error.message);
  const { reads } = resolveQuery(parsed.value, () => ({
    columns: (SCHEMAS['raw.people'] ?? []).map((name) => ({ name, type: 'VARCHAR' })),
  }));
  expect(reads[0]?.columns).toEqual(['born', 'email', 'id']);
});
