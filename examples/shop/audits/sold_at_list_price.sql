AUDIT (
  name sold_at_list_price,
  blocking FALSE
);

/* Not blocking: a price that the till typed in by hand is worth a look, not worth a day without numbers. */
SELECT
  *
FROM @this_model
WHERE
  list_price IS NULL
  OR unit_price <> list_price;
