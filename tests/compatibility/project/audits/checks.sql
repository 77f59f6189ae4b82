AUDIT (
  name no_huge_sales,
  dialect duckdb,
  defaults (most = 500, col = pieces),
  blocking false,
);
SELECT * FROM @this_model WHERE @col > @most;

AUDIT (name every_shop_sells, standalone true, owner mira, cron '@weekly', depends_on [bakery.shops]);
SELECT shop_id
FROM bakery.shops
WHERE shop_id NOT IN (SELECT shop_id FROM bakery.sales);

AUDIT (name quiet_audit, skip true);
JINJA_QUERY_BEGIN;
SELECT * FROM {{ this_model }} WHERE {{ col | default('pieces') }} < 0
JINJA_END;
