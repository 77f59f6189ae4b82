MODEL (
  name bakery.operators,
  kind FULL,
  start @first_day,
  owner @IF(@rush_hour > 5, 'early_bird', 'late_riser'),
  signals (oven_is_hot(degrees := 180)),
  grants (select_ = ['readers']),
  grants_target_layer 'virtual',
  references [shop_id],
  tags ['operators'],
);

WITH pivoted AS (
  SELECT shop_id, @PIVOT(bread, ['rye', 'roll'])
  FROM bakery.sales
  GROUP BY shop_id
), first_sale AS (
  @DEDUPLICATE(bakery.sales, [shop_id], ['sold_on ASC'])
)
SELECT
  p.shop_id,
  p.rye,
  f.bread::TEXT,
  CASE WHEN p.shop_id IN (@FILTER([1, 2, 3], n -> n > 1)) THEN 1 ELSE 0 END AS is_late,
  @SAFE_SUB(p.rye, p.roll) AS difference,
  @HAVERSINE_DISTANCE(52.5, 13.4, 48.1, 11.6, 'km') AS distance_km,
  @RESOLVE_TEMPLATE('@{schema_name}/@{table_name}') AS place,
  @EACH([rye, roll], b -> p.@b AS @{b}_again),
  "@{region}_column" AS kept_name
FROM pivoted AS p
JOIN first_sale AS f ON f.shop_id = p.shop_id
CROSS JOIN (SELECT 1 AS north_column)
@WHERE(@rush_hour > 5) p.shop_id > 0
@GROUP_BY(@with_returns) p.shop_id
@HAVING(FALSE) COUNT(*) > 1
@ORDER_BY(TRUE) p.shop_id
@LIMIT(TRUE) 10
