MODEL (name bakery.broken
