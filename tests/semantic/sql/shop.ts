/* Five orders, one of no customer; order 1 has two items, order 2 one, the others none. */
export const TABLES = {
  'm.orders': `SELECT * FROM (VALUES
    (1, 10, 'done', 100.00::DECIMAL(10, 2), DATE '2024-01-05', TIMESTAMP '2024-01-05 23:30:00', 1, 2),
    (2, 10, 'open', 50.00, DATE '2024-01-20', TIMESTAMP '2024-01-20 10:00:00', 2, 2),
    (3, 11, 'done', 25.50, DATE '2024-02-01', TIMESTAMP '2024-02-01 00:00:00', 1, NULL),
    (4, NULL, NULL, NULL, DATE '2024-02-03', TIMESTAMP '2024-02-03 12:00:00', 3, 1),
    (5, 11, 'Open', 10.00, DATE '2023-12-31', NULL, 1, 1))
    AS t(id, customer_id, status, amount, order_date, placed_at, ship_id, bill_id)`,
  'm.customers': `SELECT * FROM (VALUES (10, 'EU', 1), (11, 'US', 2), (12, 'EU', 9)) AS t(id, region, tier_id)`,
  'm.tiers': `SELECT * FROM (VALUES (1, 'gold'), (2, 'tin')) AS t(id, label)`,
  'm.items': `SELECT * FROM (VALUES (1, 'a', 2), (1, 'b', 1), (2, 'a', 5)) AS t(order_id, sku, quantity)`,
  'm.returns': `SELECT * FROM (VALUES (1, 10, 7), (2, 12, 3)) AS t(id, customer_id, value)`,
  'm.addresses': `SELECT * FROM (VALUES (1, 'Graz'), (2, 'Wien')) AS t(id, city)`,
  'm.targets': `SELECT * FROM (VALUES ('done', 120), ('open', 10)) AS t(status, target)`,
};

const ORDERS = `
kind: semantic
name: orders
depends_on: m.orders
primary_key: [id]
dimensions:
  - id
  - status
  - {name: order_date, granularities: [{name: fiscal_year, interval: 1 year, offset: 1 month}]}
  - placed_at
  - amount
  - {name: size, expression: "CASE WHEN {amount} > 60 THEN 'big' ELSE 'small' END"}
measures:
  - {name: revenue, type: sum, expression: "{amount}", format: currency, title: Revenue}
  - {name: done, type: count, filters: ["{status} = 'done'"]}
  - {name: buyers, type: count_distinct, expression: "{customer_id}"}
  - {name: aov, type: number, expression: "{revenue} / {count}"}
  - {name: hidden, type: sum, expression: "{amount}", public: false}
  - {name: revenue_all, type: sum, expression: "{amount}", rolling_window: {trailing: unbounded}}
  - {name: revenue_before, type: number, expression: "{revenue}", time_shift: {by: 1 month}}
segments:
  - {name: early, expression: "{order_date} < DATE '2024-02-01'"}
joins:
  - {name: customers, type: many_to_one, on: "{orders.customer_id} = {customers.id}"}
  - {name: ship_to, model: addresses, type: many_to_one, on: "{ship_id} = {ship_to.id}"}
  - {name: bill_to, model: addresses, type: many_to_one, on: "{bill_id} = {bill_to.id}"}
`;

export const YAML = [
  ORDERS,
  `kind: semantic
name: customers
depends_on: m.customers
primary_key: [id]
joins: [{name: tiers, type: many_to_one, on: "{tier_id} = {tiers.id}"}]
`,
  'kind: semantic\nname: tiers\ndepends_on: m.tiers\nprimary_key: [id]\n',
  'kind: semantic\nname: items\ndepends_on: m.items\nprimary_key: [order_id, sku]\nmeasures: [{name: quantity_sum, type: sum, expression: "{quantity}"}]\njoins: [{name: orders, type: many_to_one, on: "{order_id} = {orders.id}"}]\n',
  'kind: semantic\nname: returns\ndepends_on: m.returns\nprimary_key: [id]\nmeasures: [{name: value_sum, type: sum, expression: "{value}"}]\njoins: [{name: customers, type: many_to_one, on: "{customer_id} = {customers.id}"}]\npolicies: [{group: eu, filter: [{member: customers.region, operator: equals, values: [EU]}]}, {group: admin}]\n',
  'kind: semantic\nname: addresses\ndepends_on: m.addresses\nprimary_key: [id]\n',
  'kind: metric\nname: monthly_revenue\nmeasure: orders.revenue\nts: orders.order_date\ngranularity: month\ndimensions: [{name: region, ref: customers.region}]\nfilters: ["{orders.status} IS NOT NULL"]\n',
  'kind: metric\nname: daily_orders\nmeasure: orders.count\nts: orders.placed_at\ngranularity: day\n',
];
