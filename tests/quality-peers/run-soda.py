"""Runs checks.yml with Soda Core on tables of a folder (tables.json and CSV files), and prints the verdicts as JSON."""
import json
import sys
from pathlib import Path

import duckdb
from soda.scan import Scan

folder, checks = Path(sys.argv[1]), Path(sys.argv[2])
connection = duckdb.connect(":memory:")
for table in json.loads((folder / "tables.json").read_text()):
    columns = ", ".join(f"'{name}': '{type_}'" for name, type_ in table["columns"].items())
    connection.execute(
        f"CREATE TABLE {table['name']} AS SELECT * FROM read_csv('{folder / (table['name'] + '.csv')}', header=true, columns={{{columns}}})"
    )
scan = Scan()
scan.disable_telemetry()
scan.set_scan_definition_name("peers")
scan.set_data_source_name("peers")
scan.add_duckdb_connection(connection, data_source_name="peers")
scan.add_sodacl_yaml_str(checks.read_text())
scan.execute()
verdicts = {}
for check in scan.get_scan_results()["checks"]:
    value = check["diagnostics"].get("value")
    verdicts[check["name"]] = {"outcome": check["outcome"] or "error", "values": [value] if isinstance(value, (int, float)) else []}
errors = [log.message for log in scan.get_error_logs()]
from importlib.metadata import version

print(json.dumps({"versions": {"soda-core": version("soda-core"), "duckdb": duckdb.__version__}, "verdicts": verdicts, "errors": errors}))
