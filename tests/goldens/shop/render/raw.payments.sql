SELECT
  payment_id,
  order_id,
  paid_at,
  payment_type,
  method,
  amount
FROM READ_CSV(
  'data/payments.csv',
  header = TRUE,
  auto_detect = FALSE,
  columns = {
    'payment_id': 'BIGINT',
    'order_id': 'BIGINT',
    'paid_at': 'TIMESTAMP',
    'payment_type': 'VARCHAR',
    'method': 'VARCHAR',
    'amount': 'DECIMAL(12, 2)'
  }
)
