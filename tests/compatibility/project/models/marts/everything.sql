MODEL (name bakery.everything, kind FULL, cron '@monthly', depends_on (bakery.small_orders));

CREATE TEMP TABLE IF NOT EXISTS scratch AS SELECT @EVAL(1 + 2) AS three;

WITH shops AS (
  SELECT @STAR(bakery.shops, s, exclude := [opened_on]), s.opened_on
  FROM bakery.shops AS s
), numbered AS (
  SELECT *, @GENERATE_SURROGATE_KEY(shop_id, shop_name) AS shop_key
  FROM shops
)
SELECT
  n.shop_key,
  n.shop_id,
  n.shop_name::TEXT,
  l.large_pieces,
  o.small_pieces::INT,
  @REDUCE([1, 2, 3], (a, b) -> a + b) AS six,
  @SQL('n.opened_on') AS opened_on,
  @execution_ds AS made_on,
  @gateway AS gateway,
  @VAR('oven') AS oven,
  @SAFE_ADD(l.large_pieces, o.small_pieces) AS pieces
FROM numbered AS n
LEFT JOIN bakery.large_orders AS l USING (shop_id)
LEFT JOIN bakery.small_orders AS o ON o.shop_id = n.shop_id
LEFT JOIN staging.no_header_name AS e ON e.shop_id = n.shop_id
WHERE @OR(l.large_pieces > 0, o.small_pieces > 0)
ORDER BY 1
LIMIT 100;

DROP TABLE IF EXISTS scratch;
