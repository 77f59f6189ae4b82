model (
  NAME bakery.sales,
  Kind incremental_by_time_range (
    time_column (sold_on, '%Y-%m-%d'),
    batch_size 30,
    batch_concurrency 2,
    lookback 3,
    forward_only true,
    on_destructive_change warn,
    on_additive_change allow,
    disable_restatement false,
    auto_restatement_cron '@weekly',
    auto_restatement_intervals 7,
    partition_by_time_column true
  ),
  start '2024-02-01',
  end '2034-12-31',
  cron '15 2 * * *',
  cron_tz 'Europe/Berlin',
  interval_unit 'day',
  grains [(sold_on, shop_id, bread)],
  partitioned_by [sold_on, shop_id],
  clustered_by bread,
  audits [
    not_null(columns := (sold_on, shop_id)),
    UNIQUE_COMBINATION_OF_COLUMNS(columns=[sold_on, shop_id, bread], blocking := false),
    no_huge_sales(most := 1000),
    forall(criteria := (pieces > 0, LENGTH(bread) < 40))
  ],
  allow_partials true,
  stamp 'second try',
  physical_version '7',
  enabled true,
  physical_properties (creatable_type = TRANSIENT, 'quoted key' = 'x'),
  virtual_properties (labels = [('team', 'bakers')]),
  storage_format parquet,
  table_format iceberg,
  optimize_query false,
  ignored_rules ['noselectstar'],
  formatting false,
);

@DEF(day, CAST(t.sold_at AS DATE));
@DEF(double_it, x -> x * 2);

SELECT
  @day AS sold_on,
  t.shop_id,
  t.bread,
  SUM(t.pieces)::BIGINT AS pieces,
  SUM(@double_it(t.pieces)) AS twice,
  @EACH(@sizes, size -> SUM(CASE WHEN t.bread = size THEN t.pieces ELSE 0 END) AS @{size}_pieces),
  @IF(@with_returns, COUNT(r.ticket_id) AS returned),
  @SAFE_DIV(SUM(t.price), SUM(t.pieces)) AS price_a_piece
FROM bakery.tickets AS t
@JOIN(@with_returns) pos.returns AS r ON r.ticket_id = t.ticket_id
WHERE
  t.sold_at BETWEEN @start_dt AND @end_dt
  AND t.sold_on >= @start_date
  AND @AND(t.pieces > 0, @IF(@rush_hour > 9, t.shop_id = 1))
GROUP BY 1, 2, 3;

@IF(
  @runtime_stage = 'evaluating',
  INSERT INTO oven_log.runs SELECT @end_ds
);

ON_VIRTUAL_UPDATE_BEGIN;
GRANT SELECT ON VIEW @this_model TO ROLE readers;
JINJA_STATEMENT_BEGIN;
GRANT REFERENCES ON VIEW {{ this_model }} TO ROLE {{ var('region') }}_staff;
JINJA_END;
ON_VIRTUAL_UPDATE_END;
