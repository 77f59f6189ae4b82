-- month of a timestamp in Berlin
SELECT DATE_TRUNC('month', CONVERT_TIMEZONE('UTC', 'Europe/Berlin', t)) FROM x
-- day of an instant in Berlin
SELECT DATE_TRUNC('day', CONVERT_TIMEZONE('Europe/Berlin', CAST(CAST(t AS TIMESTAMP) AS TIMESTAMP_NTZ))) FROM x
-- week of a date
SELECT CAST(DATE_TRUNC('week', d) AS DATE) FROM x
-- hour of a date
SELECT CAST(d AS TIMESTAMP_NTZ) FROM x
-- fiscal year of a date
SELECT CAST(DATE_TRUNC('year', d - INTERVAL 1 MONTH) + INTERVAL 1 MONTH AS DATE) FROM x
-- fortnight of a date
SELECT CAST(DATE_TRUNC('day', d) - (((DATEDIFF(d, DATE '2024-01-01') % 14 + 14) % 14) * INTERVAL '1' DAY) AS DATE) FROM x
-- half-year of a timestamp
SELECT DATE_TRUNC('month', t) - (((((YEAR(t) - YEAR(DATE '1970-01-01')) * 12 + MONTH(t) - MONTH(DATE '1970-01-01')) % 6 + 6) % 6) * INTERVAL '1' MONTH) FROM x
-- eight hours of a timestamp
SELECT DATE_TRUNC('hour', t) - (((((UNIX_TIMESTAMP(DATE_TRUNC('HOUR', t)) - UNIX_TIMESTAMP(DATE_TRUNC('HOUR', TIMESTAMP_NTZ '2024-01-01 06:00:00'))) DIV 3600) % 8 + 8) % 8) * INTERVAL '1' HOUR) FROM x
-- months from the 15th
SELECT CAST(DATE_TRUNC('month', d - INTERVAL 14 DAY) + INTERVAL 14 DAY AS DATE) FROM x
-- days of January
SELECT CAST(DATE '2024-01-01' + ((i - 1) * INTERVAL '1' DAY) AS DATE) AS bucket FROM EXPLODE(SEQUENCE(1, 31)) AS numbers(i)
-- quarters that a query knows
SELECT bounds.a + (((i - 1) * 3) * INTERVAL '1' MONTH) AS bucket FROM (SELECT MIN(q) AS a, MAX(q) AS b FROM x) AS bounds CROSS JOIN LATERAL EXPLODE(SEQUENCE(1, (CAST(((YEAR(bounds.b) - YEAR(bounds.a)) * 12 + MONTH(bounds.b) - MONTH(bounds.a)) / 3 AS BIGINT) + 1))) AS numbers(i)
