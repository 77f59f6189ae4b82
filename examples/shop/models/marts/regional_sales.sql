MODEL (
  name marts.@{region}_sales,
  kind FULL,
  cron '@monthly',
  blueprints ((region := eu, region_code := 'EU'), (region := us, region_code := 'US')),
  grain (month, category),
  tags (gold, aggregate),
  description 'Sales of one region per month and category; this file makes two models, marts.eu_sales and marts.us_sales',
  column_descriptions (
    month = 'First day of the month',
    margin_amount = 'Net amount less cost; returned orders are counted'
  ),
  audits (
    unique_combination_of_columns(columns := (month, category)),
    not_null(columns := (month, category, net_amount))
  )
);

SELECT
  CAST(DATE_TRUNC('month', items.order_date) AS DATE) AS month,
  products.category,
  COUNT(DISTINCT items.order_id) AS orders,
  CAST(SUM(items.quantity) AS BIGINT) AS pieces,
  SUM(items.net_amount) AS net_amount,
  SUM(items.margin_amount) AS margin_amount
FROM marts.order_items AS items
INNER JOIN raw.products AS products ON products.product_id = items.product_id
WHERE items.region = @region_code
GROUP BY CAST(DATE_TRUNC('month', items.order_date) AS DATE), products.category;
