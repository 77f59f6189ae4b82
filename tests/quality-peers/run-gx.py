"""Validates expectations with Great Expectations on the orders of a folder, in pandas, and prints the verdicts as JSON."""
import json
import os
import sys
from pathlib import Path

os.environ["GX_ANALYTICS_ENABLED"] = "false"
import great_expectations as gx
import pandas as pd

folder, expectations = Path(sys.argv[1]), json.loads(Path(sys.argv[2]).read_text())
[orders] = [table for table in json.loads((folder / "tables.json").read_text()) if table["name"] == "orders"]
DTYPES = {"BIGINT": "Int64", "INTEGER": "Int64", "DOUBLE": "float64", "VARCHAR": "object", "DATE": "object", "TIMESTAMP": "object"}
frame = pd.read_csv(
    folder / "orders.csv",
    dtype={name: DTYPES[type_] for name, type_ in orders["columns"].items()},
    keep_default_na=False,
    na_values=[""],
)
for name, type_ in orders["columns"].items():
    if type_ in ("DATE", "TIMESTAMP"):
        frame[name] = pd.to_datetime(frame[name])
context = gx.get_context(mode="ephemeral")
context.variables.progress_bars = {"globally": False}
batch = context.data_sources.add_pandas("peers").add_dataframe_asset("orders").add_batch_definition_whole_dataframe("all").get_batch({"dataframe": frame})
suite = gx.ExpectationSuite(name="peers")
verdicts = {}
for one in expectations:
    expectation = getattr(gx.expectations, "".join(part.capitalize() if part != "a" and part != "b" else part.upper() for part in one["type"].split("_")))
    result = batch.validate(expectation(**one["kwargs"]))
    info = result.exception_info or {}
    raised = info.get("raised_exception") or any(isinstance(each, dict) and each.get("raised_exception") for each in info.values())
    value = result.result.get("observed_value", result.result.get("unexpected_count"))
    verdicts[one["name"]] = {
        "outcome": "error" if raised else "pass" if result.success else "fail",
        "values": [value] if isinstance(value, (int, float)) and not isinstance(value, bool) else [],
        **({"detail": str(info)[:300]} if raised else {}),
    }
print(json.dumps({"versions": {"great_expectations": gx.__version__, "pandas": pd.__version__}, "verdicts": verdicts, "errors": []}))
