MODEL (
  name marts.customers,
  kind FULL,
  grain customer_id,
  tags (gold, dimension, pii),
  description 'Customers with what they bought and the segment they belong to',
  column_descriptions (
    email = 'Masked for everyone but admins, see models/semantics/customers.yml',
    first_order_date = 'Empty for a customer who never ordered',
    revenue = 'Over the whole time, after refunds',
    segment = 'vip, active, lapsed or prospect'
  ),
  column_tags (first_name = (pii), last_name = (pii), email = (pii)),
  audits (
    unique_values(columns := (customer_id)),
    not_null(columns := (customer_id, region, segment)),
    accepted_values(column := segment, is_in := ('vip', 'active', 'lapsed', 'prospect'))
  )
);

@DEF(active_days, 180);

WITH bought AS (
  SELECT
    orders.customer_id,
    MIN(orders.order_date) AS first_order_date,
    MAX(orders.order_date) AS last_order_date,
    COUNT(*) AS orders,
    SUM(payments.charged_amount - payments.refunded_amount) AS revenue
  FROM staging.orders AS orders
  INNER JOIN staging.order_payments AS payments ON payments.order_id = orders.order_id
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
    WHEN bought.revenue >= @VAR('vip_revenue', 1500) THEN 'vip'
    WHEN bought.last_order_date > latest.order_date - @active_days THEN 'active'
    ELSE 'lapsed'
  END AS segment
FROM staging.customers AS customers
CROSS JOIN latest
LEFT JOIN bought ON bought.customer_id = customers.customer_id;
