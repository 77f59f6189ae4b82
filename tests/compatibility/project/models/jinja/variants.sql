MODEL (name bakery.@{shape}_breads, kind VIEW, blueprints ((shape := round, label := 'Round'), (shape := long, label := 'Long')));

JINJA_QUERY_BEGIN;
SELECT bread, {{ blueprint_var('label') }} AS label, '{{ blueprint_var('shape') }}' AS shape, '{{ gateway() }}' AS oven
FROM bakery.breads
JINJA_END;
