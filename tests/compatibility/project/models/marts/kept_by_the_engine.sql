MODEL (name bakery.kept_by_the_engine, kind MANAGED);

SELECT shop_id, bread FROM bakery.latest_price
