MODEL (
  name bakery.shops,
  kind SEED (
    path '../../seeds/shops.csv',
    batch_size 100,
    csv_settings (delimiter = ';', quotechar = '"', skipinitialspace = true)
  ),
  columns (
    shop_id INT,
    shop_name TEXT COMMENT 'as the sign says',
    opened_on DATE
  ),
  grain shop_id,
  description 'The shops of the bakery'
);
