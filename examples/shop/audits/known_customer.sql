AUDIT (
  name known_customer
);

SELECT
  *
FROM @this_model
WHERE NOT customer_id IN (SELECT customer_id FROM staging.customers);
