WITH bought AS (
  SELECT
    orders.customer_id,
    MIN(orders.order_date) AS first_order_date,
    MAX(orders.order_date) AS last_order_date,
    COUNT(*) AS orders,
    SUM(payments.charged_amount - payments.refunded_amount) AS revenue
  FROM staging.orders AS orders
  INNER JOIN (SELECT
  order_id,
  SUM(CASE WHEN payment_type = 'charge' THEN amount ELSE 0 END) AS charged_amount,
  SUM(CASE WHEN payment_type = 'refund' THEN -amount ELSE 0 END) AS refunded_amount,
  COUNT(*) AS payment_count
FROM raw.payments
GROUP BY order_id) AS payments ON payments.order_id = orders.order_id
  GROUP BY orders.customer_id
),
latest AS (
  SELECT
    MAX(order_date) AS order_date
  FROM staging.orders
)
SELECT
  customers.customer_id,
  customers.first_name,
  customers.last_name,
  customers.email,
  customers.country,
  customers.region,
  customers.marketing_consent,
  CAST(customers.signed_up_at AS DATE) AS signed_up_on,
  bought.first_order_date,
  bought.last_order_date,
  COALESCE(bought.orders, 0) AS orders,
  COALESCE(bought.revenue, 0) AS revenue,
  CASE
    WHEN bought.customer_id IS NULL THEN 'prospect'
    WHEN bought.revenue >= 1500 THEN 'vip'
    WHEN bought.last_order_date > latest.order_date - 180 THEN 'active'
    ELSE 'lapsed'
  END AS segment
FROM staging.customers AS customers
CROSS JOIN latest
LEFT JOIN bought ON bought.customer_id = customers.customer_id
