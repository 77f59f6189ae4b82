"""What SQLMesh says of the same tables with its audits of the same name, for built-in-matrix.test.ts. In an environment that has
`sqlmesh[duckdb]`, from the root of the repository:

    node tests/audits/matrix/print-cases.ts | DO_NOT_TRACK=1 python tests/audits/matrix/record-sqlmesh.py > tests/audits/matrix/sqlmesh-verdicts.json
"""
import json
import sys

import duckdb
import sqlmesh
from sqlglot import exp
from sqlmesh.core.audit.builtin import BUILT_IN_AUDITS
from sqlmesh.core.dialect import parse
from sqlmesh.core.model import load_sql_based_model

connection = duckdb.connect()
connection.execute("CREATE SCHEMA s")
verdicts = {}
asked = json.load(sys.stdin)
for case in asked["cases"]:
    audit = BUILT_IN_AUDITS[case["audit"]]
    try:
        text = f"MODEL (name s.m, kind FULL, dialect duckdb, audits ({case['use']}));\n{case['table']}"
        model = load_sql_based_model(parse(text, default_dialect="duckdb"), dialect="duckdb")
        connection.execute("DROP TABLE IF EXISTS s.m")
        connection.execute(f"CREATE TABLE s.m AS {case['table']}")
        ((name, arguments),) = model.audits
        query = model.render_audit_query(audit, **arguments)
        count = exp.select("COUNT(*)").from_(query.subquery("audit")).sql("duckdb")
        failures = connection.execute(count).fetchone()[0]
        verdicts[case["id"]] = "pass" if failures == 0 else "fail"
    except Exception:
        verdicts[case["id"]] = "error"
print(json.dumps({"sqlmesh": sqlmesh.__version__, "about": asked["about"], "verdicts": verdicts}, indent=1))
