MODEL (
  name staging.orders,
  kind INCREMENTAL_BY_TIME_RANGE (time_column order_date, lookback 3, batch_size 366),
  grain order_id,
  tags (silver, fact),
  description 'Clean orders, one day at a time; rows with an unknown channel are held back in quarantine',
  column_descriptions (
    order_date = 'UTC day of the order',
    loaded_at = 'When the source delivered the row'
  ),
  audits (
    valid_channel,
    not_null(columns := (order_id, customer_id, store_id, ordered_at)),
    unique_values(columns := (order_id)),
    accepted_values(column := status, is_in := ('completed', 'returned', 'cancelled'))
  )
);

/* lookback 3: a run fills its day and the three days before it again, so a day that is delivered late still arrives.
   The last condition hides what had not been delivered at the time of the run; try it with --execution-time. */
SELECT
  order_id,
  customer_id,
  store_id,
  CAST(ordered_at AS DATE) AS order_date,
  ordered_at,
  channel,
  device,
  status,
  promotion_code,
  loaded_at
FROM raw.orders
WHERE
  ordered_at >= @start_at
  AND ordered_at < @end_before
  AND loaded_at <= @execution_ts;
