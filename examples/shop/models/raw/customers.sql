MODEL (
  name raw.customers,
  kind VIEW,
  grain (customer_id, updated_at),
  tags (raw, pii),
  description 'Change feed of customers: a row at sign-up and one for each later change',
  column_descriptions (
    marketing_consent = 'May we write to this customer',
    signed_up_at = 'UTC; the same in every row of a customer',
    updated_at = 'UTC; when this state became true'
  ),
  column_tags (first_name = (pii), last_name = (pii), email = (pii))
);

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
);
