MODEL (
  name bakery.latest_price,
  kind INCREMENTAL_BY_UNIQUE_KEY (
    unique_key (shop_id, COALESCE(bread, '')),
    when_matched (
      WHEN MATCHED AND source.price IS NULL THEN DELETE
      WHEN MATCHED THEN UPDATE SET target.price = source.price, target.sold_at = COALESCE(source.sold_at, target.sold_at)
    ),
    merge_filter source.sold_at > target.sold_at,
    lookback 1
  ),
  depends_on [bakery.breads],
);

SELECT shop_id, bread, price, sold_at
FROM bakery.tickets
WHERE sold_at >= @start_ts::TIMESTAMP AND sold_at < @end_ts::TIMESTAMP
QUALIFY ROW_NUMBER() OVER (PARTITION BY shop_id, bread ORDER BY sold_at DESC) = 1
