import { describe, expect, it } from 'vitest';
import { cpuMs } from '../../../../tests/support/cpu-time.ts';
import type { Dialect } from '../dialect.ts';
import { parseQuery } from '../parse/parse-query.ts';
import type { QueryFacts, SchemaOf } from '../query-facts.ts';
import type { Binary, Expression, Query } from '../tree.ts';
import { resolveQuery } from './resolve-query.ts';

const TABLES: Readonly<Record<string, string>> = {
  orders: 'id INTEGER, customer_id INTEGER, amount DECIMAL(10,2), status VARCHAR, created_at TIMESTAMP',
  customers: 'id INTEGER, name VARCHAR, country VARCHAR',
  'shop.items': 'order_id INTEGER, sku VARCHAR, qty INTEGER',
  people: 'id INTEGER, address STRUCT(city VARCHAR, zip INTEGER), tags VARCHAR[]',
};

const schemas = new Map(
  Object.entries(TABLES).map(([name, text]) => {
    const columns = text.split(/, (?![^(]*\))/).map((column) => ({
      name: column.split(' ')[0] as string,
      type: column.slice(column.indexOf(' ') + 1),
    }));
    return [name, { columns }];
  }),
);
const schemaOf: SchemaOf = (parts) => schemas.get(parts.join('.'));

function facts(sql: string, dialect: Dialect = 'duckdb'): QueryFacts {
  const parsed = parseQuery(sql, dialect);
  if (!parsed.ok) throw new Error(`${parsed.error.message} in ${sql}`);
  return resolveQuery(parsed.value, schemaOf, { dialect });
}

/** `name <- table.column table.column [transformation]` for every output column. */
function lineage(sql: string, dialect: Dialect = 'duckdb'): string[] {
  return facts(sql, dialect).columns.map(
    (column) =>
      `${column.name} <- ${column.sources.map((source) => `${source.table}.${source.column}`).join(' ')} [${column.transformation}]`,
  );
}

function problems(sql: string, dialect: Dialect = 'duckdb'): string[] {
  return facts(sql, dialect).problems.map(
    (problem) =>
      `${problem.isCertain ? 'certain' : 'maybe'} ${problem.kind} ${sql.slice(problem.span.start, problem.span.end)}`,
  );
}

describe('lineage', () => {
  it.each<[string, string, string[]]>([
    ['a plain column is an identity', 'SELECT id FROM orders', ['id <- orders.id [identity]']],
    ['an alias keeps the identity', 'SELECT o.id AS x FROM orders o', ['x <- orders.id [identity]']],
    [
      'an expression is derived from all it uses',
      'SELECT amount * id + 1 AS x FROM orders',
      ['x <- orders.amount orders.id [derived]'],
    ],
    ['a cast is derived', 'SELECT id::TEXT AS x FROM orders', ['x <- orders.id [derived]']],
    ['a constant has no source', "SELECT 'a' AS x", ['x <-  [derived]']],
    [
      'an aggregate is aggregated',
      'SELECT sum(amount) AS x, count(*) AS n FROM orders',
      ['x <- orders.amount [aggregated]', 'n <-  [aggregated]'],
    ],
    [
      'an aggregate stays one through a CTE',
      'WITH a AS (SELECT sum(amount) AS s FROM orders) SELECT s FROM a',
      ['s <- orders.amount [aggregated]'],
    ],
    [
      'a window uses what it is partitioned and ordered by',
      'SELECT row_number() OVER (PARTITION BY customer_id ORDER BY created_at) AS n FROM orders',
      ['n <- orders.created_at orders.customer_id [derived]'],
    ],
    [
      'conditions of CASE and FILTER count',
      "SELECT sum(amount) FILTER (WHERE status = 'a') AS x FROM orders",
      ['x <- orders.amount orders.status [aggregated]'],
    ],
    [
      'WHERE, JOIN and GROUP BY do not',
      'SELECT c.name FROM orders o JOIN customers c ON c.id = o.customer_id WHERE o.amount > 1 GROUP BY c.name, o.status',
      ['name <- customers.name [identity]'],
    ],
    [
      'a star gives every column',
      'SELECT * FROM customers',
      [
        'id <- customers.id [identity]',
        'name <- customers.name [identity]',
        'country <- customers.country [identity]',
      ],
    ],
    [
      'REPLACE gives the new expression',
      'SELECT * EXCLUDE (id) REPLACE (upper(country) AS name) FROM customers',
      ['name <- customers.country [derived]', 'country <- customers.country [identity]'],
    ],
    [
      'RENAME keeps the identity',
      'SELECT * EXCLUDE (id, name) RENAME (country AS land) FROM customers',
      ['land <- customers.country [identity]'],
    ],
    [
      'a UNION joins both sides by position',
      'SELECT id FROM orders UNION ALL SELECT order_id FROM shop.items',
      ['id <- orders.id shop.items.order_id [identity]'],
    ],
    [
      'UNION BY NAME joins by name',
      'SELECT id, name FROM customers UNION ALL BY NAME SELECT amount AS name, id FROM orders',
      ['id <- customers.id orders.id [identity]', 'name <- customers.name orders.amount [identity]'],
    ],
    [
      'EXCEPT only filters',
      'SELECT id FROM orders EXCEPT SELECT id FROM customers',
      ['id <- orders.id [identity]'],
    ],
    [
      'a scalar subquery counts with what it selects',
      'SELECT (SELECT max(name) FROM customers c WHERE c.id = o.customer_id) AS n FROM orders o',
      ['n <- customers.name [aggregated]'],
    ],
    [
      'a lateral alias is its expression',
      'SELECT amount * 2 AS d, d + id AS e FROM orders',
      ['d <- orders.amount [derived]', 'e <- orders.amount orders.id [derived]'],
    ],
    [
      'USING takes both sides, which are equal',
      'SELECT id FROM orders JOIN customers USING (id)',
      ['id <- customers.id orders.id [identity]'],
    ],
    [
      'USING in a full join takes both',
      'SELECT id FROM orders FULL JOIN customers USING (id)',
      ['id <- customers.id orders.id [derived]'],
    ],
    [
      'a lateral subquery sees the left side',
      'SELECT l.x FROM orders o, LATERAL (SELECT o.amount AS x) l',
      ['x <- orders.amount [identity]'],
    ],
    [
      'unnest flows from its list',
      'SELECT p.id, u.tag FROM people p, unnest(p.tags) u(tag)',
      ['id <- people.id [identity]', 'tag <- people.tags [derived]'],
    ],
    [
      'a field comes from its struct',
      'SELECT p.address.city, address.zip AS z FROM people p',
      ['city <- people.address [derived]', 'z <- people.address [derived]'],
    ],
    [
      'a recursive table gathers what its steps add',
      'WITH RECURSIVE r AS (SELECT id, 0 AS total FROM customers UNION ALL SELECT o.id, r.total + o.amount FROM r JOIN orders o ON o.customer_id = r.id) SELECT * FROM r',
      ['id <- customers.id orders.id [identity]', 'total <- orders.amount [derived]'],
    ],
    [
      'a PIVOT gives what it aggregates',
      "PIVOT orders ON status IN ('a') USING sum(amount) GROUP BY customer_id",
      ['customer_id <- orders.customer_id [identity]', 'a <- orders.amount [aggregated]'],
    ],
    [
      'an inner CTE hides an outer one',
      'WITH a AS (SELECT id FROM orders) SELECT x.id FROM (WITH a AS (SELECT id FROM customers) SELECT id FROM a) x',
      ['id <- customers.id [identity]'],
    ],
    [
      'a CTE hides a table of its name',
      'WITH orders AS (SELECT name AS n FROM customers) SELECT n FROM orders',
      ['n <- customers.name [identity]'],
    ],
  ])('%s', (_, sql, expected) => {
    expect(lineage(sql)).toEqual(expected);
  });

  it('goes through a table nobody knows', () => {
    expect(lineage('SELECT u.a, u.a + u.b AS s FROM unknown_table u')).toEqual([
      'a <- unknown_table.a [identity]',
      's <- unknown_table.a unknown_table.b [derived]',
    ]);
    expect(lineage('WITH c AS (SELECT * FROM unknown_table) SELECT x FROM c')).toEqual([
      'x <- unknown_table.x [identity]',
    ]);
    expect(facts('SELECT a FROM unknown_table').columns[0]?.type).toBe('UNKNOWN');
  });

  it('points at the projection that makes a column', () => {
    const sql = 'SELECT id, amount * 2 AS double FROM orders';
    expect(facts(sql).columns.map((column) => sql.slice(column.span.start, column.span.end))).toEqual([
      'id',
      'amount * 2 AS double',
    ]);
  });
});

describe('reads', () => {
  it('lists every column used anywhere, and no CTE', () => {
    const sql =
      'WITH c AS (SELECT name, id FROM customers) SELECT o.amount FROM orders o JOIN c ON c.id = o.customer_id WHERE o.status IS NULL ORDER BY o.created_at';
    expect(facts(sql).reads).toEqual([
      { table: 'customers', columns: ['id', 'name'], readsAll: false },
      { table: 'orders', columns: ['amount', 'created_at', 'customer_id', 'status'], readsAll: false },
    ]);
  });

  it('says when a star reads all of a table', () => {
    expect(facts('SELECT * FROM customers').reads).toEqual([
      { table: 'customers', columns: ['country', 'id', 'name'], readsAll: true },
    ]);
    expect(facts('SELECT count(*) FROM customers').reads).toEqual([
      { table: 'customers', columns: [], readsAll: false },
    ]);
    expect(facts('SELECT * FROM nobody.knows').reads).toEqual([
      { table: 'nobody.knows', columns: [], readsAll: true },
    ]);
  });

  it('writes names folded, and as quoted', () => {
    expect(facts('SELECT A FROM Other."Mixed Case"').reads).toEqual([
      { table: 'other.Mixed Case', columns: ['a'], readsAll: false },
    ]);
  });
});

describe('problems', () => {
  it.each<[string, string[]]>([
    ['SELECT nope FROM orders', ['certain unknown-column nope']],
    ['SELECT o.nope FROM orders o', ['certain unknown-column nope']],
    ['SELECT id FROM orders WHERE nope > 1', ['certain unknown-column nope']],
    ['SELECT id FROM orders ORDER BY nope', ['certain unknown-column nope']],
    ['SELECT x.id FROM orders o', ['certain unknown-table-alias x']],
    ['SELECT x.* FROM orders o', ['certain unknown-table-alias x']],
    ['SELECT id FROM orders, customers', ['certain ambiguous-column id']],
    ['SELECT * EXCLUDE (nope) FROM orders', ['certain unknown-column nope']],
    [
      'SELECT * FROM orders JOIN customers USING (name)',
      ['certain unknown-column name', 'maybe duplicate-column *'],
    ],
    [
      'SELECT id FROM orders UNION SELECT id, name FROM customers',
      ['certain column-count SELECT id, name FROM customers'],
    ],
    ['SELECT (SELECT nope FROM customers) FROM orders', ['certain unknown-column nope']],
    ['SELECT nope FROM orders JOIN unknown_table USING (id)', []],
    ['SELECT nope FROM unknown_a, unknown_b', ['maybe unknown-column nope']],
    ['SELECT * FROM unknown_table', ['maybe star-not-expanded *']],
    ['SELECT id, id FROM orders', ['maybe duplicate-column id']],
    ['SELECT id, id, id FROM orders', ['maybe duplicate-column id', 'maybe duplicate-column id']],
    [
      'SELECT * FROM (SELECT id FROM orders) a, (SELECT id FROM orders) b, (SELECT id FROM orders) c',
      ['maybe duplicate-column *'],
    ],
    ['SELECT amount AS a FROM orders WHERE a > 1 GROUP BY a HAVING a > 2 QUALIFY a > 3 ORDER BY a', []],
    ['SELECT rowid, current_date, orders FROM orders', []],
    [
      'SELECT c.id FROM orders o, customers c WHERE EXISTS (SELECT 1 FROM shop.items WHERE order_id = o.id)',
      [],
    ],
    ['SELECT shop.items.sku, items.qty FROM shop.items', []],
    ['SELECT list_transform(tags, x -> x || name) FROM people, customers', []],
  ])('%s', (sql, expected) => {
    expect(problems(sql)).toEqual(expected);
  });

  it.each([
    'SELECT max(COLUMNS(*)) + nope FROM customers',
    'SELECT nope + 1 AS z, z * 2 AS y, z * 3 AS x FROM orders WHERE z > 1 ORDER BY z',
    'WITH c AS (SELECT id, nope FROM orders) SELECT a.id FROM c a JOIN c b ON true',
    'WITH RECURSIVE r AS (SELECT id FROM orders UNION ALL SELECT id + nope FROM r) SELECT * FROM r',
    'SELECT list_reduce(tags, (a, b) -> a || nope) FROM people',
    'SELECT sum(id) OVER w, max(id) OVER w FROM orders WINDOW w AS (ORDER BY nope)',
  ])('tells once what it meets more than once: %s', (sql) => {
    expect(problems(sql)).toEqual(['certain unknown-column nope']);
  });

  it('offers the names that would have fitted', () => {
    expect(facts('SELECT nmae FROM customers').problems[0]?.candidates).toEqual(['id', 'name', 'country']);
    expect(facts('SELECT c.nmae FROM customers c, orders').problems[0]?.candidates).toEqual([
      'id',
      'name',
      'country',
    ]);
    expect(facts('SELECT x.id FROM customers c, orders').problems[0]?.candidates).toEqual(['c', 'orders']);
    expect(facts('SELECT id FROM customers c, orders').problems[0]?.candidates).toEqual([
      'c.id',
      'orders.id',
    ]);
  });
});

describe('columns from functions and files', () => {
  it('takes the columns a file reader declares', () => {
    const { columns, isComplete } = facts(
      "SELECT * FROM read_csv('x.csv', header = true, columns = {'a': 'INT', 'b': 'DECIMAL(8, 2)', 'c': 'VARCHAR[]'})",
    );
    expect(columns.map((column) => [column.name, column.type])).toEqual([
      ['a', 'INTEGER'],
      ['b', 'DECIMAL(8,2)'],
      ['c', 'VARCHAR[]'],
    ]);
    expect(isComplete).toBe(true);
  });

  it('leaves a file without declared columns open', () => {
    expect(facts("SELECT * FROM 'data.parquet'").isComplete).toBe(false);
    expect(facts("SELECT a FROM read_parquet('x.parquet')").columns.map((column) => column.type)).toEqual([
      'UNKNOWN',
    ]);
    expect(facts('PIVOT orders ON status USING sum(amount)').isComplete).toBe(false);
  });

  it('does not guess what an unknown function returns', () => {
    expect(
      facts(
        'SELECT my_function(id) AS x, my_function(id) + 1 AS y, upper(my_function(id)) AS z FROM orders',
      ).columns.map((column) => column.type),
    ).toEqual(['UNKNOWN', 'UNKNOWN', 'VARCHAR']);
  });
});

describe('size', () => {
  const time = (sql: string): { facts: QueryFacts; ms: number } => {
    const parsed = parseQuery(sql, 'duckdb');
    if (!parsed.ok) throw new Error(parsed.error.message);
    const start = cpuMs();
    return { facts: resolveQuery(parsed.value, schemaOf), ms: cpuMs() - start };
  };

  it.each<[string, string, string]>([
    ['20,000 ANDs', `SELECT id FROM orders WHERE ${Array(20_000).fill('id = 1').join(' AND ')}`, 'INTEGER'],
    ['20,000 additions', `SELECT ${Array(20_000).fill('id').join(' + ')} AS x FROM orders`, 'INTEGER'],
    [
      '1,000 branches of a UNION',
      `SELECT id FROM orders${' UNION ALL SELECT amount FROM orders'.repeat(1000)}`,
      'DECIMAL(12,2)',
    ],
    [
      '1,000 joins',
      `SELECT t0.id FROM orders t0${Array.from({ length: 1000 }, (_, at) => ` JOIN orders t${at + 1} ON t${at}.id = t${at + 1}.id`).join('')}`,
      'INTEGER',
    ],
    [
      '2,000 CTEs',
      `WITH c0 AS (SELECT id FROM orders)${Array.from({ length: 2000 }, (_, at) => `, c${at + 1} AS (SELECT id FROM c${at})`).join('')} SELECT id FROM c2000`,
      'INTEGER',
    ],
    [
      '120 queries inside one another',
      `${'SELECT * FROM ('.repeat(120)}SELECT id FROM orders${')'.repeat(120)}`,
      'INTEGER',
    ],
  ])('%s are resolved in bounded time', (_, sql, type) => {
    const { facts: found, ms } = time(sql);
    expect(found.columns[0]?.type).toBe(type);
    expect(found.problems).toEqual([]);
    expect(ms).toBeLessThan(3000);
  });

  it('a tree deeper than any parser makes is reported, not thrown', () => {
    const span = { start: 0, end: 0 };
    let deep: Expression = { kind: 'literal', type: 'number', text: '1', span };
    for (let at = 0; at < 100_000; at++)
      deep = {
        kind: 'unary',
        operator: '-',
        operand: { kind: 'collate', operand: deep, collation: [], span },
        span,
      };
    let right: Expression = deep;
    for (let at = 0; at < 50_000; at++)
      right = {
        kind: 'binary',
        operator: '+',
        left: { kind: 'literal', type: 'number', text: '1', span },
        right,
        span,
      } satisfies Binary;
    let query: Query = {
      kind: 'query',
      body: {
        kind: 'select',
        distinct: 'none',
        projections: [{ expression: right, span }],
        from: [],
        windows: [],
        span,
      },
      orderBy: [],
      span,
    };
    expect(resolveQuery(query, schemaOf).problems.map((problem) => problem.kind)).toEqual(['too-deep']);
    for (let at = 0; at < 50_000; at++) {
      query = { kind: 'query', body: { kind: 'nested', query, span }, orderBy: [], span };
    }
    expect(resolveQuery(query, schemaOf).problems.map((problem) => problem.kind)).toEqual(['too-deep']);
  });
});
