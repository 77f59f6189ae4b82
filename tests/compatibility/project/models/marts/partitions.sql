MODEL (
  name bakery.partitions,
  kind INCREMENTAL_BY_PARTITION (disable_restatement true),
  partitioned_by (shop_id, DATE_TRUNC('month', sold_on)),
);

SELECT shop_id, sold_on, COUNT(*) AS tickets FROM bakery.tickets GROUP BY shop_id, sold_on
