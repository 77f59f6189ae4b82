SELECT
  product_id,
  price,
  listed_on
FROM raw.product_prices
WHERE listed_on BETWEEN '2025-03-01' AND '2025-03-01'
