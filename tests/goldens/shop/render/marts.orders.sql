WITH lines AS (
  SELECT
    order_id,
    COUNT(*) AS items,
    CAST(SUM(quantity) AS BIGINT) AS pieces,
    SUM(gross_amount) AS gross_amount,
    SUM(discount) AS discount_amount,
    SUM(net_amount) AS net_amount
  FROM staging.order_items
  GROUP BY order_id
)
SELECT
  orders.order_id,
  orders.order_date,
  orders.ordered_at,
  orders.customer_id,
  orders.store_id,
  stores.region,
  orders.channel,
  orders.device,
  orders.status,
  orders.promotion_code,
  lines.items,
  lines.pieces,
  lines.gross_amount,
  lines.discount_amount,
  lines.net_amount,
  COALESCE(payments.charged_amount, 0) AS charged_amount,
  COALESCE(payments.refunded_amount, 0) AS refunded_amount,
  COALESCE(payments.charged_amount - payments.refunded_amount, 0) AS revenue
FROM staging.orders AS orders
INNER JOIN raw.stores AS stores ON stores.store_id = orders.store_id
INNER JOIN lines ON lines.order_id = orders.order_id
LEFT JOIN (SELECT
  order_id,
  SUM(CASE WHEN payment_type = 'charge' THEN amount ELSE 0 END) AS charged_amount,
  SUM(CASE WHEN payment_type = 'refund' THEN -amount ELSE 0 END) AS refunded_amount,
  COUNT(*) AS payment_count
FROM raw.payments
GROUP BY order_id) AS payments ON payments.order_id = orders.order_id
WHERE orders.order_date BETWEEN '2025-03-01' AND '2025-03-01'
