MODEL (
  name bakery.breads,
  kind SEED (path '$root/seeds/breads.csv'),
  columns (bread VARCHAR, grams INTEGER),
  grains (bread, (bread, grams)),
  owner mira,
);
