SELECT
  order_id,
  customer_id,
  store_id,
  CAST(ordered_at AS DATE) AS order_date,
  ordered_at,
  channel,
  device,
  status,
  promotion_code,
  loaded_at
FROM raw.orders
WHERE
  ordered_at >= CAST('2025-03-01 00:00:00' AS TIMESTAMP)
  AND ordered_at < CAST('2025-03-02 00:00:00' AS TIMESTAMP)
  AND loaded_at <= '2025-03-03 12:00:00'
