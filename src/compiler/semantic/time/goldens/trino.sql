-- month of a timestamp in Berlin
SELECT DATE_TRUNC('month', CAST(WITH_TIMEZONE(t, 'UTC') AT TIME ZONE 'Europe/Berlin' AS TIMESTAMP(6))) FROM x
-- day of an instant in Berlin
SELECT DATE_TRUNC('day', CAST(CAST(t AS TIMESTAMP WITH TIME ZONE) AT TIME ZONE 'Europe/Berlin' AS TIMESTAMP(6))) FROM x
-- week of a date
SELECT CAST(DATE_TRUNC('week', d) AS DATE) FROM x
-- hour of a date
SELECT CAST(d AS TIMESTAMP) FROM x
-- fiscal year of a date
SELECT CAST(DATE_TRUNC('year', d - INTERVAL '1' MONTH) + INTERVAL '1' MONTH AS DATE) FROM x
-- fortnight of a date
SELECT CAST(DATE_TRUNC('day', d) - (((DATE_DIFF('day', DATE_TRUNC('day', DATE '2024-01-01'), DATE_TRUNC('day', d)) % 14 + 14) % 14) * INTERVAL '1' DAY) AS DATE) FROM x
-- half-year of a timestamp
SELECT DATE_TRUNC('month', t) - (((DATE_DIFF('month', DATE_TRUNC('month', DATE '1970-01-01'), DATE_TRUNC('month', t)) % 6 + 6) % 6) * INTERVAL '1' MONTH) FROM x
-- eight hours of a timestamp
SELECT DATE_TRUNC('hour', t) - (((DATE_DIFF('hour', DATE_TRUNC('hour', TIMESTAMP '2024-01-01 06:00:00'), DATE_TRUNC('hour', t)) % 8 + 8) % 8) * INTERVAL '1' HOUR) FROM x
-- months from the 15th
SELECT CAST(DATE_TRUNC('month', d - INTERVAL '14' DAY) + INTERVAL '14' DAY AS DATE) FROM x
-- days of January
SELECT CAST(DATE '2024-01-01' + ((i - 1) * INTERVAL '1' DAY) AS DATE) AS bucket FROM UNNEST(SEQUENCE(1, 31)) AS numbers(i)
-- quarters that a query knows
SELECT bounds.a + (((i - 1) * 3) * INTERVAL '1' MONTH) AS bucket FROM (SELECT MIN(q) AS a, MAX(q) AS b FROM x) AS bounds CROSS JOIN UNNEST(SEQUENCE(1, (CAST(CAST(DATE_DIFF('month', DATE_TRUNC('month', bounds.a), DATE_TRUNC('month', bounds.b)) AS DOUBLE) / 3 AS BIGINT) + 1))) AS numbers(i)
