MODEL (name bakery.switched_off, kind FULL, enabled false);

SELECT * FROM nowhere.to_be_found
