SELECT
  customer_id,
  first_name,
  last_name,
  email,
  country,
  region,
  marketing_consent,
  signed_up_at,
  updated_at
FROM READ_CSV(
  'data/customers.csv',
  header = TRUE,
  auto_detect = FALSE,
  columns = {
    'customer_id': 'BIGINT',
    'first_name': 'VARCHAR',
    'last_name': 'VARCHAR',
    'email': 'VARCHAR',
    'country': 'VARCHAR',
    'region': 'VARCHAR',
    'marketing_consent': 'BOOLEAN',
    'signed_up_at': 'TIMESTAMP',
    'updated_at': 'TIMESTAMP'
  }
)
