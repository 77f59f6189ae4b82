MODEL (
  name marts.orders,
  kind INCREMENTAL_BY_TIME_RANGE (time_column order_date, lookback 21, batch_size 366),
  grain order_id,
  tags (gold, fact),
  description 'One row per order with its amounts and what was paid; the main table of the product',
  column_descriptions (
    order_date = 'UTC day of the order',
    region = 'Region of the store; row policies are written on it',
    items = 'Lines of the order',
    net_amount = 'What the customer owes: all lines less discounts',
    revenue = 'What we keep: charged less refunded; 0 for cancelled and returned orders'
  ),
  audits (
    unique_values(columns := (order_id)),
    not_null(columns := (order_id, order_date, store_id, region, net_amount)),
    no_negative_amount(amount := revenue),
    known_customer,
    paid_in_full
  )
);

/* lookback 21: a refund comes up to three weeks after its order. */
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
LEFT JOIN staging.order_payments AS payments ON payments.order_id = orders.order_id
WHERE orders.order_date BETWEEN @start_ds AND @end_ds;
