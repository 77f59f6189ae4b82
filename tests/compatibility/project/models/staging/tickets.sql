/* Everything the tills sold. */
MODEL (
  name bakery.tickets, -- a view over another system
  kind VIEW,
  cron '@hourly',
  tags (sales, 'raw data'),
  references (shop_id, bread AS bread_name),
  column_descriptions (pieces = 'how many', "bread" = 'what'),
);

SELECT
  ticket_id::BIGINT, -- one per customer
  sold_at::TIMESTAMP,
  shop_id::INT,
  /* the kind of bread */
  bread::TEXT,
  pieces::INT,
  price::DECIMAL(8, 2),
  CAST(sold_at AS DATE) AS sold_on, -- day of the sale
FROM pos.tickets;
