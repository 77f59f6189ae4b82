AUDIT (
  name no_negative_amount
);

SELECT
  *
FROM @this_model
WHERE @amount < 0;
