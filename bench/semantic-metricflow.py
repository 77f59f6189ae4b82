"""Asks MetricFlow for SQL in this process, without a warehouse: a manifest and questions as JSON in, a line of JSON for each figure out."""
import datetime
import json
import logging
import sys
import time

logging.disable(logging.CRITICAL)
begun = time.perf_counter()
from metricflow.engine.metricflow_engine import MetricFlowEngine, MetricFlowQueryRequest  # noqa: E402
from metricflow.protocols.sql_client import SqlEngine  # noqa: E402
from metricflow.sql.render.duckdb_renderer import DuckDbSqlPlanRenderer  # noqa: E402
from metricflow_semantics.model.dbt_manifest_parser import parse_manifest_from_dbt_generated_manifest  # noqa: E402
from metricflow_semantics.model.semantic_manifest_lookup import SemanticManifestLookup  # noqa: E402


class NoWarehouse:
    """What the engine needs of a client to write SQL; it is never asked to run any."""

    sql_engine_type = SqlEngine.DUCKDB
    sql_plan_renderer = DuckDbSqlPlanRenderer()

    def render_bind_parameter_key(self, bind_parameter_key: str) -> str:
        return f"${bind_parameter_key}"


def tell(**figure: object) -> None:
    print(json.dumps(figure), flush=True)


tell(kind="import", seconds=time.perf_counter() - begun)
begun = time.perf_counter()
with open(sys.argv[1], encoding="utf-8") as file:
    manifest = parse_manifest_from_dbt_generated_manifest(file.read())
tell(kind="parse", seconds=time.perf_counter() - begun)
begun = time.perf_counter()
engine = MetricFlowEngine(semantic_manifest_lookup=SemanticManifestLookup(manifest), sql_client=NoWarehouse())
tell(kind="start", seconds=time.perf_counter() - begun)
with open(sys.argv[2], encoding="utf-8") as file:
    questions = json.load(file)
for question in questions:
    request = MetricFlowQueryRequest.create(
        metric_names=question["metrics"],
        group_by_names=question["groupBy"],
        where_constraints=question["where"],
        time_constraint_start=datetime.datetime.fromisoformat(question["from"]),
        time_constraint_end=datetime.datetime.fromisoformat(question["to"]),
        limit=question["limit"],
    )
    begun, worked = time.perf_counter(), time.process_time()
    sql = engine.explain(request).sql_statement.sql
    seconds, cpu_seconds = time.perf_counter() - begun, time.process_time() - worked
    tell(kind="question", of=question["of"], seconds=seconds, cpuSeconds=cpu_seconds, sql=sql)
