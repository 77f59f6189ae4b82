SELECT
  order_id,
  customer_id,
  store_id,
  ordered_at,
  channel,
  device,
  status,
  promotion_code,
  loaded_at
FROM READ_CSV(
  'data/orders.csv',
  header = TRUE,
  auto_detect = FALSE,
  columns = {
    'order_id': 'BIGINT',
    'customer_id': 'BIGINT',
    'store_id': 'INTEGER',
    'ordered_at': 'TIMESTAMP',
    'channel': 'VARCHAR',
    'device': 'VARCHAR',
    'status': 'VARCHAR',
    'promotion_code': 'VARCHAR',
    'loaded_at': 'TIMESTAMP'
  }
)
