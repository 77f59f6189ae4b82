MODEL (
  name marts.products,
  kind FULL,
  grain product_id,
  tags (gold, dimension),
  description 'Articles with their present price and the number of times it changed',
  column_descriptions (
    price = 'Price of the latest list',
    price_changes = '0 for an article that always cost the same'
  ),
  audits (
    unique_values(columns := (product_id)),
    not_null(columns := (product_id, price)),
    number_of_rows(threshold := 39)
  )
);

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
  products.unit_cost;
