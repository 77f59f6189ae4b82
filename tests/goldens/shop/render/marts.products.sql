SELECT
  products.product_id,
  products.sku,
  products.product_name,
  products.category,
  products.unit_cost,
  MAX(CASE WHEN prices.valid_to IS NULL THEN prices.price END) AS price,
  COUNT(*) - 1 AS price_changes
FROM raw.products AS products
INNER JOIN staging.product_prices AS prices ON prices.product_id = products.product_id
GROUP BY
  products.product_id,
  products.sku,
  products.product_name,
  products.category,
  products.unit_cost
