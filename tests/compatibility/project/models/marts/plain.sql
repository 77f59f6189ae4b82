-- A model without a kind.
MODEL (name bakery.plain, dialect snowflake, gateway kitchen);

SELECT 1::INT AS one, 'x' AS "Two"
