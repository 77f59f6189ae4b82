"""Writes sqlmesh-facts.json: what SQLMesh itself says about the project beside this file.

Run it with a Python that has sqlmesh[duckdb]; the project is copied first, because SQLMesh writes into it.
"""

import json
import logging
import os
import shutil
import sys
import tempfile
from pathlib import Path

import sqlmesh
from sqlmesh import Context

logging.disable(logging.CRITICAL)
here = Path(__file__).parent.resolve()
copy = Path(tempfile.mkdtemp()) / "project"
shutil.copytree(here / "project", copy)
os.chdir(copy)
context = Context(paths=[str(copy)])


def plain(name):
    """Without quotes, and without the catalog of the gateway."""
    parts = name.replace('"', "").split(".")
    return ".".join(parts[-2:]).lower()


models = {}
for name, model in sorted(context.models.items()):
    models[plain(name)] = {
        "kind": model.kind.name.value,
        "cron": model.cron,
        "start": str(model.start),
        "owner": model.owner,
        "tags": model.tags,
        "audits": [audit for audit, _ in model.audits],
        "grains": [grain.sql() for grain in model.grains],
        "dependsOn": sorted(plain(each) for each in model.depends_on),
        "columns": {k.lower(): v.sql("duckdb") for k, v in (model.columns_to_types or {}).items()},
        "sql": model.render_query_or_raise(optimize=False).sql("duckdb") if model.is_sql else None,
    }

result = context.test()
facts = {
    "sqlmesh": sqlmesh.__version__,
    "tests": {"run": result.testsRun, "failed": len(result.errors) + len(result.failures)},
    "standaloneAudits": sorted(context.standalone_audits),
    "models": models,
}
(here / "sqlmesh-facts.json").write_text(json.dumps(facts, indent=2) + "\n")
print(len(models), "models", file=sys.stderr)
