MODEL (name bakery.calendar, kind FULL);

WITH days AS (@DATE_SPINE('day', '2024-01-01', '2024-01-31'))
SELECT
  d.date_day::DATE
FROM days AS d
