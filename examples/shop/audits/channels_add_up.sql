AUDIT (
  name channels_add_up
);

/* A new channel would be missing in the columns of marts.daily_sales; then the parts no longer make the whole. */
SELECT
  *
FROM @this_model
WHERE revenue <> revenue_online + revenue_store + revenue_phone;
