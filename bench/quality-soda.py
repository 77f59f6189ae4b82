"""Checks the rules of the quality bench with Soda Core: quality-soda.py DATABASE CHECKS.yml; prints outcomes as JSON."""
import json
import sys

import duckdb
from soda.scan import Scan

database, checks = sys.argv[1:]
scan = Scan()
scan.disable_telemetry()
scan.set_scan_definition_name("bench")
scan.set_data_source_name("bench")
scan.add_duckdb_connection(duckdb.connect(database, read_only=True), data_source_name="bench")
with open(checks) as file:
    scan.add_sodacl_yaml_str(file.read())
scan.execute()
outcomes = [check["outcome"] or "error" for check in scan.get_scan_results()["checks"]]
print(json.dumps({"outcomes": outcomes, "errors": [log.message for log in scan.get_error_logs()]}))
