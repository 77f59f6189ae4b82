/** Orders, customers and their lines, small enough to compute every number by hand; semantics with joins in both directions, policies, a metric and tests. */
export const SEMANTIC_PROJECT: Readonly<Record<string, string>> = {
  'config.yaml': `name: asked
gateways:
  local:
    connection: {type: duckdb, database: asked.duckdb}
model_defaults: {dialect: duckdb, start: '2025-01-01'}
users: [{username: eva, groups: [eu]}, {username: ada, groups: [admin]}]
`,
  'models/orders.sql': `MODEL (name marts.orders, kind FULL, grain order_id);
SELECT order_id::INTEGER AS order_id, customer_id::INTEGER AS customer_id, ordered_on::DATE AS ordered_on,
  ordered_at::TIMESTAMP AS ordered_at, status::TEXT AS status, amount::DECIMAL(10, 2) AS amount
FROM (VALUES
  (1, 10, '2025-01-05', '2025-01-05 23:30:00', 'completed', 10.00),
  (2, 10, '2025-01-20', '2025-01-20 12:00:00', 'returned', 20.50),
  (3, 11, '2025-02-03', '2025-02-03 00:15:00', 'completed', 5.25),
  (4, NULL, '2025-02-28', '2025-02-28 08:00:00', 'completed', 100.00)
) AS t(order_id, customer_id, ordered_on, ordered_at, status, amount)
`,
  'models/customers.sql': `MODEL (name marts.customers, kind FULL, grain customer_id);
SELECT customer_id::INTEGER AS customer_id, region::TEXT AS region, email::TEXT AS email
FROM (VALUES (10, 'EU', 'a@x.eu'), (11, 'US', 'b@x.us'), (12, 'EU', NULL)) AS t(customer_id, region, email)
`,
  'models/lines.sql': `MODEL (name marts.lines, kind FULL, grain line_id);
SELECT line_id::INTEGER AS line_id, order_id::INTEGER AS order_id, product::TEXT AS product, pieces::INTEGER AS pieces
FROM (VALUES (1, 1, 'pen', 2), (2, 1, 'ink', 1), (3, 2, 'pen', 4), (4, 3, 'ink', 1)) AS t(line_id, order_id, product, pieces)
`,
  'models/semantics/orders.yml': `kind: semantic
name: orders
depends_on: marts.orders
description: Orders, each once.
dimensions: [order_id, status, ordered_on, ordered_at]
measures:
  - {name: revenue, type: sum, expression: "{amount}", format: currency}
  - {name: returns, type: count, filters: ["{status} = 'returned'"]}
  - {name: return_rate, type: number, expression: "{returns} / {count}", format: percent}
segments:
  - {name: small, expression: "{amount} < 15"}
joins:
  - {name: customers, type: many_to_one, on: "{customer_id} = {customers.customer_id}"}
rollups: []
policies: [{group: admin}, {group: eu, filter: [{member: status, operator: equals, values: [completed]}]}]
`,
  'models/semantics/customers.yml': `kind: semantic
name: customers
depends_on: marts.customers
dimensions: [customer_id, region, {name: email, mask_expression: "'***'"}]
policies: [{group: admin}, {group: eu, filter: [{member: region, operator: equals, values: [EU]}], mask: [email]}]
`,
  'models/semantics/lines.yml': `kind: semantic
name: lines
depends_on: marts.lines
dimensions: [product]
measures: [{name: pieces, type: sum, expression: "{pieces}"}]
joins: [{name: orders, type: many_to_one, on: "{order_id} = {orders.order_id}"}]
`,
  'models/metrics/monthly_revenue.yml': `kind: metric
name: monthly_revenue
description: Revenue of the month.
measure: orders.revenue
ts: orders.ordered_on
granularity: month
dimensions: [customers.region, orders.status]
tags: [key]
`,
  'tests/test_orders.yaml': `test_return_rate_is_recomputed:
  semantic_query:
    measures: [orders.return_rate, orders.revenue]
    dimensions: [orders.status]
    order: {orders.status: asc}
  inputs:
    marts.orders:
      - {order_id: 1, status: completed, amount: 1.10}
      - {order_id: 2, status: returned, amount: 2.20}
  rows:
    - {orders.status: completed, orders.return_rate: 0, orders.revenue: 1.1}
    - {orders.status: returned, orders.return_rate: 1, orders.revenue: 2.20}
test_regions_from_csv:
  semantic_query: {measures: [orders.count], dimensions: [customers.region]}
  inputs:
    marts.orders:
      format: csv
      rows: |
        order_id,customer_id
        1,10
        2,
    marts.customers: {path: customers.csv}
  outputs:
    query:
      rows: [{customers.region: null, orders.count: 1}, {customers.region: EU, orders.count: 1}]
test_last_month_counts_from_its_own_now:
  semantic_query:
    measures: [orders.count]
    timeDimensions: [{dimension: orders.ordered_on, dateRange: last month}]
  vars: {execution_time: '2024-03-15'}
  inputs:
    marts.orders: {query: "SELECT range::INTEGER AS order_id, DATE '2024-01-31' + range::INTEGER AS ordered_on FROM range(3)"}
  rows: [{orders.count: 2}]
test_of_a_model:
  model: marts.customers
  outputs: {query: {rows: [{customer_id: 12}, {customer_id: 11}, {customer_id: 10}], partial: true}}
`,
  'tests/customers.csv': 'customer_id,region\n10,EU\n',
};
