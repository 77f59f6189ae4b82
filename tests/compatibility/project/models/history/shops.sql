MODEL (
  name bakery.shop_history,
  kind SCD_TYPE_2 (unique_key shop_id, updated_at_name changed_at, updated_at_as_valid_from true, disable_restatement true),
);

SELECT shop_id::INT, shop_name, opened_on::TIMESTAMP AS changed_at FROM bakery.shops
