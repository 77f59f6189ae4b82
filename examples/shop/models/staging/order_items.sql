MODEL (
  name staging.order_items,
  kind VIEW,
  grain (order_id, line_number),
  tags (silver, fact),
  description 'Order lines with their amounts',
  column_descriptions (
    gross_amount = 'Quantity times price, before the discount',
    net_amount = 'What the customer pays for the line'
  ),
  audits (
    not_null(columns := (order_id, product_id, quantity, unit_price)),
    accepted_range(column := quantity, min_v := 1),
    no_negative_amount(amount := net_amount)
  )
);

SELECT
  order_id,
  line_number,
  product_id,
  quantity,
  unit_price,
  discount,
  CAST(quantity * unit_price AS DECIMAL(12, 2)) AS gross_amount,
  CAST(quantity * unit_price - discount AS DECIMAL(12, 2)) AS net_amount
FROM raw.order_items;
