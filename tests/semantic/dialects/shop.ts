// A small shop in SQL that DuckDB and PostgreSQL read alike, and its semantics.

/** Queries that make the tables, by the names of models. */
export const SHOP_TABLES: Readonly<Record<string, string>> = {
  'm.customers': `SELECT * FROM (VALUES
    (1, 'Ada', 'EU', 'ada@example.com'), (2, 'Bob', 'US', 'bob@example.com'),
    (3, 'Cy', CAST(NULL AS VARCHAR), 'cy@example.com'), (4, 'Dee 100%', 'EU', 'dee@example.com')
  ) AS v(customer_id, name, region, email)`,
  'm.orders': `SELECT * FROM (VALUES
    (1, 1, DATE '2024-01-30', TIMESTAMP '2024-01-30 23:30:00', 'done', CAST(100.00 AS DECIMAL(10, 2)), true),
    (2, 1, DATE '2024-01-31', TIMESTAMP '2024-01-31 12:00:00', 'open', CAST(50.50 AS DECIMAL(10, 2)), false),
    (3, 2, DATE '2024-02-02', TIMESTAMP '2024-02-02 00:30:00', 'done', CAST(25.25 AS DECIMAL(10, 2)), false),
    (4, 2, DATE '2024-02-29', TIMESTAMP '2024-03-31 00:30:00', 'done', CAST(80.00 AS DECIMAL(10, 2)), true),
    (5, 3, DATE '2024-03-31', TIMESTAMP '2024-03-31 01:30:00', CAST(NULL AS VARCHAR), CAST(12.00 AS DECIMAL(10, 2)), CAST(NULL AS BOOLEAN)),
    (6, 9, DATE '2024-03-31', TIMESTAMP '2024-03-31 22:30:00', 'open', CAST(NULL AS DECIMAL(10, 2)), false),
    (7, CAST(NULL AS INTEGER), DATE '2024-04-01', TIMESTAMP '2024-04-01 08:00:00', 'done', CAST(7.75 AS DECIMAL(10, 2)), false)
  ) AS v(order_id, customer_id, day, paid_at, status, amount, is_gift)`,
  'm.items': `SELECT * FROM (VALUES
    (1, 10, 1), (1, 11, 2), (2, 10, 5), (3, 10, 1), (3, 12, 3), (4, 11, 1), (99, 10, 4)
  ) AS v(order_id, product_id, quantity)`,
  'm.products': `SELECT * FROM (VALUES (10, 'tea'), (11, 'coffee'), (12, 'tea')) AS v(product_id, category)`,
  'm.returns': `SELECT * FROM (VALUES
    (1, 1, DATE '2024-02-10', CAST(10.00 AS DECIMAL(10, 2))), (2, 4, DATE '2024-03-01', CAST(5.00 AS DECIMAL(10, 2)))
  ) AS v(return_id, customer_id, day, value)`,
  'm.balances': `SELECT * FROM (VALUES
    ('a', DATE '2024-01-31', 100), ('b', DATE '2024-01-30', 40), ('a', DATE '2024-02-28', 90), ('b', DATE '2024-02-29', 60)
  ) AS v(account, day, balance)`,
  'm.visits': `SELECT * FROM (VALUES
    (1, 1, TIMESTAMP '2024-01-29 10:00:00'), (2, 2, TIMESTAMP '2024-01-30 10:00:00'), (3, 2, TIMESTAMP '2024-02-20 10:00:00'), (4, 5, TIMESTAMP '2024-02-21 10:00:00')
  ) AS v(visit_id, customer_id, seen_at)`,
};

export const SHOP_SEMANTICS: readonly string[] = [
  `kind: semantic
name: orders
depends_on: m.orders
primary_key: [order_id]
dimensions:
  - order_id
  - customer_id
  - {name: day, granularities: [{name: fiscal_year, interval: 1 year, offset: 1 month}, {name: fortnight, interval: 2 weeks, origin: 2024-01-01}]}
  - paid_at
  - status
  - amount
  - is_gift
  - {name: size_class, expression: "CASE WHEN {amount} >= 50 THEN 'big' ELSE 'small' END", type: string}
measures:
  - {name: revenue, type: sum, expression: "{amount}"}
  - {name: average, type: avg, expression: "{amount}"}
  - {name: biggest, type: max, expression: "{amount}"}
  - {name: done, type: count, filters: ["{status} = 'done'"]}
  - {name: buyers, type: count_distinct, expression: "{customer_id}"}
  - {name: median_amount, type: median, expression: "{amount}"}
  - {name: done_share, type: number, expression: "1.0 * {done} / {count}"}
  - {name: revenue_3d, type: sum, expression: "{amount}", rolling_window: {trailing: 3 days}}
  - {name: revenue_mtd, type: sum, expression: "{amount}", rolling_window: {to_date: month}}
  - {name: revenue_prev, type: number, expression: "{revenue}", time_shift: {by: 1 month}}
  - {name: revenue_5d_ago, type: number, expression: "{revenue}", time_shift: {by: 5 days}}
  - {name: share, type: number, expression: "1.0 * {count} / sum({count}) OVER ()"}
  - {name: share_of_best, type: number, expression: "{share} / max({share}) OVER ()"}
segments:
  - {name: weekend, expression: "EXTRACT(dow FROM {day}) IN (0, 6)"}
joins:
  - {name: customers, type: many_to_one, on: "{orders.customer_id} = {customers.customer_id}"}
`,
  `kind: semantic
name: customers
depends_on: m.customers
primary_key: [customer_id]
dimensions: [customer_id, name, region, {name: email, mask_expression: "'***'"}]
policies:
  - {group: eu, filter: [{member: region, operator: equals, values: [EU]}], mask: [email]}
`,
  `kind: semantic
name: items
depends_on: m.items
measures: [{name: pieces, type: sum, expression: "{quantity}"}]
joins:
  - {name: orders, type: many_to_one, on: "{items.order_id} = {orders.order_id}"}
  - {name: products, type: many_to_one, on: "{items.product_id} = {products.product_id}"}
`,
  'kind: semantic\nname: products\ndepends_on: m.products\nprimary_key: [product_id]\n',
  `kind: semantic
name: returns
depends_on: m.returns
measures: [{name: value, type: sum, expression: "{value}"}]
joins: [{name: customers, type: many_to_one, on: "{returns.customer_id} = {customers.customer_id}"}]
`,
  `kind: semantic
name: balances
depends_on: m.balances
measures:
  - {name: closing, type: sum, expression: "{balance}", behavior: {type: stock, time_dimension: day, period_treatment: last, per: [account]}}
  - {name: mean, type: sum, expression: "{balance}", behavior: {type: stock, time_dimension: day, period_treatment: avg, per: [account]}}
`,
  `kind: semantic
name: visits
depends_on: m.visits
joins: [{name: customers, type: many_to_one, on: "{visits.customer_id} = {customers.customer_id}"}]
`,
  'kind: metric\nname: done_revenue\nmeasure: orders.revenue\nts: orders.day\ngranularity: month\ndimensions: [{name: region, ref: customers.region}]\nfilters: ["{orders.status} = \'done\'"]\n',
  'kind: metric\nname: revenue_per_return\ntype: ratio\nnumerator: orders.revenue\ndenominator: returns.count\nts: orders.day\ngranularity: month\n',
  'kind: metric\nname: running_revenue\ntype: cumulative\nmeasure: orders.revenue\nts: orders.day\ngranularity: month\n',
  'kind: metric\nname: orders_placed\nmeasure: orders.count\nts: orders.paid_at\n',
  'kind: metric\nname: visits_that_buy\ntype: conversion\nbase: visits.count\nconversion: orders.count\nentity: customers.customer_id\nwindow: 7 days\nts: visits.seen_at\ngranularity: month\n',
];
