/** A project small enough to know by heart, with one thing of most kinds; the goldens of the command line are about it. */
export const SMALL_PROJECT: Readonly<Record<string, string>> = {
  'config.yaml': `name: small
display_name: Small
description: Three tables and a number.
version: 0.2.0
owner: ada
model_defaults: {dialect: duckdb, start: '2025-01-01', owner: ada}
`,
  'external_models.yaml': `- name: raw.orders
  columns: {order_id: int, amount: 'decimal(10,2)', ordered_at: timestamp}
`,
  'models/staging/orders.sql': `MODEL (name staging.orders, kind EMBEDDED, description 'Orders with their day');
SELECT
  order_id, -- what it is known by
  amount,
  CAST(ordered_at AS DATE) AS day
FROM raw.orders
`,
  'models/marts/days.sql': `MODEL (
  name marts.days,
  kind INCREMENTAL_BY_TIME_RANGE (time_column day),
  grain day,
  tags (gold),
  audits (not_null(columns := (day)))
);
SELECT day, SUM(amount) AS revenue, COUNT(*) AS orders
FROM staging.orders
WHERE day BETWEEN @start_ds AND @end_ds
GROUP BY day
`,
  'models/semantics/days.yml': `kind: semantic
name: days
depends_on: marts.days
primary_key: [day]
dimensions: [day]
measures:
  - {name: revenue, type: sum, expression: revenue}
`,
  'models/metrics/revenue.yml': `kind: metric
name: revenue
measure: days.revenue
ts: days.day
granularity: day
`,
  'audits/no_debt.sql': `AUDIT (name no_debt);
SELECT * FROM @this_model WHERE revenue < 0
`,
  'dq/days.yml': `kind: dq
name: days_dq
depends_on: marts.days
rules:
  - row_count > 0
`,
  'tests/test_best.yaml': `test_best:
  model: marts.best
  inputs:
    marts.days:
      rows: [{revenue: 1.00}, {revenue: 2.00}]
  outputs:
    query:
      rows: [{best_revenue: 2.00}]
`,
  'models/marts/best.sql': `MODEL (name marts.best, kind VIEW);
SELECT MAX(revenue) AS best_revenue FROM marts.days
`,
};
