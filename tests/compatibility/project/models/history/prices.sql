MODEL (
  name bakery.price_history,
  kind SCD_TYPE_2_BY_COLUMN (
    unique_key [shop_id, bread],
    columns [price],
    valid_from_name price_from,
    valid_to_name price_to,
    execution_time_as_valid_from true,
    invalidate_hard_deletes true,
    time_data_type TIMESTAMP
  ),
);

SELECT shop_id, bread, price FROM bakery.latest_price
