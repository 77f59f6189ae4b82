MODEL (
  name bakery.@{size}_orders,
  kind FULL,
  blueprints (
    (size := small, least := 1, note := 'few'),
    (size := large, least := 20, note := 'many'),
  ),
  description "Orders of one size",
  tags @size,
);

SELECT
  shop_id,
  @least + 0 AS least,
  @note AS note,
  @BLUEPRINT_VAR('missing', 'nothing') AS missing,
  '@{size}' AS kept,
  @'size is @{size}' AS label,
  SUM(pieces) AS @{size}_pieces
FROM bakery.sales
GROUP BY ALL
HAVING SUM(pieces) >= @least
