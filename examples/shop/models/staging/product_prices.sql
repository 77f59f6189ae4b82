MODEL (
  name staging.product_prices,
  kind SCD_TYPE_2_BY_COLUMN (
    unique_key product_id,
    columns[price],
    updated_at_name listed_on,
    batch_size 28
  ),
  grain (product_id, valid_from),
  tags (silver, dimension),
  description 'History of prices: one row for as long as a price holds, made from the monthly lists',
  column_descriptions (listed_on = 'The list in which the price appeared first'),
  audits (not_null(columns := (product_id, price)), accepted_range(column := price, min_v := 0))
);

/* batch_size 28: so many days hold at most one list, and the lists are read one after the other;
   three years of history come out of the first plan. */
SELECT
  product_id,
  price,
  listed_on
FROM raw.product_prices
WHERE listed_on BETWEEN @start_ds AND @end_ds;
