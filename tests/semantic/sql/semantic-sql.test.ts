import { beforeAll, describe, expect, test } from 'vitest';
import { TABLES, YAML } from './shop.ts';
import { type SqlWorld, sqlWorld } from './sql-world.ts';

let world: SqlWorld;
beforeAll(async () => {
  world = await sqlWorld(TABLES, YAML);
});

/** Rows in one order, for questions that give none. */
const sorted = (rows: readonly (readonly unknown[])[]) => rows.map((row) => JSON.stringify(row)).sort();
/** Two texts with the same answer; the second is plain SQL over the tables when it begins with `raw:`. */
const same = async (one: string, other: string): Promise<void> => {
  const expected = other.startsWith('raw:') ? await world.raw(other.slice(4)) : await world.rows(other);
  expect(sorted(await world.rows(one)), world.sql(one)).toEqual(sorted(expected));
};

describe('measures', () => {
  test('a plain question is one SELECT, ordered and cut as written', () => {
    expect(
      world.sql(
        'SELECT status, MEASURE(revenue) AS r FROM orders WHERE early GROUP BY 1 ORDER BY r DESC LIMIT 2',
      ),
    ).toBe(`SELECT
  orders.status AS status,
  SUM(orders.amount) AS r
FROM m.orders AS orders
WHERE orders.order_date < DATE '2024-02-01'
GROUP BY 1
ORDER BY r DESC
LIMIT 2`);
  });
  test.each([
    'SUM(revenue)',
    'revenue',
    'AGGREGATE(revenue)',
    'sum(orders.revenue)',
    'MAX(o.revenue)',
    '"revenue"',
    'REVENUE',
  ])('%s is the measure', async (measure) => {
    const from = measure.includes('o.') ? 'orders o' : 'orders';
    await same(`SELECT ${measure} FROM ${from}`, 'raw:SELECT sum(amount) FROM m.orders');
  });
  test('an aggregate that is not the measure’s own is told in a note', () => {
    const notes = (sql: string) => {
      const result = world.compile(sql);
      return result.ok ? result.notes : [];
    };
    expect(notes('SELECT AVG(revenue), SUM(aov) FROM orders')).toEqual([
      'AVG of orders.revenue is the measure itself, computed for each group.',
      'SUM of orders.aov is the measure itself, computed for each group.',
    ]);
    expect(notes('SELECT SUM(revenue), COUNT(DISTINCT buyers), MEASURE(aov) FROM orders')).toEqual([]);
  });
  test.each([
    ['COUNT(*)', 'count(*)'],
    ['COUNT(1)', 'count(*)'],
    ['COUNT(status)', 'count(status)'],
    ['COUNT(DISTINCT status)', 'count(DISTINCT status)'],
    ['SUM(amount)', 'sum(amount)'],
    ['MIN(order_date)', 'min(order_date)'],
    ["COUNT(*) FILTER (WHERE status = 'done')", "count(*) FILTER (WHERE status = 'done')"],
    [
      "SUM(CASE WHEN status = 'done' THEN amount ELSE 0 END)",
      "sum(CASE WHEN status = 'done' THEN amount ELSE 0 END)",
    ],
    ["COUNT(DISTINCT date_trunc('month', order_date))", "count(DISTINCT date_trunc('month', order_date))"],
    ['COUNT(*) FILTER (WHERE early)', "count(*) FILTER (WHERE order_date < DATE '2024-02-01')"],
    ['SUM(2)', 'sum(2)'],
  ])('%s over columns is over each row once', async (written, plain) => {
    await same(`SELECT ${written} FROM orders`, `raw:SELECT ${plain} FROM m.orders`);
    // Beside a dimension on the many side every row still counts once for each group.
    if (/\((\*|1|2)\)/.test(written)) return;
    await same(
      `SELECT items.sku, ${written} FROM orders CROSS JOIN items WHERE items.sku IS NOT NULL GROUP BY 1`,
      `raw:SELECT sku, ${plain} FROM (SELECT DISTINCT sku, o.* FROM m.items JOIN m.orders o ON o.id = order_id) GROUP BY 1`,
    );
  });
  test('COUNT(*) of joined tables counts the one that reaches the others', async () => {
    await same('SELECT COUNT(*) FROM customers CROSS JOIN orders', 'SELECT orders.count FROM orders');
    await same('SELECT COUNT(*) FROM orders JOIN items', 'SELECT items.count FROM items');
    await same(
      "SELECT COUNT(*) FILTER (WHERE orders.status = 'done') FROM orders JOIN items",
      "raw:SELECT count(*) FROM m.items JOIN m.orders o ON o.id = order_id WHERE status = 'done'",
    );
  });
  test('arithmetic over measures is done outside, at the grain of the groups', async () => {
    await same(
      'SELECT status, SUM(revenue) / NULLIF(COUNT(*), 0) AS a, round(aov, 1) + 1 FROM orders GROUP BY status',
      'raw:SELECT status, sum(amount) / count(*), round(sum(amount) / count(*), 1) + 1 FROM m.orders GROUP BY 1',
    );
  });
  test('two facts are computed apart', async () => {
    expect(
      await world.rows(
        'SELECT region, orders.count AS o, returns.count AS r, value_sum FROM orders JOIN customers JOIN returns GROUP BY region ORDER BY region',
      ),
    ).toEqual([
      ['EU', '2', '2', '10'],
      ['US', '2', '0', null],
      [null, '1', '0', null],
    ]);
  });
});

describe('groups', () => {
  test.each([
    ["SELECT date_trunc('month', order_date) AS m, revenue FROM orders GROUP BY 1"],
    ["SELECT date_trunc('MONTH', order_date) AS m, SUM(revenue) FROM orders GROUP BY m"],
    [
      "SELECT date_trunc('month', o.order_date) AS m, SUM(revenue) FROM orders o GROUP BY date_trunc('month', order_date)",
    ],
    ['SELECT order_date.month, revenue FROM orders'],
    ['SELECT orders.order_date.month, revenue FROM orders GROUP BY ALL'],
    ["SELECT CAST(date_trunc('month', order_date) AS DATE), revenue FROM orders GROUP BY 1"],
    [
      "SELECT CAST(date_trunc('month', CAST(order_date AS TIMESTAMP)) AS DATE), revenue FROM orders GROUP BY 1",
    ],
  ])('%s groups by month', async (sql) => {
    await same(
      sql,
      "raw:SELECT CAST(date_trunc('month', order_date) AS DATE), sum(amount) FROM m.orders GROUP BY 1",
    );
  });
  test.each([
    ['EXTRACT(year FROM order_date)', 'extract(year FROM order_date)'],
    ['upper(status)', 'upper(status)'],
    [
      "CASE WHEN amount > 40 THEN 'a' WHEN status IS NULL THEN 'n' ELSE 'b' END",
      "CASE WHEN amount > 40 THEN 'a' WHEN status IS NULL THEN 'n' ELSE 'b' END",
    ],
    ['id % 2', 'id % 2'],
    ["status || '-' || size", "status || '-' || CASE WHEN amount > 60 THEN 'big' ELSE 'small' END"],
    ["date_trunc('decade', order_date)", "date_trunc('decade', order_date)"],
    ['early', "order_date < DATE '2024-02-01'"],
    ["order_date < DATE '2024-01-10' AND early", "order_date < DATE '2024-01-10'"],
  ])('%s is computed in each row before it is grouped by', async (written, plain) => {
    const expected = `raw:SELECT ${plain}, sum(amount), count(*) FROM m.orders GROUP BY 1`;
    await same(`SELECT ${written} AS k, revenue, count FROM orders GROUP BY k`, expected);
    await same(`SELECT ${written}, MEASURE(revenue), COUNT(*) FROM orders GROUP BY ${written}`, expected);
    await same(`SELECT ${written}, revenue, count FROM orders`, expected);
  });
  test('expressions over several tables are groups, and those over groups are computed outside', async () => {
    await same(
      "SELECT coalesce(region, '?') || '/' || coalesce(status, '?') AS k, revenue, length(coalesce(region, '?') || '/' || coalesce(status, '?')) FROM orders JOIN customers GROUP BY k",
      "raw:SELECT coalesce(region, '?') || '/' || coalesce(status, '?') AS k, sum(amount), length(k) FROM m.orders o LEFT JOIN m.customers c ON c.id = customer_id GROUP BY 1",
    );
    await same(
      'SELECT upper(status), lower(status), status, revenue FROM orders GROUP BY status',
      'raw:SELECT upper(status), lower(status), status, sum(amount) FROM m.orders GROUP BY status',
    );
  });
  test('a bucket of a time that is grouped by is computed outside', async () => {
    await same(
      "SELECT date_trunc('month', order_date) AS m, order_date, revenue FROM orders GROUP BY order_date",
      "raw:SELECT CAST(date_trunc('month', order_date) AS DATE), order_date, sum(amount) FROM m.orders GROUP BY 2",
    );
  });
  test('a group that is not shown is still a group', async () => {
    await same(
      'SELECT revenue FROM orders GROUP BY status',
      'raw:SELECT sum(amount) FROM m.orders GROUP BY status',
    );
  });
  test('without measures they are the different values', async () => {
    await same('SELECT status FROM orders', 'raw:SELECT DISTINCT status FROM m.orders');
    await same(
      'SELECT DISTINCT upper(status) FROM orders',
      'raw:SELECT DISTINCT upper(status) FROM m.orders',
    );
    await same(
      'SELECT region FROM orders JOIN customers',
      'raw:SELECT DISTINCT region FROM m.orders o LEFT JOIN m.customers c ON c.id = customer_id',
    );
  });
  test('constants and windows stand beside them', async () => {
    await same(
      "SELECT 'x' AS c, status, row_number() OVER (ORDER BY status) AS n, SUM(revenue) OVER (PARTITION BY size) AS t FROM orders",
      "raw:SELECT 'x', status, row_number() OVER (ORDER BY status), sum(r) OVER (PARTITION BY size) FROM (SELECT status, CASE WHEN amount > 60 THEN 'big' ELSE 'small' END AS size, sum(amount) AS r FROM m.orders GROUP BY 1, 2)",
    );
  });
  test('* is every public dimension and measure that needs no period', () => {
    const result = world.compile('SELECT * FROM orders');
    expect(result.ok && result.columns.map(({ name }) => name)).toEqual([
      'id',
      'status',
      'order_date',
      'placed_at',
      'amount',
      'size',
      'revenue',
      'done',
      'buyers',
      'aov',
      'count',
    ]);
    const less = world.compile(
      'SELECT o.* EXCLUDE (id, placed_at, amount, size, done, buyers, aov) FROM orders o',
    );
    expect(less.ok && less.columns.map(({ name, title }) => title ?? name)).toEqual([
      'status',
      'order_date',
      'Revenue',
      'count',
    ]);
  });
});

describe('conditions', () => {
  test.each([
    "status = 'done'",
    "status <> 'done'",
    "NOT (status = 'done')",
    "status IN ('done', 'x')",
    "status NOT IN ('done', NULL)",
    "status ILIKE 'o%'",
    "status LIKE 'o%' OR amount IS NULL",
    'amount BETWEEN 20 AND 60',
    "order_date BETWEEN '2024-01-05' AND '2024-02-01'",
    "order_date NOT BETWEEN '2024-01-05' AND '2024-02-01'",
    "order_date > '2024-01-05' AND order_date <= DATE '2024-02-01'",
    "DATE '2024-01-20' > order_date",
    "order_date = '2024-01-20'",
    "placed_at >= '2024-01-20 10:00'",
    "placed_at > TIMESTAMP '2024-01-20 10:00:00'",
    "placed_at <= '2024-02-01'",
    "placed_at < CAST('2024-02-01' AS TIMESTAMP)",
    'EXTRACT(month FROM order_date) = 1 AND length(status) > 3',
    "coalesce(status, 'open') = 'open'",
    '(amount > 20) IS NOT TRUE',
    'status IS NULL',
    "(status, id) IN (('done', 1), ('open', 9))",
    "CASE WHEN status = 'done' THEN amount > 50 ELSE amount < 20 END",
    '1 = 0',
    'TRUE',
    "date_trunc('month', order_date) = DATE '2024-01-01'",
    'status IN (SELECT status FROM m.targets WHERE target > 50)',
    'amount > (SELECT avg(amount) FROM m.orders)',
    'EXISTS (SELECT 1 FROM m.targets WHERE target > 1000)',
    'id IN (WITH big AS (SELECT id FROM m.orders WHERE amount > 20) SELECT id FROM big ORDER BY id LIMIT 2)',
  ])('WHERE %s means what SQL means', async (condition) => {
    await same(
      `SELECT size, revenue, count FROM orders WHERE ${condition} GROUP BY 1`,
      `raw:SELECT CASE WHEN amount > 60 THEN 'big' ELSE 'small' END AS size, sum(amount), count(*) FROM m.orders WHERE ${condition} GROUP BY 1`,
    );
  });
  test('segments are conditions', async () => {
    await same(
      'SELECT count FROM orders WHERE early',
      "raw:SELECT count(*) FROM m.orders WHERE order_date < '2024-02-01'",
    );
    await same(
      'SELECT count FROM orders WHERE NOT early OR id = 1',
      "raw:SELECT count(*) FROM m.orders WHERE NOT order_date < '2024-02-01' OR id = 1",
    );
  });
  test('on the many side choose each row once', async () => {
    await same(
      'SELECT revenue, orders.count FROM orders JOIN items WHERE items.quantity >= 1',
      'raw:SELECT sum(amount), count(*) FROM m.orders WHERE id IN (SELECT order_id FROM m.items WHERE quantity >= 1)',
    );
    await same(
      "SELECT orders.count FROM orders JOIN items WHERE items.sku = 'a' AND items.quantity = 1",
      'raw:SELECT 0::BIGINT',
    );
  });
  test('HAVING, and conditions on measures as columns, choose groups', async () => {
    const expected = 'raw:SELECT status, sum(amount) FROM m.orders GROUP BY 1 HAVING sum(amount) > 20';
    await same('SELECT status, revenue FROM orders GROUP BY 1 HAVING SUM(revenue) > 20', expected);
    await same('SELECT status, revenue AS r FROM orders GROUP BY 1 HAVING r > 20', expected);
    await same('SELECT status, revenue FROM orders WHERE revenue > 20', expected);
    await same(
      'SELECT status FROM orders GROUP BY 1 HAVING COUNT(*) > 1 AND upper(status) = status || 0',
      'raw:SELECT 1 WHERE false',
    );
  });
  test('a value stays a value', async () => {
    const evil = "x' OR 1=1 --";
    expect(
      await world.rows(`SELECT count FROM orders WHERE status = '${evil.replaceAll("'", "''")}'`),
    ).toEqual([['0']]);
  });
});

describe('order and limits', () => {
  test.each([
    'ORDER BY 2 DESC, status',
    'ORDER BY revenue DESC NULLS LAST, status',
    'ORDER BY SUM(revenue) DESC NULLS LAST, 1',
    'ORDER BY -revenue NULLS LAST, status LIMIT 2 OFFSET 1',
    'ORDER BY upper(status), status',
    'ORDER BY COUNT(*), status',
    'ORDER BY ALL',
  ])('%s', async (tail) => {
    const plain = tail.replaceAll(/SUM\(revenue\)|revenue/g, 'sum(amount)');
    const expected = await world.raw(`SELECT status, sum(amount) FROM m.orders GROUP BY 1 ${plain}`);
    expect(await world.rows(`SELECT status, revenue FROM orders GROUP BY 1 ${tail}`)).toEqual(expected);
  });
  test('no limit is put into sub-queries', () => {
    expect(world.sql('SELECT count(*) FROM (SELECT id, revenue FROM orders GROUP BY 1) AS x')).not.toContain(
      'LIMIT',
    );
  });
});

describe('joins', () => {
  test('are as modelled, with or without ON, in any order', async () => {
    const expected =
      'raw:SELECT region, sum(amount) FROM m.orders o LEFT JOIN m.customers c ON c.id = customer_id GROUP BY 1';
    for (const from of [
      'orders CROSS JOIN customers',
      'orders JOIN customers',
      'orders LEFT JOIN customers',
      'orders, customers',
      'customers JOIN orders',
      'orders o JOIN customers c ON o.customer_id = c.id',
      'customers c JOIN orders o ON c.id = o.customer_id',
      'orders JOIN customers ON TRUE',
    ])
      await same(`SELECT region, SUM(revenue) FROM ${from} GROUP BY region`, expected);
  });
  test('over several hops, tables between need not be named', async () => {
    await same(
      'SELECT label, revenue FROM orders JOIN tiers',
      'raw:SELECT label, sum(amount) FROM m.orders o LEFT JOIN m.customers c ON c.id = customer_id LEFT JOIN m.tiers t ON t.id = tier_id GROUP BY 1',
    );
  });
  test('a role is a table, and an ON chooses one', async () => {
    const expected =
      'raw:SELECT city, count(*) FROM m.orders o LEFT JOIN m.addresses a ON a.id = bill_id GROUP BY 1';
    await same('SELECT bill_to.city, orders.count FROM orders JOIN bill_to', expected);
    await same(
      'SELECT a.city, orders.count FROM orders o JOIN addresses a ON a.id = o.bill_id'.replace(
        'orders.count',
        'o.count',
      ),
      expected,
    );
    await same(
      'SELECT s.city, b.city, o.count FROM orders o JOIN addresses s ON s.id = o.ship_id JOIN addresses b ON b.id = o.bill_id',
      'raw:SELECT s.city, b.city, count(*) FROM m.orders o LEFT JOIN m.addresses s ON s.id = ship_id LEFT JOIN m.addresses b ON b.id = bill_id GROUP BY 1, 2',
    );
  });
});

describe('metrics', () => {
  test('are tables with ts, measure and dimensions', async () => {
    const rows = (grain: string, where = 'true') =>
      `raw:SELECT CAST(date_trunc('${grain}', order_date) AS DATE), sum(amount) FROM m.orders WHERE status IS NOT NULL AND ${where} GROUP BY 1`;
    await same('SELECT ts, measure FROM monthly_revenue', rows('month'));
    await same('SELECT ts, SUM(monthly_revenue) FROM monthly_revenue GROUP BY 1', rows('month'));
    await same("SELECT date_trunc('year', ts), measure FROM monthly_revenue GROUP BY 1", rows('year'));
    await same(
      "SELECT ts, measure FROM monthly_revenue WHERE ts >= '2024-01-10'",
      rows('month', "order_date >= '2024-01-10'"),
    );
    await same(
      'SELECT ts, measure FROM monthly_revenue WHERE EXTRACT(day FROM ts) > 10',
      rows('month', 'extract(day FROM order_date) > 10'),
    );
    await same(
      'SELECT ts, measure FROM monthly_revenue WHERE measure > 20',
      `${rows('month')} HAVING sum(amount) > 20`,
    );
    await same(
      'SELECT region, measure FROM monthly_revenue m',
      'raw:SELECT region, sum(amount) FROM m.orders o LEFT JOIN m.customers c ON c.id = customer_id WHERE status IS NOT NULL GROUP BY 1',
    );
    await same(
      'SELECT a.ts, a.measure, b.measure FROM monthly_revenue a JOIN daily_orders b',
      `raw:SELECT coalesce(a.t, b.t), r, coalesce(n, 0) FROM (${rows('month').slice(4).replace('AS DATE)', 'AS DATE) AS t').replace('sum(amount)', 'sum(amount) AS r')}) a FULL JOIN (SELECT date_trunc('month', placed_at) AS t, count(*) AS n FROM m.orders GROUP BY 1) b ON a.t IS NOT DISTINCT FROM b.t`,
    );
    const star = world.compile('SELECT * FROM monthly_revenue');
    expect(star.ok && star.columns.map(({ name }) => name)).toEqual(['ts', 'region', 'measure']);
  });
});

describe('windows of measures', () => {
  test('see the rows before a date range', async () => {
    for (const where of [
      "order_date >= '2024-01-01'",
      "order_date >= DATE '2024-01-01' AND order_date < '2024-03-01'",
      "order_date BETWEEN '2024-01-01' AND '2024-02-29'",
    ])
      expect(
        await world.rows(
          `SELECT date_trunc('month', order_date) AS m, revenue_all FROM orders WHERE ${where} GROUP BY 1 ORDER BY 1`,
        ),
      ).toEqual([
        ['2024-01-01', '160.00'],
        ['2024-02-01', '185.50'],
      ]);
  });
  test('see all rows beside conditions in any shape, which choose months', async () => {
    const by = (where: string): string =>
      `SELECT date_trunc('month', order_date) AS m, revenue_all FROM orders WHERE ${where} GROUP BY 1 ORDER BY 1`;
    const all = [
      ['2023-12-01', '10.00'],
      ['2024-01-01', '160.00'],
      ['2024-02-01', '185.50'],
    ];
    for (const where of [
      "order_date < '2024-01-01' OR order_date >= '2024-02-01'",
      "NOT (order_date >= '2024-01-01' AND order_date < '2024-02-01')",
      "order_date NOT BETWEEN '2024-01-01' AND '2024-01-31'",
      "order_date IN ('2023-12-31', '2024-02-03')",
      "(order_date = '2023-12-05') OR (order_date > '2024-01-31' AND order_date <= '2024-02-28')",
      "date_trunc('month', order_date) = '2023-12-01' OR date_trunc('quarter', order_date) >= '2024-01-01' AND order_date > '2024-01-31'",
    ])
      expect(await world.rows(by(where)), where).toEqual([all[0], all[2]]);
    expect(await world.rows(by("date_trunc('quarter', order_date) >= '2024-01-01'"))).toEqual(all.slice(1));
    expect(await world.rows(by("order_date >= '2024-03-01' OR order_date < '2023-12-01'"))).toEqual([]);
  });
  test('show the period in every column of their time', async () => {
    expect(
      await world.rows(
        "SELECT date_trunc('month', order_date) AS m, date_trunc('quarter', order_date) AS q, strftime(date_trunc('quarter', order_date), '%Y') AS y, revenue_all, revenue_before FROM orders GROUP BY ALL ORDER BY 1",
      ),
    ).toEqual([
      ['2023-12-01', '2023-10-01', '2023', '10.00', null],
      ['2024-01-01', '2024-01-01', '2024', '160.00', '10.00'],
      ['2024-02-01', '2024-01-01', '2024', '185.50', '150.00'],
    ]);
  });
  test('refuse conditions on their time that are no dates', () => {
    const told = (where: string): readonly string[] =>
      world.told(`SELECT date_trunc('month', order_date), revenue_all FROM orders WHERE ${where} GROUP BY 1`);
    expect(told('EXTRACT(day FROM order_date) = 5')).toEqual(['semantic.sql-window-condition@order_date']);
    expect(told("order_date >= '2024-01-01' OR status = 'done'")).toEqual([
      'semantic.sql-window-condition@order_date',
    ]);
  });
  test('refuse columns that say no period', () => {
    for (const column of ['order_date', 'year(order_date)', "strftime(date_trunc('week', order_date), '%Y')"])
      expect(
        world.told(`SELECT date_trunc('month', order_date), ${column}, revenue_all FROM orders GROUP BY ALL`),
      ).toEqual([expect.stringContaining('semantic.unclear-period@')]);
  });
});

describe('windows over groups', () => {
  test('in a measure see all groups, those in the text what HAVING leaves', async () => {
    const windowed = await sqlWorld(TABLES, [
      ...YAML.slice(1),
      (YAML[0] ?? '').replace(
        'segments:',
        '  - {name: share, type: number, expression: "{revenue} / sum({revenue}) OVER ()"}\n  - {name: best, type: number, expression: "{share} / max({share}) OVER ()"}\nsegments:',
      ),
    ]);
    const shares = 'SELECT status, round(share, 2) AS s FROM orders GROUP BY status';
    expect(await windowed.rows(`${shares} HAVING revenue < 60 ORDER BY 1`)).toEqual([
      ['Open', 0.05],
      ['open', 0.27],
    ]);
    expect(await windowed.rows(`${shares} HAVING share > 0.5`)).toEqual([['done', 0.68]]);
    expect(
      await windowed.rows('SELECT status, round(best, 2) AS b FROM orders WHERE best < 0.2 GROUP BY 1'),
    ).toEqual([['Open', 0.08]]);
    expect(
      await windowed.rows(
        'SELECT status, round(revenue / sum(revenue) OVER (), 2) AS s FROM orders GROUP BY status HAVING revenue < 60 ORDER BY 1',
      ),
    ).toEqual([
      ['Open', 0.17],
      ['open', 0.83],
    ]);
    for (const text of [
      'SELECT status, revenue FROM orders GROUP BY 1 HAVING sum(revenue) OVER () > 1',
      'SELECT status, revenue FROM orders WHERE rank() OVER (ORDER BY status) = 1 GROUP BY 1',
    ])
      expect(windowed.told(text)).toEqual([expect.stringContaining('semantic.sql-unsupported@')]);
    const best =
      '(SELECT status FROM orders GROUP BY 1 QUALIFY rank() OVER (ORDER BY revenue DESC NULLS LAST) = 1)';
    expect(await windowed.rows(`SELECT revenue FROM orders WHERE status IN ${best}`)).toEqual([['125.50']]);
  });
});

describe('around the semantic part', () => {
  test('common tables, set operations, sub-queries and joins are the engine’s', async () => {
    await same(
      'WITH s AS (SELECT status, revenue FROM orders GROUP BY 1) SELECT s.status, revenue - target AS d FROM s JOIN m.targets t USING (status)',
      'raw:SELECT status, sum(amount) - any_value(target) FROM m.orders JOIN m.targets USING (status) GROUP BY 1',
    );
    await same(
      "SELECT 'all' AS what, revenue FROM orders UNION ALL SELECT status, revenue FROM orders GROUP BY 1 UNION ALL (SELECT region, orders.count FROM orders JOIN customers ORDER BY 2 DESC, 1 LIMIT 1)",
      "raw:SELECT 'all', sum(amount) FROM m.orders UNION ALL SELECT status, sum(amount) FROM m.orders GROUP BY 1 UNION ALL SELECT 'EU', 2::BIGINT",
    );
    await same(
      'SELECT avg(r) FROM (SELECT status, SUM(revenue) AS r FROM orders GROUP BY 1) AS x',
      'raw:SELECT avg(r) FROM (SELECT sum(amount) AS r FROM m.orders GROUP BY status)',
    );
    await same(
      'SELECT a.status, a.r, b.n FROM (SELECT status, revenue AS r FROM orders) a JOIN (SELECT status, count AS n FROM orders WHERE early) b ON a.status = b.status',
      "raw:SELECT status, sum(amount), count(*) FILTER (WHERE order_date < '2024-02-01') AS n FROM m.orders WHERE status IS NOT NULL GROUP BY 1 HAVING n > 0",
    );
    await same(
      'SELECT target, (SELECT revenue FROM orders) AS all_revenue FROM m.targets',
      'raw:SELECT target, 185.5::DECIMAL(38, 2) FROM m.targets',
    );
    await same(
      'WITH orders AS (SELECT 7 AS revenue) SELECT sum(revenue) FROM orders',
      'raw:SELECT 7::HUGEINT',
    );
    await same(
      'WITH orders AS (SELECT revenue FROM orders) SELECT revenue * 2 FROM orders',
      'raw:SELECT 371.00',
    );
    await same(
      'SELECT status, revenue FROM orders QUALIFY rank() OVER (ORDER BY revenue DESC) = 1',
      'raw:SELECT status, sum(amount) FROM m.orders GROUP BY 1 QUALIFY rank() OVER (ORDER BY sum(amount) DESC) = 1',
    );
    await same(
      'SELECT sum(value_sum) OVER w AS x, region FROM returns JOIN customers WINDOW w AS (ORDER BY region)',
      'raw:SELECT sum(sum(value)) OVER (ORDER BY region), region FROM m.returns r JOIN m.customers c ON c.id = customer_id GROUP BY region',
    );
  });
  test('a name of a common table never means a table of the compiled part', async () => {
    await same(
      "WITH returns AS (SELECT 'EU' AS r) SELECT region, orders.count AS o, customers.count AS c FROM orders JOIN customers WHERE region IN (SELECT r FROM returns)",
      "raw:SELECT 'EU', 2::BIGINT, 2::BIGINT",
    );
  });
  test('models are read by their name, in the environment', async () => {
    expect(
      await world.rows("SELECT m.targets.target FROM m.targets WHERE m.targets.status = 'done'"),
    ).toEqual([[120]]);
    const result = world.compile('SELECT targets.status FROM m.targets WHERE targets.target > 1');
    expect(result.ok && [result.models, result.reads]).toEqual([['m.targets'], ['m.targets']]);
  });
});

describe('what cannot be answered is told at its place', () => {
  test.each([
    ['SELECT statu FROM orders', 'semantic.sql-unknown-column@statu'],
    ['SELECT x.status FROM orders', 'semantic.sql-unknown-column@x.status'],
    ['SELECT customers.region, revenue FROM orders', 'semantic.sql-unknown-column@customers.region'],
    ['SELECT customer_id FROM orders', 'semantic.sql-unknown-column@customer_id'],
    ['SELECT id FROM orders JOIN customers', 'semantic.sql-ambiguous-column@id'],
    ['SELECT 1 FROM ordrs', 'semantic.sql-unknown-table@ordrs'],
    ['SELECT 1 FROM plinth.secret', 'semantic.sql-unknown-table@plinth.secret'],
    ["SELECT * FROM read_csv('/etc/passwd')", "semantic.sql-unknown-table@read_csv('/etc/passwd')"],
    ["SELECT * FROM 'secret.parquet'", "semantic.sql-unknown-table@'secret.parquet'"],
    [
      'SELECT o.status FROM orders o JOIN m.targets t ON t.status = o.status',
      'semantic.sql-mixed-tables@m.targets t',
    ],
    ['SELECT region FROM orders o JOIN customers c ON o.id = c.id', 'semantic.sql-join@o.id = c.id'],
    ['SELECT region FROM orders RIGHT JOIN customers', 'semantic.sql-join@orders RIGHT JOIN customers'],
    ['SELECT region FROM orders NATURAL JOIN customers', 'semantic.sql-join@orders NATURAL JOIN customers'],
    ['SELECT a.status FROM orders a JOIN orders b', 'semantic.sql-same-table@orders b'],
    ['SELECT revenue FROM orders GROUP BY ROLLUP (status)', 'semantic.sql-unsupported@orders'],
    ['SELECT status, revenue FROM orders GROUP BY size', 'semantic.sql-not-grouped@status'],
    ['SELECT revenue FROM orders ORDER BY status', 'semantic.sql-not-grouped@status'],
    ['SELECT MEASURE(status) FROM orders', 'semantic.sql-not-measure@MEASURE(status)'],
    ['SELECT SUM(revenue * 2) FROM orders', 'semantic.sql-aggregate@SUM(revenue * 2)'],
    ['SELECT SUM(SUM(revenue)) FROM orders', 'semantic.sql-aggregate@SUM(SUM(revenue))'],
    [
      "SELECT SUM(revenue) FILTER (WHERE status = 'x') FROM orders",
      "semantic.sql-aggregate@SUM(revenue) FILTER (WHERE status = 'x')",
    ],
    ['SELECT status FROM orders WHERE SUM(revenue) > 1', 'semantic.sql-aggregate@SUM(revenue)'],
    ['SELECT revenue FROM orders GROUP BY revenue', 'semantic.sql-aggregate@revenue'],
    ['SELECT status FROM orders GROUP BY 2', 'semantic.sql-unknown-column@2'],
    ['SELECT COUNT(*) FROM orders JOIN returns', 'semantic.sql-aggregate-rows@COUNT(*)'],
    ['SELECT COUNT(*) FROM monthly_revenue', 'semantic.sql-aggregate-rows@COUNT(*)'],
    [
      'SELECT revenue FROM orders WHERE EXISTS (SELECT 1 FROM m.targets t WHERE t.status = orders.status)',
      'semantic.sql-correlated@orders.status',
    ],
    [
      "SELECT revenue FROM orders WHERE COLUMNS(*)::TEXT LIKE '%x%'",
      'semantic.sql-unsupported@*',
      'semantic.sql-unsupported@COLUMNS(*)',
    ],
    [
      "SELECT revenue FROM orders WHERE COLUMNS('customer_id') = 10",
      "semantic.sql-unsupported@COLUMNS('customer_id')",
    ],
    ['SELECT revenue FROM orders WHERE hash(orders.*) = 1', 'semantic.sql-unsupported@orders.*'],
    ['SELECT revenue FROM orders WHERE #2 = 10', 'semantic.sql-unsupported@#2'],
    [
      'SELECT revenue FROM orders WHERE len([customer_id FOR customer_id IN [customer_id]]) = 1',
      'semantic.sql-unknown-column@customer_id',
    ],
    ['SELECT revenue FROM orders WHERE orders IS NULL', 'semantic.sql-unknown-column@orders'],
    ['SELECT revenue FROM orders WHERE rowid = 1', 'semantic.sql-unknown-column@rowid'],
    ['SELECT revenue FROM orders WHERE id = $1', 'semantic.sql-unsupported@$1'],
    ['SELECT city, revenue FROM orders JOIN addresses', 'semantic.ambiguous-path@orders JOIN addresses'],
    ['SELECT revenue_all FROM orders', 'semantic.needs-time@orders'],
    ['SELECT FROM orders', 'sql.syntax@FROM'],
    ['SELECT t.a FROM m.targets t JOIN m.orders o', 'sql.syntax@m.targets t JOIN m.orders o'],
    ['DELETE FROM m.orders', 'sql.syntax@DELETE'],
    ['SELECT 1; DROP TABLE m.orders', 'sql.syntax@DROP'],
  ])('%s', (sql, ...told) => {
    expect(world.told(sql)).toEqual(told);
  });
  test('several at once', () => {
    expect(world.told('SELECT statu, revnue FROM orders WHERE siz = 1')).toEqual([
      'semantic.sql-unknown-column@statu',
      'semantic.sql-unknown-column@revnue',
      'semantic.sql-unknown-column@siz',
    ]);
  });
});

describe('policies', () => {
  const eu = { caller: { groups: ['eu'], isUnrestricted: false } };
  test('hold for semantic tables', async () => {
    expect(await world.rows('SELECT value_sum, COUNT(*) FROM returns', eu)).toEqual([['10', '2']]);
    expect(await world.rows('SELECT value_sum FROM returns WHERE id = 2', eu)).toEqual([['3']]);
    expect(
      world.told('SELECT value_sum FROM returns', { caller: { groups: [], isUnrestricted: false } }),
    ).toEqual(['policy.no-access@returns']);
  });
  test('close the model below to those they restrict', () => {
    expect(world.told('SELECT 1 FROM m.returns', eu)).toEqual(['policy.model-restricted@m.returns']);
    expect(world.told('SELECT 1 FROM m.orders', eu)).toEqual([]);
    expect(
      world.told('SELECT 1 FROM m.returns', { caller: { groups: ['admin'], isUnrestricted: false } }),
    ).toEqual([]);
  });
});

describe('columns that are no dimensions stay out of reach', () => {
  test.each([
    'SELECT revenue FROM orders WHERE 10 IN (SELECT customer_id)',
    'SELECT revenue FROM orders WHERE EXISTS (SELECT 1 FROM m.targets WHERE customer_id = 10)',
    'SELECT revenue, (SELECT customer_id) FROM orders',
    'SELECT revenue FROM orders ORDER BY (SELECT amount)',
  ])('%s', async (sql) => {
    await expect(world.rows(sql)).rejects.toThrow(/customer_id|amount/);
  });
});

describe('other dialects', () => {
  const QUERY =
    "SELECT date_trunc('month', order_date) AS m, upper(status) AS s, SUM(revenue) / COUNT(*) AS a FROM orders JOIN customers WHERE region ILIKE 'e%' AND order_date >= '2024-01-01' GROUP BY 1, 2 HAVING COUNT(*) > 0 ORDER BY 1 LIMIT 10";
  test.each(['postgres', 'mysql', 'trino', 'spark', 'snowflake', 'bigquery'] as const)(
    '%s has words for it',
    (dialect) => {
      expect(world.sql(QUERY, { dialect })).toMatch(/GROUP BY 1, 2/);
    },
  );
  test.each([
    'SELECT "orders"."status" AS "status", SUM("orders"."revenue") AS "sum" FROM "orders" GROUP BY 1 FETCH FIRST 5 ROWS ONLY',
    "SELECT status::text, SUM(revenue)::numeric FROM orders WHERE order_date >= '2024-01-01'::date GROUP BY status::text",
    "SELECT STRFTIME(order_date, '%Y') AS y, COUNT(*) FROM orders GROUP BY STRFTIME(order_date, '%Y')",
    'SELECT CAST(DATE_TRUNC(\'MONTH\', "orders"."order_date") AS DATE) AS "month", MEASURE("orders"."revenue") FROM "orders" GROUP BY CAST(DATE_TRUNC(\'MONTH\', "orders"."order_date") AS DATE) LIMIT 1000',
  ])('as clients of PostgreSQL send it: %s', (sql) => {
    expect(world.told(sql)).toEqual([]);
  });
});

describe('hostile texts', () => {
  const many = (count: number, piece: (i: number) => string, between: string): string =>
    Array.from({ length: count }, (_, i) => piece(i)).join(between);
  const HOSTILE: readonly (readonly [string, () => string, readonly string[]])[] = [
    ['10,000 values', () => `SELECT revenue FROM orders WHERE id IN (${many(10_000, String, ', ')})`, []],
    [
      '20,000 conditions',
      () => `SELECT revenue FROM orders WHERE ${many(20_000, (i) => `id <> ${i}`, ' AND ')}`,
      [],
    ],
    ['1,000 unions', () => many(1_000, () => 'SELECT revenue FROM orders', ' UNION ALL '), []],
    [
      'an alias used without end',
      () =>
        `SELECT ${many(2_000, () => 'revenue', ' + ')} AS x FROM orders HAVING ${many(500, () => 'x > 1', ' AND ')}`,
      ['semantic.sql-unsupported'],
    ],
    [
      '600 keys',
      () => `SELECT ${many(600, (i) => `id + ${i}`, ', ')} FROM orders`,
      ['semantic.sql-unsupported'],
    ],
    [
      '600 aggregates',
      () => `SELECT ${many(600, (i) => `SUM(id + ${i})`, ', ')} FROM orders`,
      ['semantic.sql-unsupported'],
    ],
    [
      '5,000 tables',
      () => `SELECT 1 FROM ${many(5_000, (i) => `orders o${i}`, ', ')}`,
      ['semantic.sql-unsupported'],
    ],
    [
      '5,000 parentheses',
      () => `SELECT ${'('.repeat(5_000)}1${')'.repeat(5_000)} FROM orders`,
      ['sql.too-deep'],
    ],
    ['more than a million characters', () => `SELECT '${'x'.repeat(1_000_000)}'`, ['sql.too-long']],
    ['an unclosed quote', () => "SELECT 'x FROM orders", ['sql.lexical']],
    ['nothing', () => '', ['sql.syntax']],
  ];
  test.each(HOSTILE)('%s', (_, text, codes) => {
    const result = world.compile(text());
    expect(result.ok ? [] : [...new Set(result.diagnostics.map(({ code }) => code))]).toEqual(codes);
  });
  test('problems are told fifty at a time', () => {
    const result = world.compile(`SELECT ${many(20_000, (i) => `c${i}`, ', ')} FROM orders`);
    expect(result.ok ? 0 : result.diagnostics.length).toBe(50);
  });
});
