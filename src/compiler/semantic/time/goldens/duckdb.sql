-- month of a timestamp in Berlin
SELECT date_trunc('month', (t AT TIME ZONE 'UTC') AT TIME ZONE 'Europe/Berlin') FROM x
-- day of an instant in Berlin
SELECT date_trunc('day', CAST(t AS TIMESTAMPTZ) AT TIME ZONE 'Europe/Berlin') FROM x
-- week of a date
SELECT CAST(date_trunc('week', d) AS DATE) FROM x
-- hour of a date
SELECT CAST(d AS TIMESTAMP) FROM x
-- fiscal year of a date
SELECT CAST(date_trunc('year', d - INTERVAL 1 MONTH) + INTERVAL 1 MONTH AS DATE) FROM x
-- fortnight of a date
SELECT CAST(date_trunc('day', d) - INTERVAL ((date_diff('day', DATE '2024-01-01', d) % 14 + 14) % 14) DAY AS DATE) FROM x
-- half-year of a timestamp
SELECT date_trunc('month', t) - INTERVAL ((date_diff('month', DATE '1970-01-01', t) % 6 + 6) % 6) MONTH FROM x
-- eight hours of a timestamp
SELECT date_trunc('hour', t) - INTERVAL ((date_diff('hour', TIMESTAMP '2024-01-01 06:00:00', t) % 8 + 8) % 8) HOUR FROM x
-- months from the 15th
SELECT CAST(date_trunc('month', d - INTERVAL 14 DAY) + INTERVAL 14 DAY AS DATE) FROM x
-- days of January
SELECT CAST(DATE '2024-01-01' + INTERVAL (i - 1) DAY AS DATE) AS bucket FROM generate_series(1, 31) AS numbers(i)
-- quarters that a query knows
SELECT bounds.a + INTERVAL ((i - 1) * 3) MONTH AS bucket FROM (SELECT MIN(q) AS a, MAX(q) AS b FROM x) AS bounds CROSS JOIN LATERAL generate_series(1, CAST(date_diff('month', bounds.a, bounds.b) / 3 AS BIGINT) + 1) AS numbers(i)
