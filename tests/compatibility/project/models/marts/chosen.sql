MODEL (name bakery.chosen, kind FULL, columns (shop_id INT, pieces BIGINT, ratio DECIMAL(10, 4)));

@DEF(total, SUM(pieces) + 0);

@WITH(TRUE) totals AS (SELECT shop_id, @total::BIGINT AS pieces FROM bakery.sales GROUP BY shop_id)
SELECT shop_id, pieces, @SAFE_DIV(pieces, 10) AS ratio FROM totals
