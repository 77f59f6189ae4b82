SELECT
  customer_id,
  first_name,
  last_name,
  LOWER(email) AS email,
  country,
  region,
  marketing_consent,
  signed_up_at,
  updated_at
FROM raw.customers
WHERE
  updated_at >= CAST('2025-03-01 00:00:00' AS TIMESTAMP)
  AND updated_at < CAST('2025-03-02 00:00:00' AS TIMESTAMP)
QUALIFY ROW_NUMBER() OVER (PARTITION BY customer_id ORDER BY updated_at DESC) = 1
