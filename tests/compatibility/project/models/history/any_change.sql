MODEL (name bakery.any_change, kind SCD_TYPE_2_BY_COLUMN (unique_key bread, columns *));

SELECT bread, grams FROM bakery.breads
