SELECT
  listed_on,
  product_id,
  price
FROM READ_CSV(
  'data/product_prices.csv',
  header = TRUE,
  auto_detect = FALSE,
  columns = {'listed_on': 'DATE', 'product_id': 'INTEGER', 'price': 'DECIMAL(12, 2)'}
)
