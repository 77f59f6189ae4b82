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
)
