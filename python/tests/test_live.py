"""The client and the real server."""

from __future__ import annotations

import asyncio
import json
import os
import re
import tempfile
import time
import unittest
from typing import Any

import httpx
from plinth import AsyncDataProductClient, DataProductClient, DataProductError, Result, Statement
from support import LIBRARIES, STRANGER, TOKEN, live_async_client, live_client

MODEL_SQL = "SELECT order_id, ordered_on, ordered_at, status, amount FROM marts.orders ORDER BY order_id"
ROWS = [
    [1, "2025-01-05", "2025-01-05T23:30:00.000", "completed", "10.00"],
    [2, "2025-01-20", "2025-01-20T12:00:00.000", "returned", "20.50"],
    [3, "2025-02-03", "2025-02-03T00:15:00.000", "completed", "5.25"],
    [4, "2025-02-28", "2025-02-28T08:00:00.000", "completed", "100.00"],
]
ENDLESS = "SELECT count(*) FROM range(1000000000000) AS a(n), range(1000) AS b(m) WHERE n % 7 = m"


class Live(unittest.TestCase):
    client: DataProductClient

    @classmethod
    def setUpClass(cls) -> None:
        cls.client = live_client()
        cls.addClassCleanup(cls.client.close)

    def refused(self, status: int, operation: Any, *args: Any, **kwargs: Any) -> DataProductError:
        with self.assertRaises(DataProductError) as caught:
            operation(*args, **kwargs)
        self.assertEqual(caught.exception.status_code, status, str(caught.exception))
        return caught.exception


class Flow(Live):
    def test_submit_poll_and_fetch(self) -> None:
        statement = self.client.query.submit_statement(MODEL_SQL)
        self.assertEqual(statement.id, statement["id"])
        while statement.status.upper() not in {"SUCCESS", "SUCCEEDED", "FAILED", "CANCELLED"}:
            time.sleep(0.05)
            statement = self.client.query.get_statement(statement.id)
        self.assertEqual(statement.status, "SUCCESS", statement.error)
        result = self.client.query.get_statement_result(statement.id)
        self.assertEqual([col.name for col in result.cols], ["order_id", "ordered_on", "ordered_at", "status", "amount"])
        self.assertEqual(result.rows, ROWS)

    def test_run_is_all_of_it(self) -> None:
        result = self.client.query.run(MODEL_SQL)
        self.assertIsInstance(result, Result)
        self.assertEqual((result.rows, result.row_count, result.truncated), (ROWS, 4, False))
        self.assertEqual(next(result.dicts())["amount"], "10.00")

    def test_parameters_and_options_arrive(self) -> None:
        statement = self.client.query.submit_statement(
            "SELECT order_id FROM marts.orders WHERE status = ? ORDER BY 1",
            parameters=["completed"],
            row_limit=2,
            tags=["from-python"],
            wait=20,
            cache=False,
        )
        self.assertIsInstance(statement, Statement)
        self.assertTrue(statement.is_successful, statement)
        self.assertEqual((statement.tags, statement.truncated), (["from-python"], True))
        self.assertEqual(statement.result.rows, [[1], [3]])

    def test_the_same_question_in_every_spelling_has_the_same_answer(self) -> None:
        query = self.client.query
        graphql = query.query_graphql("{ orders(orderBy: [{status: asc}]) { status revenue } }")
        semantic = {"measures": ["orders.revenue"], "dimensions": ["orders.status"], "order": {"orders.status": "asc"}}
        sql = "SELECT status, MEASURE(revenue) FROM orders GROUP BY status ORDER BY status"
        answers = [
            query.query_semantic(semantic, wait=20).result.rows,
            query.query_semantic_sql(sql, wait=20).result.rows,
            query.run(sql).rows,
            query.run("SELECT status, SUM(amount) FROM marts.orders GROUP BY 1 ORDER BY 1").rows,
            [[row.status, row.revenue] for row in graphql.data.orders],
        ]
        for answer in answers:
            self.assertEqual(answer, [["completed", "115.25"], ["returned", "20.50"]])

    def test_a_metric_by_body_and_by_address(self) -> None:
        rows = [["2025-01-01", "30.50"], ["2025-02-01", "105.25"]]
        options: Any = {"date_range": ["2025-01-01", "2025-02-28"], "wait": 20}
        self.assertEqual(self.client.query.query_metric("monthly_revenue", **options).result.rows, rows)
        self.assertEqual(self.client.query.get_metric("monthly_revenue", **options).result.rows, rows)

    def test_transpile_runs_nothing(self) -> None:
        answer = self.client.query.transpile(metric="monthly_revenue")
        self.assertIn("SUM(", answer.sql)


class Results(Live):
    def test_are_whole_however_many_pages_they_are(self) -> None:
        statement = self.client.query.submit_statement("SELECT range::INTEGER AS n FROM range(120000)", wait=30)
        result = self.client.query.get_statement_result(statement.id)
        self.assertEqual((len(result.rows), result.row_count), (120_000, 120_000))
        self.assertEqual([result.rows[0], result.rows[50_000], result.rows[-1]], [[0], [50_000], [119_999]])
        self.assertEqual(len(self.client.query.run("SELECT range::INTEGER AS n FROM range(120000)").rows), 120_000)

    def test_come_in_pages_when_asked_to(self) -> None:
        statement = self.client.query.submit_statement(MODEL_SQL, wait=20)
        pages = list(self.client.query.iter_statement_result(statement.id, page_size=3))
        self.assertEqual([page.rows for page in pages], [ROWS[:3], ROWS[3:]])
        one = self.client.query.get_statement_result(statement.id, limit=1, offset=2, columns=["amount", "order_id"])
        self.assertEqual((one.rows, one.row_count, one.next_offset), ([["5.25", 3]], 4, 3))
        self.refused(422, self.client.query.get_statement_result, statement.id, columns=["nothing"])

    def test_come_as_files(self) -> None:
        statement = self.client.query.submit_statement(MODEL_SQL, wait=20)
        csv = self.client.query.download_statement_result(statement.id, "csv")
        assert csv is not None
        self.assertEqual(csv.split(b"\r\n")[1], b"1,2025-01-05,2025-01-05T23:30:00.000,completed,10.00")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "out.ndjson")
            self.client.query.download_statement_result(statement.id, "ndjson", path)
            with open(path) as file:
                self.assertEqual([list(json.loads(line).values()) for line in file], ROWS)
            self.assertEqual(os.listdir(folder), ["out.ndjson"])
        parquet = self.client.query.download_statement_result(statement.id, "parquet")
        self.assertEqual(parquet[:4] if parquet else b"", b"PAR1")

    @unittest.skipUnless("pyarrow" in LIBRARIES, "pyarrow is not in this environment: NOT TESTED here")
    def test_are_the_same_table_as_the_arrow_file_of_the_server(self) -> None:
        import pyarrow as pa

        sql = (
            "SELECT order_id, ordered_on, ordered_at, status, amount, amount::DOUBLE / 3 AS third, order_id > 2 AS late, "
            "ordered_at::TIMESTAMPTZ AS instant, 9007199254740993 AS large, TIME '12:34:56.789' AS clock, "
            "CASE WHEN order_id = 2 THEN NULL ELSE order_id END AS hole FROM marts.orders ORDER BY order_id"
        )
        statement = self.client.query.submit_statement(sql, wait=20)
        self.assertTrue(statement.is_successful, statement)
        file = self.client.query.download_statement_result(statement.id, "arrow")
        served = pa.ipc.open_stream(file).read_all()
        made = self.client.query.get_statement_result(statement.id).to_arrow()
        self.assertEqual(made.schema, served.schema)
        self.assertEqual(made.to_pylist(), served.to_pylist())


class Errors(Live):
    def test_a_running_statement_has_no_result_yet(self) -> None:
        statement = self.client.query.submit_statement(ENDLESS)
        try:
            self.refused(202, self.client.query.get_statement_result, statement.id)
        finally:
            cancelled = self.client.query.cancel_statement(statement.id)
        ended = cancelled if cancelled.is_terminal else self.client.query.get_statement(statement.id, wait=10)
        self.assertEqual(ended.status, "CANCELLED")
        self.refused(409, self.client.query.get_statement_result, statement.id)

    def test_run_gives_up_after_max_wait_and_cancels(self) -> None:
        error = self.refused(0, self.client.query.run, ENDLESS, max_wait=0.5, tags=["given-up"])
        self.assertEqual(error.code, "client.max-wait")
        page = self.client.query.list_statements(tag="given-up")
        ended = self.client.query.get_statement(page.items[0].id, wait=10)
        self.assertEqual(ended.status, "CANCELLED")

    def test_a_statement_that_fails_is_a_state(self) -> None:
        sql = "SELECT nothing FROM marts.orders"
        statement = self.client.query.submit_statement(sql, wait=20)
        self.assertEqual(statement.status, "FAILED")
        self.assertTrue(statement.error.message)
        self.refused(409, self.client.query.get_statement_result, statement.id)
        self.refused(409, self.client.query.run, sql)

    def test_what_can_be_seen_wrong_is_422(self) -> None:
        self.refused(422, self.client.query.submit_statement, "SELECT 1; SELECT 2")
        self.refused(422, self.client.query.submit_statement, "DROP VIEW marts.orders")
        self.refused(422, self.client.query.submit_statement, "SELECT * FROM nowhere")
        self.refused(422, self.client.query.submit_statement, "SELECT 1", wait=-1)
        self.refused(422, self.client.query.query_semantic, {"measures": ["orders.nothing"]})

    def test_tokens(self) -> None:
        with live_client("plt_nobody_has_this_one") as unknown:
            error = self.refused(401, unknown.query.list_statements)
            self.assertTrue(error.correlation_id)
        with live_client(STRANGER) as stranger:
            error = self.refused(403, stranger.query.submit_statement, "SELECT 1")
            self.assertNotIn(STRANGER, str(error))

    def test_what_is_not_there_is_404(self) -> None:
        self.refused(404, self.client.query.get_statement, "s_nothing")
        self.refused(404, self.client.query.get_statement, "a/b?c")
        self.refused(404, self.client.activity.get_plan, "p_nothing")


class Lists(Live):
    def test_go_on_over_pages(self) -> None:
        tag = f"listed-{os.getpid()}"
        for n in range(5):
            self.client.query.submit_statement(f"SELECT {n} AS n", tags=[tag], wait=10)
        ids = [statement.id for statement in self.client.query.iter_statements(page_size=2, tag=tag)]
        self.assertEqual(len(set(ids)), 5)
        self.assertEqual(ids, sorted(ids, reverse=True))


class Metadata(Live):
    def test_tells_what_the_product_is_made_of(self) -> None:
        metadata = self.client.metadata
        product = metadata.get_product()
        self.assertEqual((product.name, product.tenant, product.counts.models), ("asked", "acme", 3))
        names = [model.name for model in metadata.iter_models(page_size=2)]
        self.assertEqual(names, ["marts.customers", "marts.lines", "marts.orders"])
        self.assertIn("amount", [column.name for column in metadata.get_model("marts.orders").columns])
        self.assertIn("monthly_revenue", [metric.name for metric in metadata.get_semantics().metrics])
        self.assertGreater(len(metadata.get_lineage("marts.orders", direction="downstream").edges), 0)
        self.assertGreater(len(metadata.get_impact("marts.orders", change="drop").nodes), 0)
        self.assertIn("monthly_revenue", [hit.name for hit in metadata.search("monthly").items])
        self.assertEqual(len(metadata.list_changes(environment="prod").items), 1)
        self.refused(404, metadata.get_model, "marts.nothing")
        self.assertEqual(metadata.export_product()["kind"], "DataContract")
        self.assertEqual({event["producer"] for event in metadata.export_product("openlineage")}, {"urn:plinth"})
        self.assertIn("type Query", metadata.export_product("graphql"))
        self.assertIn("# asked", metadata.export_product("llms.txt"))
        self.refused(422, metadata.export_product, "parchment")
        self.refused(400, metadata.export_product, "")
        self.refused(501, metadata.forget)


class Perspectives(Live):
    def test_are_made_asked_changed_and_removed(self) -> None:
        perspectives = self.client.perspectives
        query = "SELECT status, MEASURE(revenue) AS revenue FROM orders WHERE status = $status GROUP BY 1"
        params = [{"name": "status", "type": "text", "default": "completed"}]
        made = perspectives.create_perspective("In Python", query=query, params=params, tags=["py"])
        self.assertEqual(perspectives.get_perspective_result(made.slug).rows, [["completed", "115.25"]])
        returned = perspectives.get_perspective_result(made.slug, {"status": "returned"})
        self.assertEqual(returned.rows, [["returned", "20.50"]])
        csv = perspectives.download_perspective_result(made.slug, "csv")
        self.assertEqual(csv, b"status,revenue\r\ncompleted,115.25\r\n")
        changed = perspectives.change_perspective(made.slug, if_match=made.etag, auto_refresh=True)
        self.assertEqual((changed.version, changed.auto_refresh), (2, True))
        late = self.refused(412, perspectives.change_perspective, made.slug, if_match=made.etag, name="Late")
        self.assertEqual(late.code, "perspective.changed")
        perspectives.put_perspective(made.slug, "Whole", query=query, params=params, tags=["py"])
        versions = perspectives.list_perspective_versions(made.slug)
        self.assertEqual([each.version for each in versions.items], [3, 2, 1])
        self.assertEqual([each.name for each in perspectives.iter_perspectives(tag="py")], ["Whole"])
        self.assertEqual(perspectives.get_perspective(made.id).query, query)
        renamed = perspectives.change_perspective(made.slug, slug="renamed-in-python")
        self.assertEqual((renamed.id, renamed.slug), (made.id, "renamed-in-python"))
        self.assertIsNone(perspectives.delete_perspective(renamed.slug))
        self.refused(404, perspectives.get_perspective, renamed.slug)

    def test_of_the_asynchronous_client_are_the_same(self) -> None:
        async def flow() -> Any:
            async with live_async_client() as client:
                made = await client.perspectives.create_perspective(
                    "In Python too", query={"measures": ["orders.revenue"]}
                )
                rows = (await client.perspectives.get_perspective_result(made.slug)).rows
                await client.perspectives.delete_perspective(made.slug)
                return rows

        self.assertEqual(asyncio.run(flow()), [["135.75"]])


class Activity(Live):
    def test_plans_and_runs(self) -> None:
        plans = list(self.client.activity.iter_plans(page_size=1, environment="prod"))
        self.assertEqual(len(plans), 1)
        plan = self.client.activity.get_plan(plans[0].id)
        self.assertEqual((plan.id, plan["environment"], plan.status), (plans[0].id, "prod", "applied"))
        [run] = self.client.activity.iter_runs(status="succeeded", environment="prod")
        self.assertEqual(self.client.activity.get_run(run.id).id, run.id)
        names = [model.name for model in self.client.activity.list_model_activity(status="built").items]
        self.assertIn("marts.orders", names)

    def test_what_was_asked(self) -> None:
        tag = f"asked-{os.getpid()}"
        statement = self.client.query.submit_statement("SELECT 1 AS n", tags=[tag], wait=10)
        [asked] = self.client.activity.list_query_activity(tag=tag, query_type="sql").items
        self.assertEqual((asked.id, asked.status), (statement.id, "SUCCESS"))
        self.assertEqual(self.client.activity.list_query_activity(tag=tag, since="2999-01-01").items, [])

    def test_a_plan_is_previewed_applied_and_a_run_started_once(self) -> None:
        activity = self.client.activity
        plan = activity.preview_plan(environment=f"dev_{os.getpid()}")
        begun = activity.apply_plan(plan.id)
        for _ in range(600):
            run = activity.get_run(begun.id)
            if run.status != "running":
                break
            time.sleep(0.1)
        self.assertEqual(run.status, "succeeded")
        key = f"once-{os.getpid()}"
        first = activity.start_run(environment=f"dev_{os.getpid()}", idempotency_key=key)
        again = activity.start_run(environment=f"dev_{os.getpid()}", idempotency_key=key)
        self.assertEqual(first.id, again.id)
        self.assertEqual(activity.cancel_run(begun.id).status, "succeeded")
        self.refused(422, activity.preview_plan, start="yesteryear")

    def test_events_as_a_list_and_as_a_stream(self) -> None:
        listed = list(self.client.activity.iter_events(page_size=2))
        self.assertGreater(len(listed), 2)
        streamed = []
        for event in self.client.activity.stream_events(since=0):
            streamed.append(event)
            if len(streamed) == len(listed):
                break
        self.assertEqual(streamed, listed)
        types = {event.type for event in self.client.activity.iter_events(type=["plan.*", "run.started"])}
        self.assertTrue({"plan.created", "plan.applied", "run.started"} <= types)
        self.assertTrue(all(each.startswith("plan.") or each == "run.started" for each in types))

    def test_events_are_read_however_their_bytes_are_cut(self) -> None:
        from plinth.resource_requests import EventLines

        text = ': open\n\nid: 1\nevent: a\ndata: {"id": "é1"}\n\n: still here\n\nid: 2\ndata: {"id":\ndata: "2"}\n\n'.encode()
        for size in range(1, len(text) + 1):
            lines = EventLines()
            events = [event.id for at in range(0, len(text), size) for event in lines.feed(text[at : at + size])]
            self.assertEqual(events, ["é1", "2"])


class Async(unittest.TestCase):
    def test_twin_does_the_same(self) -> None:
        async def ask() -> None:
            async with live_async_client() as client:
                results = await asyncio.gather(*(client.query.run(MODEL_SQL) for _ in range(5)))
                for result in results:
                    self.assertEqual(result.rows, ROWS)
                statement = await client.query.submit_statement(MODEL_SQL, wait=20)
                pages = [page.rows async for page in client.query.iter_statement_result(statement.id, page_size=3)]
                self.assertEqual(pages, [ROWS[:3], ROWS[3:]])
                csv = await client.query.download_statement_result(statement.id, "csv")
                self.assertEqual(len((csv or b"").splitlines()), 5)
                items = [each async for each in client.query.iter_statements(page_size=3)]
                self.assertIn(statement.id, [each.id for each in items])
                with self.assertRaises(DataProductError) as caught:
                    await client.dq.summary()
                self.assertEqual(caught.exception.status_code, 501)

        asyncio.run(ask())


class Openapi(Live):
    def test_every_operation_of_the_document_is_a_method_of_both_clients(self) -> None:
        answer = httpx.get(f"{self.client.base_url}/openapi.json", headers={"Authorization": f"Bearer {TOKEN}"})
        document = answer.json()
        operations = [
            (operation["tags"][0], re.sub(r"(?<!^)(?=[A-Z])", "_", operation["operationId"]).lower())
            for path in document["paths"].values()
            for operation in path.values()
        ]
        self.assertGreaterEqual(len(operations), 10)
        for client in (DataProductClient, AsyncDataProductClient):
            groups = {
                name: type_name
                for name, type_name in client.__annotations__.items()
                if not str(type_name).startswith(("str", "ClassVar"))
            }
            import plinth.client as module

            for group, operation in operations:
                with self.subTest(client=client.__name__, group=group, operation=operation):
                    self.assertIn(group, groups)
                    self.assertTrue(hasattr(getattr(module, groups[group]), operation), f"{group}.{operation}")
