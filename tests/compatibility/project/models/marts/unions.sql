MODEL (name bakery.unions, kind VIEW (materialized false));

@UNION('all', bakery.shops, bakery.shops)
