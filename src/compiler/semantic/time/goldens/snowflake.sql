-- month of a timestamp in Berlin
SELECT DATE_TRUNC('month', CONVERT_TIMEZONE('UTC', 'Europe/Berlin', t)) FROM x
-- day of an instant in Berlin
SELECT DATE_TRUNC('day', CAST(CONVERT_TIMEZONE('Europe/Berlin', CAST(t AS TIMESTAMP_TZ)) AS TIMESTAMP_NTZ)) FROM x
-- week of a date
SELECT CAST(DATE_TRUNC('week', d) AS DATE) FROM x
-- hour of a date
SELECT CAST(d AS TIMESTAMP_NTZ) FROM x
-- fiscal year of a date
SELECT CAST(DATE_TRUNC('year', d - INTERVAL '1 MONTH') + INTERVAL '1 MONTH' AS DATE) FROM x
-- fortnight of a date
SELECT CAST(DATEADD(DAY, -((DATEDIFF(DAY, DATE '2024-01-01', d) % 14 + 14) % 14), DATE_TRUNC('day', d)) AS DATE) FROM x
-- half-year of a timestamp
SELECT DATEADD(MONTH, -((DATEDIFF(MONTH, DATE '1970-01-01', t) % 6 + 6) % 6), DATE_TRUNC('month', t)) FROM x
-- eight hours of a timestamp
SELECT DATEADD(HOUR, -((DATEDIFF(HOUR, TIMESTAMP '2024-01-01 06:00:00', t) % 8 + 8) % 8), DATE_TRUNC('hour', t)) FROM x
-- months from the 15th
SELECT CAST(DATE_TRUNC('month', d - INTERVAL '14 DAY') + INTERVAL '14 DAY' AS DATE) FROM x
-- days of January
SELECT CAST(DATEADD(DAY, i - 1, DATE '2024-01-01') AS DATE) AS bucket FROM TABLE(FLATTEN(INPUT => ARRAY_GENERATE_RANGE(1, 31 + 1))) AS numbers(seq, key, path, index, i, this)
-- quarters that a query knows
SELECT DATEADD(MONTH, (i - 1) * 3, bounds.a) AS bucket FROM (SELECT MIN(q) AS a, MAX(q) AS b FROM x) AS bounds CROSS JOIN TABLE(FLATTEN(INPUT => ARRAY_GENERATE_RANGE(1, (CAST(DATEDIFF(MONTH, bounds.a, bounds.b) / 3 AS BIGINT) + 1) + 1))) AS numbers(seq, key, path, index, i, this)
