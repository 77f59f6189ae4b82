/** A project with one model of each common kind, whose numbers can be computed by hand: two orders a day, 10 and 20, from 2025-01-01 on. */
export const TINY_PROJECT: Readonly<Record<string, string>> = {
  'config.yaml': `name: tiny
gateways:
  local:
    connection: {type: duckdb, database: tiny.duckdb}
model_defaults: {dialect: duckdb, start: '2025-01-01', cron: '@daily'}
`,
  'seeds/regions.csv': 'region,name\nEU,Europe\nUS,America\n',
  'data/orders.csv': orders(10),
  'models/regions.sql': `MODEL (name raw.regions, kind SEED (path '../seeds/regions.csv'), grain region);
`,
  'models/orders.sql': `MODEL (
  name staging.orders,
  kind INCREMENTAL_BY_TIME_RANGE (time_column day),
  grain order_id,
  audits (not_null(columns := (order_id, day)), positive_amount)
);
SELECT
  order_id::INTEGER AS order_id,
  day::DATE AS day,
  region,
  amount::INTEGER AS amount
FROM READ_CSV('data/orders.csv', header = true, all_varchar = true)
WHERE day BETWEEN @start_ds AND @end_ds
`,
  'models/revenue.sql': `MODEL (name marts.revenue, kind FULL, grain region);
SELECT r.name, o.region, SUM(o.amount) AS revenue, COUNT(*) AS orders
FROM staging.orders AS o
JOIN raw.regions AS r ON r.region = o.region
GROUP BY r.name, o.region
`,
  'models/best.sql': `MODEL (name marts.best, kind VIEW);
SELECT MAX(revenue) AS best_revenue FROM marts.revenue
`,
  'audits/positive_amount.sql': `AUDIT (name positive_amount);
SELECT * FROM @this_model WHERE amount <= 0
`,
  'models/semantics/revenue.yml': `kind: semantic
name: revenue
depends_on: marts.revenue
primary_key: [region]
dimensions: [region]
measures:
  - {name: total, type: sum, expression: revenue}
`,
};

/** Rows of data/orders.csv for so many days; `amounts` changes single orders by their id. */
export function orders(days: number, amounts: Readonly<Record<number, number>> = {}): string {
  const lines = ['order_id,day,region,amount'];
  for (let day = 0; day < days; day++) {
    const date = new Date(Date.UTC(2025, 0, 1 + day)).toISOString().slice(0, 10);
    const id = day * 2 + 1;
    lines.push(`${id},${date},EU,${amounts[id] ?? 10}`, `${id + 1},${date},US,${amounts[id + 1] ?? 20}`);
  }
  return `${lines.join('\n')}\n`;
}
