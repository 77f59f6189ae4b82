SELECT
  orders.order_date,
  orders.store_id,
  promotions.promotion_name,
  COUNT(*) AS orders,
  COUNT(DISTINCT orders.customer_id) AS customers,
  SUM(orders.revenue) AS revenue,
  SUM(CASE WHEN orders.channel = 'online' THEN orders.revenue ELSE 0 END) AS revenue_online, SUM(CASE WHEN orders.channel = 'store' THEN orders.revenue ELSE 0 END) AS revenue_store, SUM(CASE WHEN orders.channel = 'phone' THEN orders.revenue ELSE 0 END) AS revenue_phone,
  SUM(CASE WHEN orders.channel IN ('online', 'store', 'phone') THEN 0 ELSE orders.revenue END) AS revenue_other
FROM marts.orders AS orders
LEFT JOIN raw.promotions AS promotions
  ON orders.order_date BETWEEN promotions.starts_on AND promotions.ends_on
WHERE
  orders.order_date BETWEEN '2025-03-01' AND '2025-03-01'
  AND orders.status <> 'cancelled'
GROUP BY orders.order_date, orders.store_id, promotions.promotion_name
