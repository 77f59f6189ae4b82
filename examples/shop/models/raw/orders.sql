MODEL (
  name raw.orders,
  kind VIEW,
  grain order_id,
  tags (raw, fact),
  description 'Orders as the till and the web shop deliver them, errors included',
  column_descriptions (
    ordered_at = 'UTC',
    channel = 'online, store or phone; three rows are wrong',
    device = 'What the order was placed with; empty in one week of 2024',
    status = 'completed, returned or cancelled',
    promotion_code = 'Empty without a promotion',
    loaded_at = 'When the source delivered the row; one day of 2025 came three days late'
  )
);

/* auto_detect: the types are known, and guessing the format of a file costs DuckDB a tenth of a second each time it is read. */
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
);
