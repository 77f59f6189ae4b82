SELECT
  store_id,
  store_name,
  city,
  country,
  region,
  opened_on,
  opened_on > CAST('2023-01-01' AS DATE) AS is_new
FROM raw.stores
