MODEL (
  name raw.product_prices,
  kind VIEW,
  grain (listed_on, product_id),
  tags (raw, dimension),
  description 'The whole price list on the first of every month, whether or not a price changed',
  column_descriptions (listed_on = 'Day from which the list is valid', price = 'Price of one piece')
);

SELECT
  listed_on,
  product_id,
  price
FROM READ_CSV(
  'data/product_prices.csv',
  header = TRUE,
  auto_detect = FALSE,
  columns = {'listed_on': 'DATE', 'product_id': 'INTEGER', 'price': 'DECIMAL(12, 2)'}
);
