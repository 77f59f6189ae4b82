SELECT
  CAST(DATE_TRUNC('month', items.order_date) AS DATE) AS month,
  products.category,
  COUNT(DISTINCT items.order_id) AS orders,
  CAST(SUM(items.quantity) AS BIGINT) AS pieces,
  SUM(items.net_amount) AS net_amount,
  SUM(items.margin_amount) AS margin_amount
FROM marts.order_items AS items
INNER JOIN raw.products AS products ON products.product_id = items.product_id
WHERE items.region = 'EU'
GROUP BY CAST(DATE_TRUNC('month', items.order_date) AS DATE), products.category
