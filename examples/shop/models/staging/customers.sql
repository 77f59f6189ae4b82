MODEL (
  name staging.customers,
  kind INCREMENTAL_BY_UNIQUE_KEY (unique_key customer_id),
  start '2022-01-01',
  grain customer_id,
  tags (silver, dimension, pii),
  description 'The latest state of each customer: changes are merged by customer_id',
  column_descriptions (
    email = 'Lower case; about one customer in seventy gave none',
    updated_at = 'UTC; when the latest change was made'
  ),
  column_tags (first_name = (pii), last_name = (pii), email = (pii)),
  audits (
    not_null(columns := (customer_id, region, signed_up_at)),
    unique_values(columns := (customer_id))
  )
);

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
  updated_at >= @start_at
  AND updated_at < @end_before
QUALIFY ROW_NUMBER() OVER (PARTITION BY customer_id ORDER BY updated_at DESC) = 1;
