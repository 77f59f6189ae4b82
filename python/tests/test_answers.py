"""Answers as no server should give them, and connections that break: always a DataProductError, never the token."""

from __future__ import annotations

import asyncio
import logging
import time
import traceback
import unittest
from typing import Any

from plinth import DataProductClient, DataProductError
from support import STATEMENT, Reply, ScriptedServer, result_body

PROBLEM = {"type": "x", "title": "Forbidden", "status": 403, "detail": "You may not.", "code": "access.forbidden",
           "errors": [{"path": "body/sql", "message": "is missing"}], "hint": "ask", "correlation_id": "c-1"}


class Fast(unittest.TestCase):
    """Pauses between attempts are real and short."""

    def fails(self, reply: Reply, **options: Any) -> DataProductError:
        with ScriptedServer(reply) as server, server.client(**options) as client:
            with self.assertRaises(DataProductError) as caught:
                client.query.get_statement("s_1")
        self.assertNotIn("plt_secret", "".join(traceback.format_exception(None, caught.exception, caught.exception.__traceback__)))
        return caught.exception


class Refusals(Fast):
    def test_are_told_once(self) -> None:
        told = {**PROBLEM, "errors": [{"path": "<query>", "message": "You may not."}, {"path": "body/x", "message": "is odd"}]}
        self.assertEqual(str(self.fails(Reply(403, told))), "403: You may not.; body/x is odd; hint: ask")


class UnexpectedAnswers(Fast):
    def test_are_errors_with_their_status(self) -> None:
        deep = b"[" * 100_000
        for name, reply in {
            "no body": Reply(200),
            "no JSON": Reply(200, "hello"),
            "half a JSON": Reply(200, '{"id": "s_1", "sta'),
            "HTML": Reply(200, "<html>Sign in</html>", content_type="text/html"),
            "HTML that says JSON": Reply(200, "<html>"),
            "JSON that says HTML": Reply(200, STATEMENT, content_type="text/html"),
            "no type": Reply(200, STATEMENT, content_type=None),
            "a list": Reply(200, [STATEMENT]),
            "null": Reply(200, "null"),
            "a number": Reply(200, "7"),
            "another shape": Reply(200, {"identifier": "s_1"}),
            "no status": Reply(200, {"id": "s_1"}),
            "an id that is a number": Reply(200, {"id": 1, "status": "SUCCESS"}),
            "an empty id": Reply(200, {"id": "", "status": "SUCCESS"}),
            "a status that is null": Reply(200, {"id": "s_1", "status": None}),
            "bytes that are no text": Reply(200, b"\xff\xfe{}"),
            "nested too deeply": Reply(200, deep),
            "no content": Reply(204, content_type=None),
            "another success": Reply(201, STATEMENT),
            "an inline result of another shape": Reply(200, {**STATEMENT, "result": {"cols": 1}}),
        }.items():
            with self.subTest(name):
                error = self.fails(reply)
                self.assertEqual(error.status_code, reply.status)
                self.assertIn("makes no sense", error.detail)

    def test_results_of_another_shape_are_errors(self) -> None:
        good = result_body([[1]])
        for name, body in {
            "no cols": {key: value for key, value in good.items() if key != "cols"},
            "no rows": {key: value for key, value in good.items() if key != "rows"},
            "cols that are no list": {**good, "cols": {}},
            "cols without names": {**good, "cols": [{}]},
            "rows that are no list": {**good, "rows": {}},
            "rows that are objects": {**good, "rows": [{"n": 1}]},
            "rows of another width": {**good, "rows": [[1, 2]]},
            "more without any": {**good, "rows": [], "next": "/somewhere"},
        }.items():
            with self.subTest(name), ScriptedServer(Reply(200, body)) as server, server.client() as client:
                with self.assertRaises(DataProductError) as caught:
                    client.query.get_statement_result("s_1")
                self.assertIn("makes no sense", caught.exception.detail)

    def test_pages_that_do_not_fit_together_are_errors(self) -> None:
        first = result_body([[1]], row_count=2, next="/x")
        second = {**result_body([[1, 2]], row_count=2), "cols": [{"name": "a"}, {"name": "b"}]}
        with ScriptedServer(Reply(200, first), Reply(200, second)) as server, server.client() as client:
            with self.assertRaises(DataProductError):
                client.query.get_statement_result("s_1")

    def test_lists_of_another_shape_are_errors(self) -> None:
        for body in ({"items": {}}, {"items": [1]}, {"items": [], "next_cursor": 7}, {}):
            with self.subTest(body), ScriptedServer(Reply(200, body)) as server, server.client() as client:
                with self.assertRaises(DataProductError):
                    client.query.list_statements()

    def test_redirects_are_not_followed_and_the_token_goes_nowhere(self) -> None:
        with ScriptedServer(Reply(200, STATEMENT)) as thief:
            for status in (301, 302, 303, 307, 308):
                with self.subTest(status):
                    error = self.fails(Reply(status, headers={"Location": f"{thief.address}/take"}))
                    self.assertEqual(error.status_code, status)
                    self.assertIn("redirect", error.detail)
            self.assertEqual(thief.seen, [])

    def test_next_of_a_result_is_not_an_address_to_go_to(self) -> None:
        with ScriptedServer(Reply(200, STATEMENT)) as thief:
            first = result_body([[1]], row_count=2, next=f"{thief.address}/take")
            second = result_body([[2]], row_count=2)
            with ScriptedServer(Reply(200, first), Reply(200, second)) as server, server.client() as client:
                self.assertEqual(client.query.get_statement_result("s_1").rows, [[1], [2]])
                self.assertTrue(server.seen[1].path.endswith("/result?offset=1"))
            self.assertEqual(thief.seen, [])

    def test_a_truncated_answer_is_no_answer(self) -> None:
        raw = b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"id": "s_1"'
        error = self.fails(Reply(raw=raw))
        self.assertEqual(error.status_code, 0)

    def test_a_truncated_download_leaves_no_file(self) -> None:
        import os
        import tempfile

        raw = b"HTTP/1.1 200 OK\r\nContent-Type: text/csv\r\nContent-Length: 1000\r\n\r\na,b\r\n1,2\r\n"
        with tempfile.TemporaryDirectory() as folder, ScriptedServer(Reply(raw=raw)) as server:
            with server.client() as client, self.assertRaises(DataProductError):
                client.query.download_statement_result("s_1", "csv", os.path.join(folder, "out.csv"))
            self.assertEqual(os.listdir(folder), [])

    def test_bytes_that_are_no_http_are_no_answer(self) -> None:
        self.assertEqual(self.fails(Reply(raw=b"SSH-2.0-OpenSSH\r\n")).status_code, 0)


class Refusals(Fast):
    def test_carry_what_the_problem_says(self) -> None:
        error = self.fails(Reply(403, PROBLEM, content_type="application/problem+json"))
        self.assertEqual((error.status_code, error.detail), (403, "You may not."))
        self.assertEqual((error.code, error.hint, error.correlation_id), ("access.forbidden", "ask", "c-1"))
        self.assertIn("body/sql is missing", str(error))

    def test_without_a_problem_have_a_detail_all_the_same(self) -> None:
        for reply in (
            Reply(401, "<html>", content_type="text/html"),
            Reply(500, ""),
            Reply(404, "[1]"),
            Reply(418, {"detail": 7}),
            Reply(403, {"error": "no"}),
        ):
            with self.subTest(reply.status):
                error = self.fails(reply)
                self.assertEqual(error.status_code, reply.status)
                self.assertTrue(error.detail)

    def test_a_server_that_echoes_the_token_does_not_get_it_into_the_error(self) -> None:
        error = self.fails(Reply(401, {**PROBLEM, "detail": "Bearer plt_secret is unknown"}))
        self.assertEqual(error.detail, "Bearer *** is unknown")


class Requests(Fast):
    def test_carry_the_token_every_one_of_them(self) -> None:
        with ScriptedServer(Reply(503, PROBLEM), Reply(200, STATEMENT)) as server, server.client() as client:
            client.query.get_statement("s_1")
            client.query.submit_statement("SELECT 1")
            client.query.cancel_statement("s_1")
            self.assertEqual(len(server.seen), 4)
            for seen in server.seen:
                self.assertEqual(seen.headers["authorization"], "Bearer plt_secret")

    def test_the_token_is_in_no_log(self) -> None:
        lines: list[str] = []
        handler = logging.Handler()
        handler.emit = lambda entry: lines.append(entry.getMessage())  # type: ignore[method-assign]
        root = logging.getLogger()
        level = root.level
        root.addHandler(handler)
        root.setLevel(logging.DEBUG)
        try:
            with ScriptedServer(Reply(200, STATEMENT)) as server, server.client() as client:
                client.query.get_statement("s_1")
        finally:
            root.removeHandler(handler)
            root.setLevel(level)
        self.assertGreater(len(lines), 0)
        self.assertNotIn("plt_secret", "\n".join(lines))


class Attempts(Fast):
    def test_are_repeated_when_the_server_is_not_there_for_a_moment(self) -> None:
        for status in (429, 502, 503):
            with self.subTest(status):
                with ScriptedServer(Reply(status, PROBLEM), Reply(200, STATEMENT)) as server:
                    with server.client() as client:
                        self.assertEqual(client.query.submit_statement("SELECT 1").id, "s_1")
                    keys = {seen.headers["idempotency-key"] for seen in server.seen}
                    self.assertEqual((len(server.seen), len(keys)), (2, 1))
                    self.assertEqual(server.seen[0].body, server.seen[1].body)

    def test_are_repeated_when_the_connection_breaks(self) -> None:
        with ScriptedServer(Reply(raw=b""), Reply(raw=b"HTTP/1.1 200 OK\r\nContent-"), Reply(200, STATEMENT)) as server:
            with server.client() as client:
                self.assertEqual(client.query.submit_statement("SELECT 1").id, "s_1")
            self.assertEqual(len({seen.headers["idempotency-key"] for seen in server.seen}), 1)
            self.assertEqual(len(server.seen), 3)

    def test_two_submissions_have_two_keys_and_a_key_can_be_given(self) -> None:
        with ScriptedServer(Reply(202, STATEMENT)) as server, server.client() as client:
            client.query.submit_statement("SELECT 1")
            client.query.submit_statement("SELECT 1")
            client.query.submit_statement("SELECT 1", idempotency_key="mine")
            first, second, third = [seen.headers["idempotency-key"] for seen in server.seen]
            self.assertNotEqual(first, second)
            self.assertEqual(third, "mine")
            self.assertNotIn(b"mine", server.seen[2].body)

    def test_wait_as_long_as_retry_after_says(self) -> None:
        with ScriptedServer(Reply(429, PROBLEM, {"Retry-After": "1"}), Reply(200, STATEMENT)) as server:
            with server.client() as client:
                before = time.monotonic()
                client.query.get_statement("s_1")
                self.assertGreaterEqual(time.monotonic() - before, 1.0)

    def test_end_at_once_when_the_wait_would_be_long(self) -> None:
        with ScriptedServer(Reply(429, PROBLEM, {"Retry-After": "3600"})) as server, server.client() as client:
            with self.assertRaises(DataProductError) as caught:
                client.query.get_statement("s_1")
            self.assertEqual((caught.exception.status_code, len(server.seen)), (429, 1))

    def test_end_after_the_fourth(self) -> None:
        with ScriptedServer(Reply(503, PROBLEM)) as server, server.client() as client:
            with self.assertRaises(DataProductError) as caught:
                client.query.get_statement("s_1")
            self.assertEqual((caught.exception.status_code, len(server.seen)), (503, 4))

    def test_are_not_repeated_when_the_answer_is_final(self) -> None:
        for status in (400, 401, 403, 404, 409, 422, 500):
            with self.subTest(status), ScriptedServer(Reply(status, PROBLEM)) as server, server.client() as client:
                with self.assertRaises(DataProductError):
                    client.query.submit_statement("SELECT 1")
                self.assertEqual(len(server.seen), 1)

    def test_nobody_there_is_an_error_of_status_0(self) -> None:
        with ScriptedServer(Reply()) as server:
            address = server.address
        with DataProductClient(fqdn=address, dp_name="a", access_token="plt_secret", tenant="b") as client:
            with self.assertRaises(DataProductError) as caught:
                client.query.get_statement("s_1")
        self.assertEqual(caught.exception.status_code, 0)
        self.assertNotIn("plt_secret", str(caught.exception))

    def test_a_server_without_tls_is_named_as_such(self) -> None:
        with ScriptedServer(Reply()) as server:
            host = server.address.split("://")[-1]
            with DataProductClient(fqdn=host, dp_name="a", access_token="plt_secret", tenant="b") as client:
                with self.assertRaises(DataProductError) as caught:
                    client.query.get_statement("s_1")
        self.assertIn("http://", str(caught.exception.hint))

    def test_a_closed_client_is_an_error_too(self) -> None:
        with ScriptedServer(Reply(200, STATEMENT)) as server:
            client = server.client()
            client.close()
            with self.assertRaises(DataProductError):
                client.query.get_statement("s_1")


class Timeouts(Fast):
    def test_end_a_request_that_gets_no_answer(self) -> None:
        with ScriptedServer(Reply(200, STATEMENT, before=lambda: time.sleep(2))) as server:
            with server.client(timeout=0.3) as client:
                before = time.monotonic()
                with self.assertRaises(DataProductError) as caught:
                    client.query.get_statement("s_1")
                self.assertLess(time.monotonic() - before, 1.9)
            self.assertEqual((caught.exception.status_code, len(server.seen)), (0, 1))

    def test_end_an_answer_that_trickles(self) -> None:
        with _Trickling() as address:
            with DataProductClient(fqdn=address, dp_name="a", access_token="t", tenant="b", timeout=0.5) as client:
                with self.assertRaises(DataProductError) as caught:
                    client.query.get_statement("s_1")
        self.assertIn("longer than 0.5 s", caught.exception.detail)


class _Trickling:
    """One byte every 50 ms, for ever: no single read ever takes long."""

    def __enter__(self) -> str:
        import socket
        import threading

        self._socket = socket.create_server(("127.0.0.1", 0))
        self._done = threading.Event()

        def serve() -> None:
            connection, _ = self._socket.accept()
            with connection:
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n")
                while not self._done.wait(0.05):
                    try:
                        connection.sendall(b" ")
                    except OSError:
                        return

        self._thread = threading.Thread(target=serve)
        self._thread.start()
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}"

    def __exit__(self, *_error: Any) -> None:
        self._done.set()
        self._thread.join()
        self._socket.close()


class AsyncTwin(unittest.TestCase):
    def test_behaves_the_same(self) -> None:
        async def ask(*replies: Reply) -> Any:
            with ScriptedServer(*replies) as server:
                async with server.async_client(timeout=2.0) as client:
                    answer = await client.query.get_statement("s_1")
                return answer.id, [seen.headers["authorization"] for seen in server.seen]

        self.assertEqual(
            asyncio.run(ask(Reply(503, PROBLEM), Reply(raw=b""), Reply(200, STATEMENT))),
            ("s_1", ["Bearer plt_secret"] * 3),
        )
        for reply in (Reply(200, "<html>"), Reply(302, headers={"Location": "/x"}), Reply(403, PROBLEM), Reply(raw=b"?\r\n")):
            with self.subTest(reply.status), self.assertRaises(DataProductError):
                asyncio.run(ask(reply))

    def test_a_cancelled_run_cancels_its_statement(self) -> None:
        running = {"id": "s_1", "status": "IN_PROGRESS"}
        slow = Reply(200, running, before=lambda: time.sleep(0.2))

        async def ask(server: ScriptedServer) -> None:
            async with server.async_client() as client:
                task = asyncio.ensure_future(client.query.run("SELECT 1"))
                for _ in range(500):
                    if len(server.seen) >= 2:
                        break
                    await asyncio.sleep(0.02)
                task.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await task

        with ScriptedServer(Reply(202, running), slow) as server:
            asyncio.run(ask(server))
            self.assertTrue(server.seen[-1].path.endswith("/query/statement/s_1/cancel"))


class Run(unittest.TestCase):
    def test_raises_what_the_statement_failed_with(self) -> None:
        failed = {"id": "s_1", "status": "failed", "error": {"code": "engine.x", "message": "No such column", "hint": "look"}}
        with ScriptedServer(Reply(200, failed)) as server, server.client() as client:
            with self.assertRaises(DataProductError) as caught:
                client.query.run("SELECT 1")
        self.assertEqual((caught.exception.status_code, caught.exception.code), (409, "engine.x"))
        self.assertIn("No such column", caught.exception.detail)

    def test_takes_succeeded_for_success_in_whatever_case(self) -> None:
        for status in ("SUCCESS", "SUCCEEDED", "succeeded", "Success"):
            done = {"id": "s_1", "status": status}
            with ScriptedServer(Reply(202, done), Reply(200, result_body([[1]]))) as server, server.client() as client:
                self.assertEqual(client.query.run("SELECT 1").rows, [[1]])
