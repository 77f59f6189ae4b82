-- measures alone
SELECT
  SUM(orders.amount) AS orders__revenue,
  COUNT(*) AS orders__count,
  COUNT(DISTINCT orders.customer_id) AS orders__buyers
FROM m.orders AS orders;

-- a dimension over a join
SELECT
  customers.region AS customers__region,
  SUM(orders.amount) AS orders__revenue,
  AVG(orders.amount) AS orders__average,
  MAX(orders.amount) AS orders__biggest
FROM m.orders AS orders
LEFT JOIN m.customers AS customers ON orders.customer_id = customers.customer_id
GROUP BY 1
ORDER BY orders__revenue DESC NULLS LAST, customers__region NULLS LAST
LIMIT 10000;

-- a computed dimension and a filtered measure
SELECT
  CASE WHEN orders.amount >= 50 THEN 'big' ELSE 'small' END AS orders__size_class,
  COUNT(CASE WHEN orders.status = 'done' THEN 1 END) AS orders__done
FROM m.orders AS orders
GROUP BY 1
ORDER BY orders__done DESC NULLS LAST, orders__size_class NULLS LAST
LIMIT 10000;

-- fan-out: a dimension on the many side
SELECT
  orders.category AS products__category,
  SUM(orders.revenue_input) AS orders__revenue,
  COUNT(CASE WHEN orders.done_filter THEN 1 END) AS orders__done,
  COUNT(*) AS orders__count
FROM (
  SELECT DISTINCT
    orders.order_id AS order_id,
    products.category AS category,
    orders.amount AS revenue_input,
    orders.status = 'done' AS done_filter
  FROM m.orders AS orders
  LEFT JOIN m.items AS items ON items.order_id = orders.order_id
  LEFT JOIN m.products AS products ON items.product_id = products.product_id
) AS orders
GROUP BY 1
ORDER BY orders__revenue DESC NULLS LAST, products__category NULLS LAST
LIMIT 10000;

-- fan-out: a filter on the many side
SELECT
  SUM(orders.revenue_input) AS orders__revenue
FROM (
  SELECT DISTINCT
    orders.order_id AS order_id,
    orders.amount AS revenue_input
  FROM m.orders AS orders
  JOIN m.items AS items ON items.order_id = orders.order_id
  JOIN m.products AS products ON items.product_id = products.product_id
  WHERE items.quantity >= 1
    AND products.category = 'tea'
) AS orders;

-- two facts
WITH orders AS (
  SELECT
    customers.region AS region,
    SUM(orders.amount) AS revenue,
    COUNT(*) AS count
  FROM m.orders AS orders
  LEFT JOIN m.customers AS customers ON orders.customer_id = customers.customer_id
  GROUP BY 1
),
returns AS (
  SELECT
    customers.region AS region,
    SUM(returns.value) AS value,
    COUNT(*) AS count_2
  FROM m.returns AS returns
  LEFT JOIN m.customers AS customers ON returns.customer_id = customers.customer_id
  GROUP BY 1
)
SELECT
  parts.region AS customers__region,
  MAX(parts.revenue) AS orders__revenue,
  COALESCE(MAX(parts.count), 0) AS orders__count,
  MAX(parts.value) AS returns__value,
  COALESCE(MAX(parts.count_2), 0) AS returns__count
FROM (
  SELECT
    region AS region,
    revenue AS revenue,
    count AS count,
    CAST(NULL AS NUMERIC(38, 2)) AS value,
    CAST(NULL AS INT64) AS count_2
  FROM orders
  UNION ALL
  SELECT
    region AS region,
    CAST(NULL AS NUMERIC(38, 2)) AS revenue,
    CAST(NULL AS INT64) AS count,
    value AS value,
    count_2 AS count_2
  FROM returns
) AS parts
GROUP BY 1
ORDER BY orders__revenue DESC NULLS LAST, customers__region NULLS LAST
LIMIT 10000;

-- two facts without dimensions
WITH orders AS (
  SELECT
    SUM(orders.amount) AS revenue
  FROM m.orders AS orders
),
returns AS (
  SELECT
    SUM(returns.value) AS value
  FROM m.returns AS returns
),
items AS (
  SELECT
    SUM(items.quantity) AS pieces
  FROM m.items AS items
)
SELECT
  orders.revenue AS orders__revenue,
  returns.value AS returns__value,
  items.pieces AS items__pieces
FROM orders
CROSS JOIN returns
CROSS JOIN items;

-- a derived measure
SELECT
  orders.is_gift AS orders__is_gift,
  1.0 * COUNT(CASE WHEN orders.status = 'done' THEN 1 END) / NULLIF(COUNT(*), 0) AS orders__done_share
FROM m.orders AS orders
GROUP BY 1
ORDER BY orders__done_share DESC NULLS LAST, orders__is_gift NULLS LAST
LIMIT 10000;

-- a median
-- refused: semantic.cannot-translate: The query cannot be said in bigquery: the function MEDIAN cannot be said in bigquery.;

-- months of dates
SELECT
  CAST(DATE_TRUNC(orders.day, MONTH) AS DATE) AS orders__day__month,
  SUM(orders.amount) AS orders__revenue
FROM m.orders AS orders
WHERE orders.day >= DATE '2024-01-01'
  AND orders.day < DATE '2024-04-01'
GROUP BY 1
ORDER BY orders__day__month NULLS LAST
LIMIT 10000;

-- days of times in a zone
SELECT
  DATE_TRUNC(DATETIME(TIMESTAMP(orders.paid_at, 'UTC'), 'Europe/Berlin'), DAY) AS orders__paid_at__day,
  COUNT(*) AS orders__count
FROM m.orders AS orders
WHERE orders.paid_at >= DATETIME '2024-01-30 23:00:00'
  AND orders.paid_at < DATETIME '2024-03-31 22:00:00'
GROUP BY 1
ORDER BY orders__paid_at__day NULLS LAST
LIMIT 10000;

-- weeks and quarters
SELECT
  CAST(DATE_TRUNC(orders.day, ISOWEEK) AS DATE) AS orders__day__week,
  DATE_TRUNC(orders.paid_at, QUARTER) AS orders__paid_at__quarter,
  COUNT(*) AS orders__count
FROM m.orders AS orders
GROUP BY 1, 2
ORDER BY orders__day__week NULLS LAST, orders__paid_at__quarter NULLS LAST
LIMIT 10000;

-- granularities of their own
SELECT
  CAST(DATE_TRUNC(orders.day - INTERVAL 1 MONTH, YEAR) + INTERVAL 1 MONTH AS DATE) AS orders__day__fiscal_year,
  CAST(DATE_TRUNC(orders.day, DAY) - INTERVAL (MOD((MOD(DATE_DIFF(CAST(orders.day AS DATE), CAST(DATE '2024-01-01' AS DATE), DAY), 14) + 14), 14)) DAY AS DATE) AS orders__day__fortnight,
  COUNT(*) AS orders__count
FROM m.orders AS orders
GROUP BY 1, 2
ORDER BY orders__day__fiscal_year NULLS LAST, orders__day__fortnight NULLS LAST
LIMIT 10000;

-- filters on text
SELECT
  COUNT(*) AS orders__count
FROM m.orders AS orders
LEFT JOIN m.customers AS customers ON orders.customer_id = customers.customer_id
WHERE (LOWER(customers.name) NOT LIKE LOWER('%100\\%%') AND LOWER(customers.name) NOT LIKE LOWER('%x\\_y%') OR customers.name IS NULL)
  AND (LOWER(customers.name) NOT LIKE LOWER('Z%') OR customers.name IS NULL)
  AND (LOWER(customers.name) NOT LIKE LOWER('%q') OR customers.name IS NULL)
  AND (LOWER(customers.name) LIKE LOWER('%D%') OR (LOWER(customers.name) LIKE LOWER('b%') OR LOWER(customers.name) LIKE LOWER('o\'%')) OR (LOWER(customers.name) LIKE LOWER('%A') OR LOWER(customers.name) LIKE LOWER('%\\\\')) OR customers.name IS NULL);

-- filters on values
SELECT
  COUNT(*) AS orders__count
FROM m.orders AS orders
LEFT JOIN m.customers AS customers ON orders.customer_id = customers.customer_id
WHERE (orders.status <> 'lost' OR orders.status IS NULL)
  AND (customers.region IN ('EU', 'US') OR customers.region IS NULL)
  AND orders.status <> 'a'
  AND (orders.is_gift <> TRUE OR orders.is_gift IS NULL)
  AND orders.order_id IS NOT NULL;

-- filters on numbers
SELECT
  COUNT(*) AS orders__count
FROM m.orders AS orders
WHERE orders.amount > 7.75
  AND orders.amount >= 12
  AND orders.amount < 100
  AND orders.amount <= 80.00;

-- filters on dates
SELECT
  COUNT(*) AS orders__count
FROM m.orders AS orders
WHERE orders.day >= DATE '2024-01-01'
  AND orders.day < DATE '2025-01-01'
  AND (orders.day < DATE '2024-02-01' OR orders.day >= DATE '2024-02-03' OR orders.day IS NULL)
  AND orders.paid_at >= DATETIME '2024-01-02 05:00:00'
  AND orders.paid_at < DATETIME '2024-04-02 04:00:00'
  AND orders.day >= DATE '2024-01-30'
  AND orders.day < DATE '2024-05-01'
  AND (orders.paid_at >= DATETIME '2024-03-31 04:00:00' AND orders.paid_at < DATETIME '2024-04-01 04:00:00' OR orders.status = 'open');

-- a measure's filters
SELECT
  SUM(orders.amount) AS orders__revenue
FROM m.orders AS orders
WHERE orders.status = 'done';

-- a segment
SELECT
  orders.status AS orders__status,
  COUNT(*) AS orders__count
FROM m.orders AS orders
WHERE (EXTRACT(DAYOFWEEK FROM orders.day) - 1) IN (0, 6)
GROUP BY 1
ORDER BY orders__count DESC NULLS LAST, orders__status NULLS LAST
LIMIT 10000;

-- a filter on a measure, order, limit, offset
SELECT
  orders.status AS orders__status,
  customers.name AS customers__name,
  SUM(orders.amount) AS orders__revenue
FROM m.orders AS orders
LEFT JOIN m.customers AS customers ON orders.customer_id = customers.customer_id
GROUP BY 1, 2
HAVING COUNT(*) >= 1
ORDER BY COUNT(DISTINCT orders.customer_id) DESC NULLS LAST, customers__name DESC NULLS LAST, orders__status NULLS LAST
LIMIT 3
OFFSET 1;

-- rolling
WITH orders AS (
  SELECT
    buckets.bucket AS day_day,
    SUM(facts.revenue_3d) AS revenue_3d
  FROM (
    SELECT
      orders.day AS day_of_row,
      SUM(orders.amount) AS revenue_3d
    FROM m.orders AS orders
    WHERE orders.day >= DATE '2024-01-28'
      AND orders.day < DATE '2024-02-05'
    GROUP BY 1
  ) AS facts
  JOIN (
    SELECT
      CAST(DATE '2024-01-30' + INTERVAL (i - 1) DAY AS DATE) AS bucket
    FROM UNNEST(GENERATE_ARRAY(1, 6)) AS i
  ) AS buckets ON facts.day_of_row >= buckets.bucket - INTERVAL 2 DAY
    AND facts.day_of_row < buckets.bucket + INTERVAL 1 DAY
  GROUP BY 1
),
orders_2 AS (
  SELECT
    orders.day AS day_day,
    SUM(orders.amount) AS revenue
  FROM m.orders AS orders
  WHERE orders.day >= DATE '2024-01-30'
    AND orders.day < DATE '2024-02-05'
  GROUP BY 1
)
SELECT
  parts.day_day AS orders__day__day,
  MAX(parts.revenue_3d) AS orders__revenue_3d,
  MAX(parts.revenue) AS orders__revenue
FROM (
  SELECT
    day_day AS day_day,
    revenue_3d AS revenue_3d,
    CAST(NULL AS NUMERIC(38, 2)) AS revenue
  FROM orders
  UNION ALL
  SELECT
    day_day AS day_day,
    CAST(NULL AS NUMERIC(38, 2)) AS revenue_3d,
    revenue AS revenue
  FROM orders_2
) AS parts
GROUP BY 1
ORDER BY orders__day__day NULLS LAST
LIMIT 10000;

-- to date, by a dimension
WITH orders AS (
  SELECT
    facts.status AS status,
    buckets.bucket AS day_day,
    SUM(facts.revenue_mtd) AS revenue_mtd
  FROM (
    SELECT
      orders.status AS status,
      orders.day AS day_of_row,
      SUM(orders.amount) AS revenue_mtd
    FROM m.orders AS orders
    WHERE orders.day >= DATE '2024-01-01'
      AND orders.day < DATE '2024-02-03'
    GROUP BY 1, 2
  ) AS facts
  JOIN (
    SELECT
      CAST(DATE '2024-01-30' + INTERVAL (i - 1) DAY AS DATE) AS bucket
    FROM UNNEST(GENERATE_ARRAY(1, 4)) AS i
  ) AS buckets ON facts.day_of_row >= CAST(DATE_TRUNC(buckets.bucket, MONTH) AS DATE)
    AND facts.day_of_row < buckets.bucket + INTERVAL 1 DAY
  GROUP BY 1, 2
)
SELECT
  parts.status AS orders__status,
  parts.day_day AS orders__day__day,
  MAX(parts.revenue_mtd) AS orders__revenue_mtd
FROM (
  SELECT
    status AS status,
    day_day AS day_day,
    revenue_mtd AS revenue_mtd
  FROM orders
) AS parts
GROUP BY 1, 2
ORDER BY orders__day__day NULLS LAST, orders__status NULLS LAST
LIMIT 10000;

-- a shift
WITH orders AS (
  SELECT
    CAST(DATE_TRUNC(orders.day, MONTH) AS DATE) AS day_month,
    SUM(orders.amount) AS revenue
  FROM m.orders AS orders
  GROUP BY 1
),
orders_2 AS (
  SELECT
    buckets.bucket AS day_month,
    SUM(orders.amount) AS revenue_2
  FROM m.orders AS orders
  JOIN (
    SELECT
      CAST(bounds.first_bucket + INTERVAL (i - 1) MONTH AS DATE) AS bucket
    FROM (
      SELECT
        MIN(CAST(DATE_TRUNC(orders.day, MONTH) AS DATE)) AS first_bucket,
        MAX(CAST(DATE_TRUNC(orders.day, MONTH) AS DATE)) AS last_bucket
      FROM m.orders AS orders
    ) AS bounds
    CROSS JOIN UNNEST(GENERATE_ARRAY(1, (DATE_DIFF(CAST(bounds.last_bucket AS DATE), CAST(bounds.first_bucket AS DATE), MONTH) + 1))) AS i
  ) AS buckets ON CAST(DATE_TRUNC(orders.day, MONTH) AS DATE) = CAST(DATE_TRUNC(buckets.bucket - INTERVAL 1 MONTH, MONTH) AS DATE)
  GROUP BY 1
)
SELECT
  parts.day_month AS orders__day__month,
  MAX(parts.revenue) AS orders__revenue,
  MAX(parts.revenue_2) AS orders__revenue_prev
FROM (
  SELECT
    day_month AS day_month,
    revenue AS revenue,
    CAST(NULL AS NUMERIC(38, 2)) AS revenue_2
  FROM orders
  UNION ALL
  SELECT
    day_month AS day_month,
    CAST(NULL AS NUMERIC(38, 2)) AS revenue,
    revenue_2 AS revenue_2
  FROM orders_2
) AS parts
GROUP BY 1
ORDER BY orders__day__month NULLS LAST
LIMIT 10000;

-- two granularities of one time
WITH orders AS (
  SELECT
    CAST(DATE_TRUNC(orders.day, QUARTER) AS DATE) AS day_quarter,
    CAST(DATE_TRUNC(orders.day, MONTH) AS DATE) AS day_month,
    SUM(orders.amount) AS revenue
  FROM m.orders AS orders
  GROUP BY 1, 2
),
orders_2 AS (
  SELECT
    CAST(DATE_TRUNC(buckets.bucket, QUARTER) AS DATE) AS day_quarter,
    buckets.bucket AS day_month,
    SUM(facts.revenue_mtd) AS revenue_mtd
  FROM (
    SELECT
      orders.day AS day_of_row,
      SUM(orders.amount) AS revenue_mtd
    FROM m.orders AS orders
    GROUP BY 1
  ) AS facts
  JOIN (
    SELECT
      CAST(bounds.first_bucket + INTERVAL (i - 1) MONTH AS DATE) AS bucket
    FROM (
      SELECT
        MIN(CAST(DATE_TRUNC(orders.day, MONTH) AS DATE)) AS first_bucket,
        MAX(CAST(DATE_TRUNC(orders.day, MONTH) AS DATE)) AS last_bucket
      FROM m.orders AS orders
    ) AS bounds
    CROSS JOIN UNNEST(GENERATE_ARRAY(1, (DATE_DIFF(CAST(bounds.last_bucket AS DATE), CAST(bounds.first_bucket AS DATE), MONTH) + 1))) AS i
  ) AS buckets ON facts.day_of_row >= CAST(DATE_TRUNC(buckets.bucket, MONTH) AS DATE)
    AND facts.day_of_row < buckets.bucket + INTERVAL 1 MONTH
  GROUP BY 1, 2
),
orders_3 AS (
  SELECT
    CAST(DATE_TRUNC(buckets.bucket, QUARTER) AS DATE) AS day_quarter,
    buckets.bucket AS day_month,
    SUM(orders.amount) AS revenue_2
  FROM m.orders AS orders
  JOIN (
    SELECT
      CAST(bounds.first_bucket + INTERVAL (i - 1) MONTH AS DATE) AS bucket
    FROM (
      SELECT
        MIN(CAST(DATE_TRUNC(orders.day, MONTH) AS DATE)) AS first_bucket,
        MAX(CAST(DATE_TRUNC(orders.day, MONTH) AS DATE)) AS last_bucket
      FROM m.orders AS orders
    ) AS bounds
    CROSS JOIN UNNEST(GENERATE_ARRAY(1, (DATE_DIFF(CAST(bounds.last_bucket AS DATE), CAST(bounds.first_bucket AS DATE), MONTH) + 1))) AS i
  ) AS buckets ON CAST(DATE_TRUNC(orders.day, MONTH) AS DATE) = CAST(DATE_TRUNC(buckets.bucket - INTERVAL 1 MONTH, MONTH) AS DATE)
  GROUP BY 1, 2
)
SELECT
  parts.day_quarter AS orders__day__quarter,
  parts.day_month AS orders__day__month,
  MAX(parts.revenue) AS orders__revenue,
  MAX(parts.revenue_mtd) AS orders__revenue_mtd,
  MAX(parts.revenue_2) AS orders__revenue_prev
FROM (
  SELECT
    day_quarter AS day_quarter,
    day_month AS day_month,
    revenue AS revenue,
    CAST(NULL AS NUMERIC(38, 2)) AS revenue_mtd,
    CAST(NULL AS NUMERIC(38, 2)) AS revenue_2
  FROM orders
  UNION ALL
  SELECT
    day_quarter AS day_quarter,
    day_month AS day_month,
    CAST(NULL AS NUMERIC(38, 2)) AS revenue,
    revenue_mtd AS revenue_mtd,
    CAST(NULL AS NUMERIC(38, 2)) AS revenue_2
  FROM orders_2
  UNION ALL
  SELECT
    day_quarter AS day_quarter,
    day_month AS day_month,
    CAST(NULL AS NUMERIC(38, 2)) AS revenue,
    CAST(NULL AS NUMERIC(38, 2)) AS revenue_mtd,
    revenue_2 AS revenue_2
  FROM orders_3
) AS parts
GROUP BY 1, 2
ORDER BY orders__day__quarter NULLS LAST, orders__day__month NULLS LAST
LIMIT 10000;

-- granularities that cut each other
WITH orders AS (
  SELECT
    CAST(DATE_TRUNC(buckets.bucket, MONTH) AS DATE) AS day_month,
    CAST(DATE_TRUNC(buckets.bucket, ISOWEEK) AS DATE) AS day_week,
    SUM(facts.revenue_3d) AS revenue_3d
  FROM (
    SELECT
      orders.day AS day_of_row,
      SUM(orders.amount) AS revenue_3d
    FROM m.orders AS orders
    WHERE orders.day >= DATE '2024-01-26'
      AND orders.day < DATE '2024-03-11'
    GROUP BY 1
  ) AS facts
  JOIN (
    SELECT DISTINCT
      COALESCE(GREATEST(CAST(DATE_TRUNC(units.bucket, MONTH) AS DATE), CAST(DATE_TRUNC(units.bucket, ISOWEEK) AS DATE)), CAST(DATE_TRUNC(units.bucket, MONTH) AS DATE), CAST(DATE_TRUNC(units.bucket, ISOWEEK) AS DATE)) AS bucket
    FROM (
      SELECT
        CAST(DATE '2024-01-22' + INTERVAL (i - 1) DAY AS DATE) AS bucket
      FROM UNNEST(GENERATE_ARRAY(1, 43)) AS i
    ) AS units
  ) AS buckets ON facts.day_of_row >= COALESCE(LEAST(CAST(CAST(DATE_TRUNC(buckets.bucket, MONTH) AS DATE) + INTERVAL 1 MONTH AS DATE), CAST(CAST(DATE_TRUNC(buckets.bucket, ISOWEEK) AS DATE) + INTERVAL 7 DAY AS DATE)), CAST(CAST(DATE_TRUNC(buckets.bucket, MONTH) AS DATE) + INTERVAL 1 MONTH AS DATE), CAST(CAST(DATE_TRUNC(buckets.bucket, ISOWEEK) AS DATE) + INTERVAL 7 DAY AS DATE)) - INTERVAL 3 DAY
    AND facts.day_of_row < COALESCE(LEAST(CAST(CAST(DATE_TRUNC(buckets.bucket, MONTH) AS DATE) + INTERVAL 1 MONTH AS DATE), CAST(CAST(DATE_TRUNC(buckets.bucket, ISOWEEK) AS DATE) + INTERVAL 7 DAY AS DATE)), CAST(CAST(DATE_TRUNC(buckets.bucket, MONTH) AS DATE) + INTERVAL 1 MONTH AS DATE), CAST(CAST(DATE_TRUNC(buckets.bucket, ISOWEEK) AS DATE) + INTERVAL 7 DAY AS DATE))
  GROUP BY 1, 2
),
orders_2 AS (
  SELECT
    CAST(DATE_TRUNC(buckets.bucket, MONTH) AS DATE) AS day_month,
    CAST(DATE_TRUNC(buckets.bucket, ISOWEEK) AS DATE) AS day_week,
    SUM(orders.amount) AS revenue
  FROM m.orders AS orders
  JOIN (
    SELECT DISTINCT
      COALESCE(GREATEST(CAST(DATE_TRUNC(units.bucket, MONTH) AS DATE), CAST(DATE_TRUNC(units.bucket, ISOWEEK) AS DATE)), CAST(DATE_TRUNC(units.bucket, MONTH) AS DATE), CAST(DATE_TRUNC(units.bucket, ISOWEEK) AS DATE)) AS bucket
    FROM (
      SELECT
        CAST(DATE '2024-01-22' + INTERVAL (i - 1) DAY AS DATE) AS bucket
      FROM UNNEST(GENERATE_ARRAY(1, 43)) AS i
    ) AS units
  ) AS buckets ON COALESCE(GREATEST(CAST(DATE_TRUNC(CAST(orders.day + INTERVAL 1 MONTH AS DATETIME), MONTH) AS DATE), CAST(DATE_TRUNC(CAST(orders.day + INTERVAL 1 MONTH AS DATETIME), ISOWEEK) AS DATE)), CAST(DATE_TRUNC(CAST(orders.day + INTERVAL 1 MONTH AS DATETIME), MONTH) AS DATE), CAST(DATE_TRUNC(CAST(orders.day + INTERVAL 1 MONTH AS DATETIME), ISOWEEK) AS DATE)) = buckets.bucket
  WHERE orders.day >= DATE '2023-12-22'
    AND orders.day < DATE '2024-02-14'
  GROUP BY 1, 2
)
SELECT
  parts.day_month AS orders__day__month,
  parts.day_week AS orders__day__week,
  MAX(parts.revenue_3d) AS orders__revenue_3d,
  MAX(parts.revenue) AS orders__revenue_prev
FROM (
  SELECT
    day_month AS day_month,
    day_week AS day_week,
    revenue_3d AS revenue_3d,
    CAST(NULL AS NUMERIC(38, 2)) AS revenue
  FROM orders
  UNION ALL
  SELECT
    day_month AS day_month,
    day_week AS day_week,
    CAST(NULL AS NUMERIC(38, 2)) AS revenue_3d,
    revenue AS revenue
  FROM orders_2
) AS parts
GROUP BY 1, 2
ORDER BY orders__day__month NULLS LAST, orders__day__week NULLS LAST
LIMIT 10000;

-- dates joined by or beside a window
WITH orders AS (
  SELECT
    buckets.bucket AS day_month,
    SUM(orders.amount) AS revenue_mtd
  FROM m.orders AS orders
  JOIN (
    SELECT
      periods.bucket AS bucket,
      periods.bucket >= DATE '2024-03-01' AND periods.bucket <= DATE '2024-03-01' AS is_asked_1
    FROM (
      SELECT
        CAST(bounds.first_bucket + INTERVAL (i - 1) MONTH AS DATE) AS bucket
      FROM (
        SELECT
          MIN(CAST(DATE_TRUNC(orders.day, MONTH) AS DATE)) AS first_bucket,
          MAX(CAST(DATE_TRUNC(orders.day, MONTH) AS DATE)) AS last_bucket
        FROM m.orders AS orders
      ) AS bounds
      CROSS JOIN UNNEST(GENERATE_ARRAY(1, (DATE_DIFF(CAST(bounds.last_bucket AS DATE), CAST(bounds.first_bucket AS DATE), MONTH) + 1))) AS i
    ) AS periods
    WHERE periods.bucket <= DATE '2024-01-01' OR periods.bucket >= DATE '2024-03-01'
  ) AS buckets ON orders.day >= CAST(DATE_TRUNC(buckets.bucket, MONTH) AS DATE)
    AND orders.day < buckets.bucket + INTERVAL 1 MONTH
  WHERE buckets.is_asked_1 OR orders.status = 'done'
  GROUP BY 1
)
SELECT
  parts.day_month AS orders__day__month,
  MAX(parts.revenue_mtd) AS orders__revenue_mtd
FROM (
  SELECT
    day_month AS day_month,
    revenue_mtd AS revenue_mtd
  FROM orders
) AS parts
GROUP BY 1
ORDER BY orders__day__month NULLS LAST
LIMIT 10000;

-- a shift of part of a month, in a zone
WITH orders AS (
  SELECT
    DATE_TRUNC(DATETIME(TIMESTAMP(orders.paid_at, 'UTC'), 'Europe/Berlin'), MONTH) AS paid_at_month,
    SUM(orders.amount) AS revenue
  FROM m.orders AS orders
  WHERE orders.paid_at >= DATETIME '2023-12-31 23:00:00'
    AND orders.paid_at < DATETIME '2024-04-30 22:00:00'
  GROUP BY 1
),
orders_2 AS (
  SELECT
    buckets.bucket AS paid_at_month,
    SUM(orders.amount) AS revenue_2
  FROM m.orders AS orders
  JOIN (
    SELECT
      DATETIME '2024-01-01 00:00:00' + INTERVAL (i - 1) MONTH AS bucket
    FROM UNNEST(GENERATE_ARRAY(1, 4)) AS i
  ) AS buckets ON DATE_TRUNC(CAST((DATETIME(TIMESTAMP(orders.paid_at, 'UTC'), 'Europe/Berlin')) + INTERVAL 5 DAY AS DATETIME), MONTH) = buckets.bucket
  WHERE orders.paid_at >= DATETIME '2023-12-26 23:00:00'
    AND orders.paid_at < DATETIME '2024-04-25 22:00:00'
  GROUP BY 1
)
SELECT
  parts.paid_at_month AS orders__paid_at__month,
  MAX(parts.revenue) AS orders__revenue,
  MAX(parts.revenue_2) AS orders__revenue_5d_ago
FROM (
  SELECT
    paid_at_month AS paid_at_month,
    revenue AS revenue,
    CAST(NULL AS NUMERIC(38, 2)) AS revenue_2
  FROM orders
  UNION ALL
  SELECT
    paid_at_month AS paid_at_month,
    CAST(NULL AS NUMERIC(38, 2)) AS revenue,
    revenue_2 AS revenue_2
  FROM orders_2
) AS parts
GROUP BY 1
ORDER BY orders__paid_at__month NULLS LAST
LIMIT 10000;

-- windows over groups and filters on them
SELECT
  `groups`.status AS orders__status,
  1.0 * `groups`.count / NULLIF(`groups`.windowed, 0) AS orders__share,
  1.0 * `groups`.count / NULLIF(`groups`.windowed, 0) / NULLIF(`groups`.windowed_2, 0) AS orders__share_of_best
FROM (
  SELECT
    `groups`.status AS status,
    `groups`.count AS count,
    `groups`.revenue AS revenue,
    `groups`.windowed AS windowed,
    MAX(1.0 * `groups`.count / NULLIF(`groups`.windowed, 0)) OVER () AS windowed_2
  FROM (
    SELECT
      orders.status AS status,
      COUNT(*) AS count,
      SUM(orders.amount) AS revenue,
      SUM(COUNT(*)) OVER () AS windowed
    FROM m.orders AS orders
    GROUP BY 1
  ) AS `groups`
) AS `groups`
WHERE 1.0 * `groups`.count / NULLIF(`groups`.windowed, 0) > 0.2
  AND `groups`.revenue IS NOT NULL
ORDER BY orders__share DESC NULLS LAST, orders__status NULLS LAST
LIMIT 10000;

-- stocks
WITH balances AS (
  SELECT
    day_month AS day_month,
    SUM(CASE WHEN occurred_at = edge THEN input END) AS closing
  FROM (
    SELECT
      day_month,
      occurred_at,
      input,
      MAX(occurred_at) OVER (PARTITION BY day_month, per) AS edge
    FROM (
      SELECT
        CAST(DATE_TRUNC(balances.day, MONTH) AS DATE) AS day_month,
        balances.account AS per,
        balances.day AS occurred_at,
        balances.balance AS input
      FROM m.balances AS balances
    ) AS facts
  ) AS facts
  GROUP BY 1
),
balances_2 AS (
  SELECT
    day_month AS day_month,
    SUM(mean) AS mean
  FROM (
    SELECT
      day_month AS day_month,
      per AS per,
      AVG(CASE WHEN occurred_at IS NOT NULL THEN mean END) AS mean
    FROM (
      SELECT
        CAST(DATE_TRUNC(balances.day, MONTH) AS DATE) AS day_month,
        balances.account AS per,
        balances.day AS occurred_at,
        SUM(balances.balance) AS mean
      FROM m.balances AS balances
      GROUP BY 1, 2, 3
    ) AS facts
    GROUP BY 1, 2
  ) AS facts
  GROUP BY 1
)
SELECT
  parts.day_month AS balances__day__month,
  MAX(parts.closing) AS balances__closing,
  MAX(parts.mean) AS balances__mean
FROM (
  SELECT
    day_month AS day_month,
    closing AS closing,
    CAST(NULL AS FLOAT64) AS mean
  FROM balances
  UNION ALL
  SELECT
    day_month AS day_month,
    CAST(NULL AS BIGNUMERIC) AS closing,
    mean AS mean
  FROM balances_2
) AS parts
GROUP BY 1
ORDER BY balances__day__month NULLS LAST
LIMIT 10000;

-- a metric with a filter and a dimension
SELECT
  CAST(DATE_TRUNC(orders.day, MONTH) AS DATE) AS done_revenue__ts,
  customers.region AS done_revenue__region,
  SUM(orders.amount) AS done_revenue__measure
FROM m.orders AS orders
LEFT JOIN m.customers AS customers ON orders.customer_id = customers.customer_id
WHERE orders.status = 'done'
GROUP BY 1, 2
ORDER BY done_revenue__ts NULLS LAST, done_revenue__region NULLS LAST
LIMIT 10000;

-- a ratio over two facts
WITH orders AS (
  SELECT
    SUM(orders.amount) AS revenue
  FROM m.orders AS orders
),
returns AS (
  SELECT
    COUNT(*) AS count
  FROM m.returns AS returns
)
SELECT
  orders.revenue / NULLIF(returns.count, 0) AS revenue_per_return__measure
FROM orders
CROSS JOIN returns;

-- a cumulative metric
WITH orders AS (
  SELECT
    buckets.bucket AS ts_month,
    SUM(facts.revenue) AS revenue
  FROM (
    SELECT
      orders.day AS day_of_row,
      SUM(orders.amount) AS revenue
    FROM m.orders AS orders
    GROUP BY 1
  ) AS facts
  JOIN (
    SELECT
      CAST(bounds.first_bucket + INTERVAL (i - 1) MONTH AS DATE) AS bucket
    FROM (
      SELECT
        MIN(CAST(DATE_TRUNC(orders.day, MONTH) AS DATE)) AS first_bucket,
        MAX(CAST(DATE_TRUNC(orders.day, MONTH) AS DATE)) AS last_bucket
      FROM m.orders AS orders
    ) AS bounds
    CROSS JOIN UNNEST(GENERATE_ARRAY(1, (DATE_DIFF(CAST(bounds.last_bucket AS DATE), CAST(bounds.first_bucket AS DATE), MONTH) + 1))) AS i
  ) AS buckets ON facts.day_of_row < buckets.bucket + INTERVAL 1 MONTH
  GROUP BY 1
)
SELECT
  parts.ts_month AS running_revenue__ts,
  MAX(parts.revenue) AS running_revenue__measure
FROM (
  SELECT
    ts_month AS ts_month,
    revenue AS revenue
  FROM orders
) AS parts
GROUP BY 1
ORDER BY running_revenue__ts NULLS LAST
LIMIT 10000;

-- a conversion
WITH visits AS (
  SELECT
    ts_month AS ts_month,
    COUNT(CASE WHEN counted THEN 1 END) AS visits_that_buy_base,
    COUNT(CASE WHEN counted AND has_converted THEN 1 END) AS visits_that_buy_converted
  FROM (
    SELECT
      DATE_TRUNC(visits.seen_at, MONTH) AS ts_month,
      TRUE AS counted,
      EXISTS (
        SELECT
          1
        FROM m.orders AS orders
        LEFT JOIN m.customers AS customers_2 ON orders.customer_id = customers_2.customer_id
        WHERE customers_2.customer_id = customers.customer_id
          AND orders.paid_at >= visits.seen_at
          AND orders.paid_at < visits.seen_at + INTERVAL 7 DAY
      ) AS has_converted
    FROM m.visits AS visits
    LEFT JOIN m.customers AS customers ON visits.customer_id = customers.customer_id
  ) AS conversions
  GROUP BY 1
)
SELECT
  parts.ts_month AS visits_that_buy__ts,
  COALESCE(MAX(parts.visits_that_buy_converted), 0) / NULLIF(COALESCE(MAX(parts.visits_that_buy_base), 0), 0) AS visits_that_buy__measure
FROM (
  SELECT
    ts_month AS ts_month,
    visits_that_buy_base AS visits_that_buy_base,
    visits_that_buy_converted AS visits_that_buy_converted
  FROM visits
) AS parts
GROUP BY 1
ORDER BY visits_that_buy__ts NULLS LAST
LIMIT 10000;

-- a policy: rows and a mask
SELECT
  customers.name AS customers__name,
  '***' AS customers__email,
  SUM(orders.amount) AS orders__revenue
FROM m.orders AS orders
LEFT JOIN (
  SELECT
    *
  FROM m.customers AS customers
  WHERE customers.region = 'EU'
) AS customers ON orders.customer_id = customers.customer_id
GROUP BY 1, 2
ORDER BY orders__revenue DESC NULLS LAST, customers__name NULLS LAST, customers__email NULLS LAST
LIMIT 10000;

-- dimensions alone
SELECT
  customers.region AS customers__region,
  orders.status AS orders__status
FROM m.orders AS orders
LEFT JOIN m.customers AS customers ON orders.customer_id = customers.customer_id
GROUP BY 1, 2
ORDER BY customers__region NULLS LAST, orders__status NULLS LAST
LIMIT 10000;

-- ungrouped
SELECT
  orders.order_id AS orders__order_id,
  customers.name AS customers__name,
  orders.amount AS orders__revenue,
  CASE WHEN orders.status = 'done' THEN 1 ELSE 0 END AS orders__done
FROM m.orders AS orders
LEFT JOIN m.customers AS customers ON orders.customer_id = customers.customer_id
ORDER BY orders__revenue DESC NULLS LAST, orders__order_id NULLS LAST, customers__name NULLS LAST
LIMIT 10000;

-- two ranges compared
SELECT
  ranges.`compareDateRange` AS `compareDateRange`,
  ranges.orders__day__month AS orders__day__month,
  ranges.orders__revenue AS orders__revenue
FROM (
  SELECT
    0 AS range_number,
    '2024-01-01 - 2024-01-31' AS `compareDateRange`,
    answer.orders__day__month AS orders__day__month,
    answer.orders__revenue AS orders__revenue
  FROM (
    SELECT
      CAST(DATE_TRUNC(orders.day, MONTH) AS DATE) AS orders__day__month,
      SUM(orders.amount) AS orders__revenue
    FROM m.orders AS orders
    WHERE orders.day >= DATE '2024-01-01'
      AND orders.day < DATE '2024-02-01'
    GROUP BY 1
    ORDER BY orders__day__month NULLS LAST
    LIMIT 10000
  ) AS answer
  UNION ALL
  SELECT
    1 AS range_number,
    '2024-02-01 - 2024-02-29' AS `compareDateRange`,
    answer.orders__day__month AS orders__day__month,
    answer.orders__revenue AS orders__revenue
  FROM (
    SELECT
      CAST(DATE_TRUNC(orders.day, MONTH) AS DATE) AS orders__day__month,
      SUM(orders.amount) AS orders__revenue
    FROM m.orders AS orders
    WHERE orders.day >= DATE '2024-02-01'
      AND orders.day < DATE '2024-03-01'
    GROUP BY 1
    ORDER BY orders__day__month NULLS LAST
    LIMIT 10000
  ) AS answer
) AS ranges
ORDER BY ranges.range_number NULLS LAST, ranges.orders__day__month NULLS LAST;
