-- month of a timestamp in Berlin
SELECT DATE_TRUNC('month', (t AT TIME ZONE 'UTC') AT TIME ZONE 'Europe/Berlin') FROM x
-- day of an instant in Berlin
SELECT DATE_TRUNC('day', CAST(t AS TIMESTAMPTZ) AT TIME ZONE 'Europe/Berlin') FROM x
-- week of a date
SELECT CAST(DATE_TRUNC('week', d) AS DATE) FROM x
-- hour of a date
SELECT CAST(d AS TIMESTAMP) FROM x
-- fiscal year of a date
SELECT CAST(DATE_TRUNC('year', d - INTERVAL '1 MONTH') + INTERVAL '1 MONTH' AS DATE) FROM x
-- fortnight of a date
SELECT CAST(DATE_TRUNC('day', d) - ((((CAST(d AS DATE) - CAST(DATE '2024-01-01' AS DATE)) % 14 + 14) % 14) * INTERVAL '1 DAY') AS DATE) FROM x
-- half-year of a timestamp
SELECT DATE_TRUNC('month', t) - (((((EXTRACT(YEAR FROM t) - EXTRACT(YEAR FROM DATE '1970-01-01')) * 12 + EXTRACT(MONTH FROM t) - EXTRACT(MONTH FROM DATE '1970-01-01')) % 6 + 6) % 6) * INTERVAL '1 MONTH') FROM x
-- eight hours of a timestamp
SELECT DATE_TRUNC('hour', t) - (((CAST(EXTRACT(EPOCH FROM DATE_TRUNC('hour', t) - DATE_TRUNC('hour', TIMESTAMP '2024-01-01 06:00:00')) / 3600 AS BIGINT) % 8 + 8) % 8) * INTERVAL '1 HOUR') FROM x
-- months from the 15th
SELECT CAST(DATE_TRUNC('month', d - INTERVAL '14 DAY') + INTERVAL '14 DAY' AS DATE) FROM x
-- days of January
SELECT CAST(DATE '2024-01-01' + ((i - 1) * INTERVAL '1 DAY') AS DATE) AS bucket FROM GENERATE_SERIES(1, 31) AS numbers(i)
-- quarters that a query knows
SELECT bounds.a + (((i - 1) * 3) * INTERVAL '1 MONTH') AS bucket FROM (SELECT MIN(q) AS a, MAX(q) AS b FROM x) AS bounds CROSS JOIN LATERAL GENERATE_SERIES(1, (CAST(CAST(((EXTRACT(YEAR FROM bounds.b) - EXTRACT(YEAR FROM bounds.a)) * 12 + EXTRACT(MONTH FROM bounds.b) - EXTRACT(MONTH FROM bounds.a)) AS DOUBLE PRECISION) / 3 AS BIGINT) + 1)) AS numbers(i)
