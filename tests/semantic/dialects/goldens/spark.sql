-- measures alone
SELECT
  SUM(orders.amount) AS `orders.revenue`,
  COUNT(*) AS `orders.count`,
  COUNT(DISTINCT orders.customer_id) AS `orders.buyers`
FROM m.orders AS orders;

-- a dimension over a join
SELECT
  customers.region AS `customers.region`,
  SUM(orders.amount) AS `orders.revenue`,
  AVG(orders.amount) AS `orders.average`,
  MAX(orders.amount) AS `orders.biggest`
FROM m.orders AS orders
LEFT JOIN m.customers AS customers ON orders.customer_id = customers.customer_id
GROUP BY 1
ORDER BY `orders.revenue` DESC NULLS LAST, `customers.region` NULLS LAST
LIMIT 10000;

-- a computed dimension and a filtered measure
SELECT
  CASE WHEN orders.amount >= 50 THEN 'big' ELSE 'small' END AS `orders.size_class`,
  COUNT(*) FILTER (WHERE orders.status = 'done') AS `orders.done`
FROM m.orders AS orders
GROUP BY 1
ORDER BY `orders.done` DESC NULLS LAST, `orders.size_class` NULLS LAST
LIMIT 10000;

-- fan-out: a dimension on the many side
SELECT
  orders.category AS `products.category`,
  SUM(orders.revenue_input) AS `orders.revenue`,
  COUNT(*) FILTER (WHERE orders.done_filter) AS `orders.done`,
  COUNT(*) AS `orders.count`
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
ORDER BY `orders.revenue` DESC NULLS LAST, `products.category` NULLS LAST
LIMIT 10000;

-- fan-out: a filter on the many side
SELECT
  SUM(orders.revenue_input) AS `orders.revenue`
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
  parts.region AS `customers.region`,
  MAX(parts.revenue) AS `orders.revenue`,
  COALESCE(MAX(parts.count), 0) AS `orders.count`,
  MAX(parts.value) AS `returns.value`,
  COALESCE(MAX(parts.count_2), 0) AS `returns.count`
FROM (
  SELECT
    region AS region,
    revenue AS revenue,
    count AS count,
    CAST(NULL AS DECIMAL(38, 2)) AS value,
    CAST(NULL AS BIGINT) AS count_2
  FROM orders
  UNION ALL
  SELECT
    region AS region,
    CAST(NULL AS DECIMAL(38, 2)) AS revenue,
    CAST(NULL AS BIGINT) AS count,
    value AS value,
    count_2 AS count_2
  FROM returns
) AS parts
GROUP BY 1
ORDER BY `orders.revenue` DESC NULLS LAST, `customers.region` NULLS LAST
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
  orders.revenue AS `orders.revenue`,
  returns.value AS `returns.value`,
  items.pieces AS `items.pieces`
FROM orders
CROSS JOIN returns
CROSS JOIN items;

-- a derived measure
SELECT
  orders.is_gift AS `orders.is_gift`,
  1.0 * COUNT(*) FILTER (WHERE orders.status = 'done') / NULLIF(COUNT(*), 0) AS `orders.done_share`
FROM m.orders AS orders
GROUP BY 1
ORDER BY `orders.done_share` DESC NULLS LAST, `orders.is_gift` NULLS LAST
LIMIT 10000;

-- a median
SELECT
  orders.is_gift AS `orders.is_gift`,
  MEDIAN(CAST(orders.amount AS DOUBLE)) AS `orders.median_amount`
FROM m.orders AS orders
GROUP BY 1
ORDER BY `orders.median_amount` DESC NULLS LAST, `orders.is_gift` NULLS LAST
LIMIT 10000;

-- months of dates
SELECT
  CAST(DATE_TRUNC('month', orders.day) AS DATE) AS `orders.day.month`,
  SUM(orders.amount) AS `orders.revenue`
FROM m.orders AS orders
WHERE orders.day >= DATE '2024-01-01'
  AND orders.day < DATE '2024-04-01'
GROUP BY 1
ORDER BY `orders.day.month` NULLS LAST
LIMIT 10000;

-- days of times in a zone
SELECT
  DATE_TRUNC('day', CONVERT_TIMEZONE('UTC', 'Europe/Berlin', orders.paid_at)) AS `orders.paid_at.day`,
  COUNT(*) AS `orders.count`
FROM m.orders AS orders
WHERE orders.paid_at >= TIMESTAMP_NTZ '2024-01-30 23:00:00'
  AND orders.paid_at < TIMESTAMP_NTZ '2024-03-31 22:00:00'
GROUP BY 1
ORDER BY `orders.paid_at.day` NULLS LAST
LIMIT 10000;

-- weeks and quarters
SELECT
  CAST(DATE_TRUNC('week', orders.day) AS DATE) AS `orders.day.week`,
  DATE_TRUNC('quarter', orders.paid_at) AS `orders.paid_at.quarter`,
  COUNT(*) AS `orders.count`
FROM m.orders AS orders
GROUP BY 1, 2
ORDER BY `orders.day.week` NULLS LAST, `orders.paid_at.quarter` NULLS LAST
LIMIT 10000;

-- granularities of their own
SELECT
  CAST(DATE_TRUNC('year', orders.day - INTERVAL 1 MONTH) + INTERVAL 1 MONTH AS DATE) AS `orders.day.fiscal_year`,
  CAST(DATE_TRUNC('day', orders.day) - (((DATEDIFF(orders.day, DATE '2024-01-01') % 14 + 14) % 14) * INTERVAL '1' DAY) AS DATE) AS `orders.day.fortnight`,
  COUNT(*) AS `orders.count`
FROM m.orders AS orders
GROUP BY 1, 2
ORDER BY `orders.day.fiscal_year` NULLS LAST, `orders.day.fortnight` NULLS LAST
LIMIT 10000;

-- filters on text
SELECT
  COUNT(*) AS `orders.count`
FROM m.orders AS orders
LEFT JOIN m.customers AS customers ON orders.customer_id = customers.customer_id
WHERE (customers.name NOT ILIKE '%100!%%' ESCAPE '!' AND customers.name NOT ILIKE '%x!_y%' ESCAPE '!' OR customers.name IS NULL)
  AND (customers.name NOT ILIKE 'Z%' OR customers.name IS NULL)
  AND (customers.name NOT ILIKE '%q' OR customers.name IS NULL)
  AND (customers.name ILIKE '%D%' OR (customers.name ILIKE 'b%' OR customers.name ILIKE 'o''%') OR (customers.name ILIKE '%A' OR customers.name ILIKE '%\\' ESCAPE '!') OR customers.name IS NULL);

-- filters on values
SELECT
  COUNT(*) AS `orders.count`
FROM m.orders AS orders
LEFT JOIN m.customers AS customers ON orders.customer_id = customers.customer_id
WHERE (orders.status <> 'lost' OR orders.status IS NULL)
  AND (customers.region IN ('EU', 'US') OR customers.region IS NULL)
  AND orders.status <> 'a'
  AND (orders.is_gift <> TRUE OR orders.is_gift IS NULL)
  AND orders.order_id IS NOT NULL;

-- filters on numbers
SELECT
  COUNT(*) AS `orders.count`
FROM m.orders AS orders
WHERE orders.amount > 7.75
  AND orders.amount >= 12
  AND orders.amount < 100
  AND orders.amount <= 80.00;

-- filters on dates
SELECT
  COUNT(*) AS `orders.count`
FROM m.orders AS orders
WHERE orders.day >= DATE '2024-01-01'
  AND orders.day < DATE '2025-01-01'
  AND (orders.day < DATE '2024-02-01' OR orders.day >= DATE '2024-02-03' OR orders.day IS NULL)
  AND orders.paid_at >= TIMESTAMP_NTZ '2024-01-02 05:00:00'
  AND orders.paid_at < TIMESTAMP_NTZ '2024-04-02 04:00:00'
  AND orders.day >= DATE '2024-01-30'
  AND orders.day < DATE '2024-05-01'
  AND (orders.paid_at >= TIMESTAMP_NTZ '2024-03-31 04:00:00' AND orders.paid_at < TIMESTAMP_NTZ '2024-04-01 04:00:00' OR orders.status = 'open');

-- a measure's filters
SELECT
  SUM(orders.amount) AS `orders.revenue`
FROM m.orders AS orders
WHERE orders.status = 'done';

-- a segment
SELECT
  orders.status AS `orders.status`,
  COUNT(*) AS `orders.count`
FROM m.orders AS orders
WHERE (DAYOFWEEK(orders.day) - 1) IN (0, 6)
GROUP BY 1
ORDER BY `orders.count` DESC NULLS LAST, `orders.status` NULLS LAST
LIMIT 10000;

-- a filter on a measure, order, limit, offset
SELECT
  orders.status AS `orders.status`,
  customers.name AS `customers.name`,
  SUM(orders.amount) AS `orders.revenue`
FROM m.orders AS orders
LEFT JOIN m.customers AS customers ON orders.customer_id = customers.customer_id
GROUP BY 1, 2
HAVING COUNT(*) >= 1
ORDER BY COUNT(DISTINCT orders.customer_id) DESC NULLS LAST, `customers.name` DESC NULLS LAST, `orders.status` NULLS LAST
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
      CAST(DATE '2024-01-30' + ((i - 1) * INTERVAL '1' DAY) AS DATE) AS bucket
    FROM EXPLODE(SEQUENCE(1, 6)) AS numbers(i)
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
  parts.day_day AS `orders.day.day`,
  MAX(parts.revenue_3d) AS `orders.revenue_3d`,
  MAX(parts.revenue) AS `orders.revenue`
FROM (
  SELECT
    day_day AS day_day,
    revenue_3d AS revenue_3d,
    CAST(NULL AS DECIMAL(38, 2)) AS revenue
  FROM orders
  UNION ALL
  SELECT
    day_day AS day_day,
    CAST(NULL AS DECIMAL(38, 2)) AS revenue_3d,
    revenue AS revenue
  FROM orders_2
) AS parts
GROUP BY 1
ORDER BY `orders.day.day` NULLS LAST
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
      CAST(DATE '2024-01-30' + ((i - 1) * INTERVAL '1' DAY) AS DATE) AS bucket
    FROM EXPLODE(SEQUENCE(1, 4)) AS numbers(i)
  ) AS buckets ON facts.day_of_row >= CAST(DATE_TRUNC('month', buckets.bucket) AS DATE)
    AND facts.day_of_row < buckets.bucket + INTERVAL 1 DAY
  GROUP BY 1, 2
)
SELECT
  parts.status AS `orders.status`,
  parts.day_day AS `orders.day.day`,
  MAX(parts.revenue_mtd) AS `orders.revenue_mtd`
FROM (
  SELECT
    status AS status,
    day_day AS day_day,
    revenue_mtd AS revenue_mtd
  FROM orders
) AS parts
GROUP BY 1, 2
ORDER BY `orders.day.day` NULLS LAST, `orders.status` NULLS LAST
LIMIT 10000;

-- a shift
WITH orders AS (
  SELECT
    CAST(DATE_TRUNC('month', orders.day) AS DATE) AS day_month,
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
      CAST(bounds.first_bucket + ((i - 1) * INTERVAL '1' MONTH) AS DATE) AS bucket
    FROM (
      SELECT
        MIN(CAST(DATE_TRUNC('month', orders.day) AS DATE)) AS first_bucket,
        MAX(CAST(DATE_TRUNC('month', orders.day) AS DATE)) AS last_bucket
      FROM m.orders AS orders
    ) AS bounds
    CROSS JOIN LATERAL EXPLODE(SEQUENCE(1, (((YEAR(bounds.last_bucket) - YEAR(bounds.first_bucket)) * 12 + MONTH(bounds.last_bucket) - MONTH(bounds.first_bucket)) + 1))) AS numbers(i)
  ) AS buckets ON CAST(DATE_TRUNC('month', orders.day) AS DATE) = CAST(DATE_TRUNC('month', buckets.bucket - INTERVAL 1 MONTH) AS DATE)
  GROUP BY 1
)
SELECT
  parts.day_month AS `orders.day.month`,
  MAX(parts.revenue) AS `orders.revenue`,
  MAX(parts.revenue_2) AS `orders.revenue_prev`
FROM (
  SELECT
    day_month AS day_month,
    revenue AS revenue,
    CAST(NULL AS DECIMAL(38, 2)) AS revenue_2
  FROM orders
  UNION ALL
  SELECT
    day_month AS day_month,
    CAST(NULL AS DECIMAL(38, 2)) AS revenue,
    revenue_2 AS revenue_2
  FROM orders_2
) AS parts
GROUP BY 1
ORDER BY `orders.day.month` NULLS LAST
LIMIT 10000;

-- two granularities of one time
WITH orders AS (
  SELECT
    CAST(DATE_TRUNC('quarter', orders.day) AS DATE) AS day_quarter,
    CAST(DATE_TRUNC('month', orders.day) AS DATE) AS day_month,
    SUM(orders.amount) AS revenue
  FROM m.orders AS orders
  GROUP BY 1, 2
),
orders_2 AS (
  SELECT
    CAST(DATE_TRUNC('quarter', buckets.bucket) AS DATE) AS day_quarter,
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
      CAST(bounds.first_bucket + ((i - 1) * INTERVAL '1' MONTH) AS DATE) AS bucket
    FROM (
      SELECT
        MIN(CAST(DATE_TRUNC('month', orders.day) AS DATE)) AS first_bucket,
        MAX(CAST(DATE_TRUNC('month', orders.day) AS DATE)) AS last_bucket
      FROM m.orders AS orders
    ) AS bounds
    CROSS JOIN LATERAL EXPLODE(SEQUENCE(1, (((YEAR(bounds.last_bucket) - YEAR(bounds.first_bucket)) * 12 + MONTH(bounds.last_bucket) - MONTH(bounds.first_bucket)) + 1))) AS numbers(i)
  ) AS buckets ON facts.day_of_row >= CAST(DATE_TRUNC('month', buckets.bucket) AS DATE)
    AND facts.day_of_row < buckets.bucket + INTERVAL 1 MONTH
  GROUP BY 1, 2
),
orders_3 AS (
  SELECT
    CAST(DATE_TRUNC('quarter', buckets.bucket) AS DATE) AS day_quarter,
    buckets.bucket AS day_month,
    SUM(orders.amount) AS revenue_2
  FROM m.orders AS orders
  JOIN (
    SELECT
      CAST(bounds.first_bucket + ((i - 1) * INTERVAL '1' MONTH) AS DATE) AS bucket
    FROM (
      SELECT
        MIN(CAST(DATE_TRUNC('month', orders.day) AS DATE)) AS first_bucket,
        MAX(CAST(DATE_TRUNC('month', orders.day) AS DATE)) AS last_bucket
      FROM m.orders AS orders
    ) AS bounds
    CROSS JOIN LATERAL EXPLODE(SEQUENCE(1, (((YEAR(bounds.last_bucket) - YEAR(bounds.first_bucket)) * 12 + MONTH(bounds.last_bucket) - MONTH(bounds.first_bucket)) + 1))) AS numbers(i)
  ) AS buckets ON CAST(DATE_TRUNC('month', orders.day) AS DATE) = CAST(DATE_TRUNC('month', buckets.bucket - INTERVAL 1 MONTH) AS DATE)
  GROUP BY 1, 2
)
SELECT
  parts.day_quarter AS `orders.day.quarter`,
  parts.day_month AS `orders.day.month`,
  MAX(parts.revenue) AS `orders.revenue`,
  MAX(parts.revenue_mtd) AS `orders.revenue_mtd`,
  MAX(parts.revenue_2) AS `orders.revenue_prev`
FROM (
  SELECT
    day_quarter AS day_quarter,
    day_month AS day_month,
    revenue AS revenue,
    CAST(NULL AS DECIMAL(38, 2)) AS revenue_mtd,
    CAST(NULL AS DECIMAL(38, 2)) AS revenue_2
  FROM orders
  UNION ALL
  SELECT
    day_quarter AS day_quarter,
    day_month AS day_month,
    CAST(NULL AS DECIMAL(38, 2)) AS revenue,
    revenue_mtd AS revenue_mtd,
    CAST(NULL AS DECIMAL(38, 2)) AS revenue_2
  FROM orders_2
  UNION ALL
  SELECT
    day_quarter AS day_quarter,
    day_month AS day_month,
    CAST(NULL AS DECIMAL(38, 2)) AS revenue,
    CAST(NULL AS DECIMAL(38, 2)) AS revenue_mtd,
    revenue_2 AS revenue_2
  FROM orders_3
) AS parts
GROUP BY 1, 2
ORDER BY `orders.day.quarter` NULLS LAST, `orders.day.month` NULLS LAST
LIMIT 10000;

-- granularities that cut each other
WITH orders AS (
  SELECT
    CAST(DATE_TRUNC('month', buckets.bucket) AS DATE) AS day_month,
    CAST(DATE_TRUNC('week', buckets.bucket) AS DATE) AS day_week,
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
      GREATEST(CAST(DATE_TRUNC('month', units.bucket) AS DATE), CAST(DATE_TRUNC('week', units.bucket) AS DATE)) AS bucket
    FROM (
      SELECT
        CAST(DATE '2024-01-22' + ((i - 1) * INTERVAL '1' DAY) AS DATE) AS bucket
      FROM EXPLODE(SEQUENCE(1, 43)) AS numbers(i)
    ) AS units
  ) AS buckets ON facts.day_of_row >= LEAST(CAST(CAST(DATE_TRUNC('month', buckets.bucket) AS DATE) + INTERVAL 1 MONTH AS DATE), CAST(CAST(DATE_TRUNC('week', buckets.bucket) AS DATE) + INTERVAL 7 DAY AS DATE)) - INTERVAL 3 DAY
    AND facts.day_of_row < LEAST(CAST(CAST(DATE_TRUNC('month', buckets.bucket) AS DATE) + INTERVAL 1 MONTH AS DATE), CAST(CAST(DATE_TRUNC('week', buckets.bucket) AS DATE) + INTERVAL 7 DAY AS DATE))
  GROUP BY 1, 2
),
orders_2 AS (
  SELECT
    CAST(DATE_TRUNC('month', buckets.bucket) AS DATE) AS day_month,
    CAST(DATE_TRUNC('week', buckets.bucket) AS DATE) AS day_week,
    SUM(orders.amount) AS revenue
  FROM m.orders AS orders
  JOIN (
    SELECT DISTINCT
      GREATEST(CAST(DATE_TRUNC('month', units.bucket) AS DATE), CAST(DATE_TRUNC('week', units.bucket) AS DATE)) AS bucket
    FROM (
      SELECT
        CAST(DATE '2024-01-22' + ((i - 1) * INTERVAL '1' DAY) AS DATE) AS bucket
      FROM EXPLODE(SEQUENCE(1, 43)) AS numbers(i)
    ) AS units
  ) AS buckets ON GREATEST(CAST(DATE_TRUNC('month', CAST(orders.day + INTERVAL 1 MONTH AS TIMESTAMP_NTZ)) AS DATE), CAST(DATE_TRUNC('week', CAST(orders.day + INTERVAL 1 MONTH AS TIMESTAMP_NTZ)) AS DATE)) = buckets.bucket
  WHERE orders.day >= DATE '2023-12-22'
    AND orders.day < DATE '2024-02-14'
  GROUP BY 1, 2
)
SELECT
  parts.day_month AS `orders.day.month`,
  parts.day_week AS `orders.day.week`,
  MAX(parts.revenue_3d) AS `orders.revenue_3d`,
  MAX(parts.revenue) AS `orders.revenue_prev`
FROM (
  SELECT
    day_month AS day_month,
    day_week AS day_week,
    revenue_3d AS revenue_3d,
    CAST(NULL AS DECIMAL(38, 2)) AS revenue
  FROM orders
  UNION ALL
  SELECT
    day_month AS day_month,
    day_week AS day_week,
    CAST(NULL AS DECIMAL(38, 2)) AS revenue_3d,
    revenue AS revenue
  FROM orders_2
) AS parts
GROUP BY 1, 2
ORDER BY `orders.day.month` NULLS LAST, `orders.day.week` NULLS LAST
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
        CAST(bounds.first_bucket + ((i - 1) * INTERVAL '1' MONTH) AS DATE) AS bucket
      FROM (
        SELECT
          MIN(CAST(DATE_TRUNC('month', orders.day) AS DATE)) AS first_bucket,
          MAX(CAST(DATE_TRUNC('month', orders.day) AS DATE)) AS last_bucket
        FROM m.orders AS orders
      ) AS bounds
      CROSS JOIN LATERAL EXPLODE(SEQUENCE(1, (((YEAR(bounds.last_bucket) - YEAR(bounds.first_bucket)) * 12 + MONTH(bounds.last_bucket) - MONTH(bounds.first_bucket)) + 1))) AS numbers(i)
    ) AS periods
    WHERE periods.bucket <= DATE '2024-01-01' OR periods.bucket >= DATE '2024-03-01'
  ) AS buckets ON orders.day >= CAST(DATE_TRUNC('month', buckets.bucket) AS DATE)
    AND orders.day < buckets.bucket + INTERVAL 1 MONTH
  WHERE buckets.is_asked_1 OR orders.status = 'done'
  GROUP BY 1
)
SELECT
  parts.day_month AS `orders.day.month`,
  MAX(parts.revenue_mtd) AS `orders.revenue_mtd`
FROM (
  SELECT
    day_month AS day_month,
    revenue_mtd AS revenue_mtd
  FROM orders
) AS parts
GROUP BY 1
ORDER BY `orders.day.month` NULLS LAST
LIMIT 10000;

-- a shift of part of a month, in a zone
WITH orders AS (
  SELECT
    DATE_TRUNC('month', CONVERT_TIMEZONE('UTC', 'Europe/Berlin', orders.paid_at)) AS paid_at_month,
    SUM(orders.amount) AS revenue
  FROM m.orders AS orders
  WHERE orders.paid_at >= TIMESTAMP_NTZ '2023-12-31 23:00:00'
    AND orders.paid_at < TIMESTAMP_NTZ '2024-04-30 22:00:00'
  GROUP BY 1
),
orders_2 AS (
  SELECT
    buckets.bucket AS paid_at_month,
    SUM(orders.amount) AS revenue_2
  FROM m.orders AS orders
  JOIN (
    SELECT
      TIMESTAMP_NTZ '2024-01-01 00:00:00' + ((i - 1) * INTERVAL '1' MONTH) AS bucket
    FROM EXPLODE(SEQUENCE(1, 4)) AS numbers(i)
  ) AS buckets ON DATE_TRUNC('month', CAST((CONVERT_TIMEZONE('UTC', 'Europe/Berlin', orders.paid_at)) + INTERVAL 5 DAY AS TIMESTAMP_NTZ)) = buckets.bucket
  WHERE orders.paid_at >= TIMESTAMP_NTZ '2023-12-26 23:00:00'
    AND orders.paid_at < TIMESTAMP_NTZ '2024-04-25 22:00:00'
  GROUP BY 1
)
SELECT
  parts.paid_at_month AS `orders.paid_at.month`,
  MAX(parts.revenue) AS `orders.revenue`,
  MAX(parts.revenue_2) AS `orders.revenue_5d_ago`
FROM (
  SELECT
    paid_at_month AS paid_at_month,
    revenue AS revenue,
    CAST(NULL AS DECIMAL(38, 2)) AS revenue_2
  FROM orders
  UNION ALL
  SELECT
    paid_at_month AS paid_at_month,
    CAST(NULL AS DECIMAL(38, 2)) AS revenue,
    revenue_2 AS revenue_2
  FROM orders_2
) AS parts
GROUP BY 1
ORDER BY `orders.paid_at.month` NULLS LAST
LIMIT 10000;

-- windows over groups and filters on them
SELECT
  groups.status AS `orders.status`,
  1.0 * groups.count / NULLIF(groups.windowed, 0) AS `orders.share`,
  1.0 * groups.count / NULLIF(groups.windowed, 0) / NULLIF(groups.windowed_2, 0) AS `orders.share_of_best`
FROM (
  SELECT
    groups.status AS status,
    groups.count AS count,
    groups.revenue AS revenue,
    groups.windowed AS windowed,
    MAX(1.0 * groups.count / NULLIF(groups.windowed, 0)) OVER () AS windowed_2
  FROM (
    SELECT
      orders.status AS status,
      COUNT(*) AS count,
      SUM(orders.amount) AS revenue,
      SUM(COUNT(*)) OVER () AS windowed
    FROM m.orders AS orders
    GROUP BY 1
  ) AS groups
) AS groups
WHERE 1.0 * groups.count / NULLIF(groups.windowed, 0) > 0.2
  AND groups.revenue IS NOT NULL
ORDER BY `orders.share` DESC NULLS LAST, `orders.status` NULLS LAST
LIMIT 10000;

-- stocks
WITH balances AS (
  SELECT
    day_month AS day_month,
    SUM(input) FILTER (WHERE occurred_at = edge) AS closing
  FROM (
    SELECT
      day_month,
      occurred_at,
      input,
      MAX(occurred_at) OVER (PARTITION BY day_month, per) AS edge
    FROM (
      SELECT
        CAST(DATE_TRUNC('month', balances.day) AS DATE) AS day_month,
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
      AVG(mean) FILTER (WHERE occurred_at IS NOT NULL) AS mean
    FROM (
      SELECT
        CAST(DATE_TRUNC('month', balances.day) AS DATE) AS day_month,
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
  parts.day_month AS `balances.day.month`,
  MAX(parts.closing) AS `balances.closing`,
  MAX(parts.mean) AS `balances.mean`
FROM (
  SELECT
    day_month AS day_month,
    closing AS closing,
    CAST(NULL AS DOUBLE) AS mean
  FROM balances
  UNION ALL
  SELECT
    day_month AS day_month,
    CAST(NULL AS DECIMAL(38, 0)) AS closing,
    mean AS mean
  FROM balances_2
) AS parts
GROUP BY 1
ORDER BY `balances.day.month` NULLS LAST
LIMIT 10000;

-- a metric with a filter and a dimension
SELECT
  CAST(DATE_TRUNC('month', orders.day) AS DATE) AS `done_revenue.ts`,
  customers.region AS `done_revenue.region`,
  SUM(orders.amount) AS `done_revenue.measure`
FROM m.orders AS orders
LEFT JOIN m.customers AS customers ON orders.customer_id = customers.customer_id
WHERE orders.status = 'done'
GROUP BY 1, 2
ORDER BY `done_revenue.ts` NULLS LAST, `done_revenue.region` NULLS LAST
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
  orders.revenue / NULLIF(returns.count, 0) AS `revenue_per_return.measure`
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
      CAST(bounds.first_bucket + ((i - 1) * INTERVAL '1' MONTH) AS DATE) AS bucket
    FROM (
      SELECT
        MIN(CAST(DATE_TRUNC('month', orders.day) AS DATE)) AS first_bucket,
        MAX(CAST(DATE_TRUNC('month', orders.day) AS DATE)) AS last_bucket
      FROM m.orders AS orders
    ) AS bounds
    CROSS JOIN LATERAL EXPLODE(SEQUENCE(1, (((YEAR(bounds.last_bucket) - YEAR(bounds.first_bucket)) * 12 + MONTH(bounds.last_bucket) - MONTH(bounds.first_bucket)) + 1))) AS numbers(i)
  ) AS buckets ON facts.day_of_row < buckets.bucket + INTERVAL 1 MONTH
  GROUP BY 1
)
SELECT
  parts.ts_month AS `running_revenue.ts`,
  MAX(parts.revenue) AS `running_revenue.measure`
FROM (
  SELECT
    ts_month AS ts_month,
    revenue AS revenue
  FROM orders
) AS parts
GROUP BY 1
ORDER BY `running_revenue.ts` NULLS LAST
LIMIT 10000;

-- a conversion
WITH visits AS (
  SELECT
    ts_month AS ts_month,
    COUNT(*) FILTER (WHERE counted) AS visits_that_buy_base,
    COUNT(*) FILTER (WHERE counted AND has_converted) AS visits_that_buy_converted
  FROM (
    SELECT
      DATE_TRUNC('month', visits.seen_at) AS ts_month,
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
  parts.ts_month AS `visits_that_buy.ts`,
  COALESCE(MAX(parts.visits_that_buy_converted), 0) / NULLIF(COALESCE(MAX(parts.visits_that_buy_base), 0), 0) AS `visits_that_buy.measure`
FROM (
  SELECT
    ts_month AS ts_month,
    visits_that_buy_base AS visits_that_buy_base,
    visits_that_buy_converted AS visits_that_buy_converted
  FROM visits
) AS parts
GROUP BY 1
ORDER BY `visits_that_buy.ts` NULLS LAST
LIMIT 10000;

-- a policy: rows and a mask
SELECT
  customers.name AS `customers.name`,
  '***' AS `customers.email`,
  SUM(orders.amount) AS `orders.revenue`
FROM m.orders AS orders
LEFT JOIN (
  SELECT
    *
  FROM m.customers AS customers
  WHERE customers.region = 'EU'
) AS customers ON orders.customer_id = customers.customer_id
GROUP BY 1, 2
ORDER BY `orders.revenue` DESC NULLS LAST, `customers.name` NULLS LAST, `customers.email` NULLS LAST
LIMIT 10000;

-- dimensions alone
SELECT
  customers.region AS `customers.region`,
  orders.status AS `orders.status`
FROM m.orders AS orders
LEFT JOIN m.customers AS customers ON orders.customer_id = customers.customer_id
GROUP BY 1, 2
ORDER BY `customers.region` NULLS LAST, `orders.status` NULLS LAST
LIMIT 10000;

-- ungrouped
SELECT
  orders.order_id AS `orders.order_id`,
  customers.name AS `customers.name`,
  orders.amount AS `orders.revenue`,
  CASE WHEN orders.status = 'done' THEN 1 ELSE 0 END AS `orders.done`
FROM m.orders AS orders
LEFT JOIN m.customers AS customers ON orders.customer_id = customers.customer_id
ORDER BY `orders.revenue` DESC NULLS LAST, `orders.order_id` NULLS LAST, `customers.name` NULLS LAST
LIMIT 10000;

-- two ranges compared
SELECT
  ranges.`compareDateRange` AS `compareDateRange`,
  ranges.`orders.day.month` AS `orders.day.month`,
  ranges.`orders.revenue` AS `orders.revenue`
FROM (
  SELECT
    0 AS range_number,
    '2024-01-01 - 2024-01-31' AS `compareDateRange`,
    answer.`orders.day.month` AS `orders.day.month`,
    answer.`orders.revenue` AS `orders.revenue`
  FROM (
    SELECT
      CAST(DATE_TRUNC('month', orders.day) AS DATE) AS `orders.day.month`,
      SUM(orders.amount) AS `orders.revenue`
    FROM m.orders AS orders
    WHERE orders.day >= DATE '2024-01-01'
      AND orders.day < DATE '2024-02-01'
    GROUP BY 1
    ORDER BY `orders.day.month` NULLS LAST
    LIMIT 10000
  ) AS answer
  UNION ALL
  SELECT
    1 AS range_number,
    '2024-02-01 - 2024-02-29' AS `compareDateRange`,
    answer.`orders.day.month` AS `orders.day.month`,
    answer.`orders.revenue` AS `orders.revenue`
  FROM (
    SELECT
      CAST(DATE_TRUNC('month', orders.day) AS DATE) AS `orders.day.month`,
      SUM(orders.amount) AS `orders.revenue`
    FROM m.orders AS orders
    WHERE orders.day >= DATE '2024-02-01'
      AND orders.day < DATE '2024-03-01'
    GROUP BY 1
    ORDER BY `orders.day.month` NULLS LAST
    LIMIT 10000
  ) AS answer
) AS ranges
ORDER BY ranges.range_number NULLS LAST, ranges.`orders.day.month` NULLS LAST;
