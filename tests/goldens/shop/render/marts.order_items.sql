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
  orders.order_date BETWEEN '2025-03-01' AND '2025-03-01'
  AND orders.status <> 'cancelled'
