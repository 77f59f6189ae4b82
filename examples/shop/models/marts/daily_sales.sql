MODEL (
  name marts.daily_sales,
  kind INCREMENTAL_BY_TIME_RANGE (time_column order_date, lookback 21),
  grain (order_date, store_id),
  tags (gold, aggregate),
  description 'Orders and revenue per day and store, with a column for each channel and one for all others',
  column_descriptions (
    order_date = 'UTC day of the order',
    orders = 'Without cancelled orders unless the variable include_cancelled is true',
    promotion_name = 'Promotion of the day, if there was one',
    revenue = 'Charged less refunded'
  ),
  audits (
    unique_combination_of_columns(columns := (order_date, store_id)),
    no_negative_amount(amount := revenue),
    channels_add_up
  )
);

SELECT
  orders.order_date,
  orders.store_id,
  promotions.promotion_name,
  COUNT(*) AS orders,
  COUNT(DISTINCT orders.customer_id) AS customers,
  SUM(orders.revenue) AS revenue,
  @EACH(
    ['online', 'store', 'phone'],
    c -> SUM(CASE WHEN orders.channel = @c THEN orders.revenue ELSE 0 END) AS revenue_@{c}
  ),
  SUM(CASE WHEN orders.channel IN ('online', 'store', 'phone') THEN 0 ELSE orders.revenue END) AS revenue_other
FROM marts.orders AS orders
LEFT JOIN raw.promotions AS promotions
  ON orders.order_date BETWEEN promotions.starts_on AND promotions.ends_on
WHERE
  orders.order_date BETWEEN @start_ds AND @end_ds
  AND @IF(@include_cancelled, TRUE, orders.status <> 'cancelled')
GROUP BY orders.order_date, orders.store_id, promotions.promotion_name;
