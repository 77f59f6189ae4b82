SELECT
  order_id,
  SUM(CASE WHEN payment_type = 'charge' THEN amount ELSE 0 END) AS charged_amount,
  SUM(CASE WHEN payment_type = 'refund' THEN -amount ELSE 0 END) AS refunded_amount,
  COUNT(*) AS payment_count
FROM raw.payments
GROUP BY order_id
