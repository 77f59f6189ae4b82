{% macro shout(text) %}UPPER({{ text }}){% endmacro %}

{% macro cents(column, digits=2) %}ROUND({{ column }} * 100, {{ digits }}){% endmacro %}
