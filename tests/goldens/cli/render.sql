SELECT day, SUM(amount) AS revenue, COUNT(*) AS orders
FROM (SELECT
  order_id, -- what it is known by
  amount,
  CAST(ordered_at AS DATE) AS day
FROM raw.orders) AS orders
WHERE day BETWEEN '2025-06-14' AND '2025-06-14'
GROUP BY day
