"""Validates the rules of the quality bench with Great Expectations: quality-gx.py DATABASE EXPECTATIONS.json; prints outcomes as JSON."""
import json
import os
import sys

os.environ["GX_ANALYTICS_ENABLED"] = "false"
import great_expectations as gx
from great_expectations.execution_engine import sqlalchemy_execution_engine as engine


class Dialect(str):
    value = property(str)


# Otherwise its connection is closed before its rows are read, and DuckDB then has none.
engine._PERSISTED_CONNECTION_DIALECTS = (*engine._PERSISTED_CONNECTION_DIALECTS, Dialect("duckdb"))
database, file = sys.argv[1:]
with open(file) as text:
    wanted = json.load(text)
context = gx.get_context(mode="ephemeral")
context.variables.progress_bars = {"globally": False}
source = context.data_sources.add_sql("bench", connection_string=f"duckdb:///{database}")
batch = source.add_table_asset("orders", table_name="orders").add_batch_definition_whole_table("all").get_batch()
suite = gx.ExpectationSuite(name="bench")
for one in wanted:
    name = "".join(part.capitalize() for part in one["type"].split("_"))
    suite.add_expectation(getattr(gx.expectations, name)(**one["kwargs"]))
result = batch.validate(suite, result_format="BOOLEAN_ONLY")
outcomes, errors = [], []
for one in result.results:
    info = one.exception_info or {}
    entries = [info, *(each for each in info.values() if isinstance(each, dict))]
    messages = [each["exception_message"] for each in entries if each.get("raised_exception")]
    outcomes.append("error" if messages else "pass" if one.success else "fail")
    errors += [f"{one.expectation_config.type}: {message}" for message in messages]
print(json.dumps({"outcomes": outcomes, "errors": errors}))
