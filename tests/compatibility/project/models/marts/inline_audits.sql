MODEL (
  name bakery.inline_audits,
  kind FULL,
  audits (few_rows, accepted_values(column := bread, is_in := ('rye', 'roll'))),
);

SELECT bread, COUNT(*) AS shops FROM bakery.latest_price GROUP BY bread;

AUDIT (name few_rows);
SELECT * FROM @this_model WHERE shops > 1000;
