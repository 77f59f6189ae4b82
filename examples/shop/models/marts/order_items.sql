MODEL (
  name marts.order_items,
  kind INCREMENTAL_BY_TIME_RANGE (time_column order_date, lookback 3, batch_size 366),
  grain (order_id, line_number),
  tags (gold, fact),
  description 'Lines of all orders that were not cancelled, with list price and margin',
  column_descriptions (
    region = 'Region of the store; row policies are written on it',
    list_price = 'Price of the list that was valid on the day of the order',
    cost_amount = 'Quantity times what a piece costs us',
    margin_amount = 'Net amount less cost'
  ),
  audits (
    unique_combination_of_columns(columns := (order_id, line_number)),
    not_null(columns := (order_id, order_date, region, product_id, net_amount)),
    sold_at_list_price
  )
);

SELECT
  items.order_id,
  items.line_number,
  orders.order_date,
  stores.region,
  items.product_id,
  items.quantity,
  items.unit_price,
  prices.price AS list_price,
  items.discount,
  items.net_amount,
  CAST(items.quantity * products.unit_cost AS DECIMAL(12, 2)) AS cost_amount,
  CAST(items.net_amount - items.quantity * products.unit_cost AS DECIMAL(12, 2)) AS margin_amount
FROM staging.order_items AS items
INNER JOIN staging.orders AS orders ON orders.order_id = items.order_id
INNER JOIN raw.stores AS stores ON stores.store_id = orders.store_id
INNER JOIN raw.products AS products ON products.product_id = items.product_id
LEFT JOIN staging.product_prices AS prices
  ON prices.product_id = items.product_id
  AND orders.order_date >= prices.valid_from
  AND (orders.order_date < prices.valid_to OR prices.valid_to IS NULL)
WHERE
  orders.order_date BETWEEN @start_ds AND @end_ds
  AND orders.status <> 'cancelled';
