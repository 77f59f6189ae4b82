"""Loads a SQLMesh project as its own commands do, without the rest of the command line, and prints what it loaded."""
import json
import logging
import sys
import time

logging.disable(logging.CRITICAL)
begun = time.perf_counter()
from sqlmesh import Context  # noqa: E402

imported = time.perf_counter()
context = Context(paths=[sys.argv[1]])
loaded = time.perf_counter()
print(json.dumps({"models": len(context.models), "import_s": imported - begun, "load_s": loaded - imported}))
