AUDIT (
  name paid_in_full,
  defaults (tolerance = 0)
);

/* Every order that was not cancelled is charged with exactly what it costs. */
SELECT
  *
FROM @this_model
WHERE
  status <> 'cancelled'
  AND ABS(charged_amount - net_amount) > @tolerance;
