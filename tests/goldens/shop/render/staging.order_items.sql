SELECT
  order_id,
  line_number,
  product_id,
  quantity,
  unit_price,
  discount,
  CAST(quantity * unit_price AS DECIMAL(12, 2)) AS gross_amount,
  CAST(quantity * unit_price - discount AS DECIMAL(12, 2)) AS net_amount
FROM raw.order_items
