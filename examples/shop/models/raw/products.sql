MODEL (
  name raw.products,
  kind SEED (path '../../seeds/products.csv'),
  columns (
    product_id INTEGER,
    sku TEXT,
    product_name TEXT,
    category TEXT,
    unit_cost DECIMAL(12, 2)
  ),
  grain product_id,
  tags (raw, dimension),
  description 'Articles without their prices, which change: see raw.product_prices',
  column_descriptions (
    sku = 'Article number as printed on the shelf',
    unit_cost = 'What one piece costs us'
  ),
  audits (
    unique_values(columns := (product_id, sku)),
    not_null(columns := (product_id, sku, category, unit_cost))
  )
);
