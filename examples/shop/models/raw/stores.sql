MODEL (
  name raw.stores,
  kind SEED (path '../../seeds/stores.csv'),
  columns (store_id INTEGER, store_name TEXT, city TEXT, country TEXT, region TEXT, opened_on DATE),
  grain store_id,
  tags (raw, dimension),
  description 'Branches; one of them opens in July 2024',
  column_descriptions (
    store_id = 'Number of the branch',
    country = 'Two-letter country code',
    region = 'EU or US; row policies are written on it',
    opened_on = 'First day of business'
  ),
  audits (
    unique_values(columns := (store_id)),
    not_null(columns := (store_id, region, opened_on)),
    accepted_values(column := region, is_in := ('EU', 'US'))
  )
);
