MODEL (
  name raw.promotions,
  kind SEED (path '../../seeds/promotions.csv'),
  columns (
    promotion_code TEXT,
    promotion_name TEXT,
    starts_on DATE,
    ends_on DATE,
    discount_percent INTEGER
  ),
  grain promotion_code,
  tags (raw, dimension),
  description 'Promotions; the Black week of 2024 is the spike in every chart',
  column_descriptions (
    starts_on = 'First day, included',
    ends_on = 'Last day, included',
    discount_percent = 'Taken off each line of an order with the code'
  ),
  audits (
    unique_values(columns := (promotion_code)),
    accepted_range(column := discount_percent, min_v := 0, max_v := 100)
  )
);
