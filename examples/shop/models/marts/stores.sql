MODEL (
  name marts.stores,
  kind VIEW,
  grain store_id,
  tags (gold, dimension),
  description 'Branches, and whether they were there from the beginning',
  column_descriptions (
    opened_on = 'First day of business',
    is_new = 'Opened after the first day of the data, so a comparison with earlier years is unfair'
  ),
  audits (not_null(columns := (store_id, region)))
);

SELECT
  store_id,
  store_name,
  city,
  country,
  region,
  opened_on,
  opened_on > CAST('2023-01-01' AS DATE) AS is_new
FROM raw.stores;
