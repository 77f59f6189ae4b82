MODEL (
  name raw.order_items,
  kind VIEW,
  grain (order_id, line_number),
  tags (raw, fact),
  description 'Lines of the orders',
  column_descriptions (
    unit_price = 'Price of one piece on the day of the order',
    discount = 'Taken off the whole line'
  )
);

SELECT
  order_id,
  line_number,
  product_id,
  quantity,
  unit_price,
  discount
FROM READ_CSV(
  'data/order_items.csv',
  header = TRUE,
  auto_detect = FALSE,
  columns = {
    'order_id': 'BIGINT',
    'line_number': 'INTEGER',
    'product_id': 'INTEGER',
    'quantity': 'INTEGER',
    'unit_price': 'DECIMAL(12, 2)',
    'discount': 'DECIMAL(12, 2)'
  }
);
