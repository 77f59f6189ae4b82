MODEL (name bakery.report, kind FULL, start '2024-01-01', audits (number_of_rows(threshold := 1)));

JINJA_STATEMENT_BEGIN;
{% if runtime_stage == 'evaluating' %}
CREATE TEMP TABLE notes AS SELECT '{{ var("region") }}' AS region
{% endif %}
JINJA_END;

JINJA_QUERY_BEGIN;
{# It's a comment with a quote #}
SELECT
  {{ shout('bread') }} AS bread,
  {{ cents('price', digits=0) }} AS cents,
  {% for size in ['small', 'large'] -%}
  '{{ size }}' AS {{ size }}_name{{ ',' if not loop.last }}
  {% endfor %}
FROM bakery.latest_price
WHERE sold_at >= '{{ execution_ds }}' AND '{{ var("region", "south") }}' <> 'x' AND bread <> @region
JINJA_END;
