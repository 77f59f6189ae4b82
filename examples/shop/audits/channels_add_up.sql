AUDIT (
  name channels_add_up
);

/* The parts make the whole, whatever channels there are. */
SELECT
  *
FROM @this_model
WHERE revenue <> revenue_online + revenue_store + revenue_phone + revenue_other;
