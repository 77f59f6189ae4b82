/** What the victim asks, what is rebuilt beside it, and enough rows for an attacker to ask much of. */
import { ORDERS, SMALL_N } from './victim-questions.ts';

export const NEIGHBOUR_FILES: Readonly<Record<string, string>> = {
  // With so little memory the keeper stops statements at half as much again, and the disk is left to others.
  'config.yaml': `name: shared
gateways:
  local:
    connection:
      type: duckdb
      database: shared.duckdb
      connector_config: {memory_limit: 2GB, max_temp_directory_size: 1GB}
`,
  // The texts of tests/costly-texts read it.
  'models/m.sql': `MODEL (name s.m, kind FULL);\nSELECT i::INTEGER AS i FROM range(${SMALL_N}) AS r(i)`,
  'models/orders.sql': `MODEL (name marts.orders, kind FULL);
SELECT
  i::INTEGER AS order_id,
  (i % 5)::INTEGER AS region,
  CASE WHEN i % 3 = 0 THEN 'open' ELSE 'closed' END AS status,
  (i % 100)::INTEGER AS amount,
  DATE '2024-01-01' + (i % 365)::INTEGER AS ordered_on
FROM range(${ORDERS}) AS r(i)`,
  // Rebuilt again and again by a plan.
  'models/rebuilt.sql': `MODEL (name marts.rebuilt, kind FULL);
SELECT region, count(*) AS orders, sum(amount)::BIGINT AS amount FROM marts.orders GROUP BY region`,
  // Filled hour by hour by a run.
  'models/hours.sql': `MODEL (
  name marts.hours, cron '@hourly', start '2025-06-14',
  kind INCREMENTAL_BY_TIME_RANGE (time_column at)
);
SELECT h AS at, 7 AS n
FROM range(TIMESTAMP '2025-06-14', TIMESTAMP '2026-06-14', INTERVAL 1 HOUR) AS r(h)
WHERE h BETWEEN @start_dt AND @end_dt`,
  'models/semantics/orders.yml': `kind: semantic
name: orders
depends_on: marts.orders
primary_key: order_id
dimensions: [order_id, region, status, ordered_on]
measures:
  - {name: count, type: count}
  - {name: revenue, type: sum, expression: "{amount}"}
`,
};
