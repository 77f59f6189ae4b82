"""Servers to test against: the real one, which the environment names, and one that answers whatever a test wants."""

from __future__ import annotations

import json
import os
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Optional, Union

from plinth import AsyncDataProductClient, DataProductClient

URL = os.environ.get("PLINTH_TEST_URL", "")
TENANT = os.environ.get("PLINTH_TEST_TENANT", "")
PRODUCT = os.environ.get("PLINTH_TEST_PRODUCT", "")
TOKEN = os.environ.get("PLINTH_TEST_TOKEN", "")
"""Of somebody who may ask."""
STRANGER = os.environ.get("PLINTH_TEST_STRANGER", "")
"""A token of somebody of the tenant who has no role."""
LIBRARIES = json.loads(os.environ.get("PLINTH_TEST_LIBRARIES", "[]"))
"""Which of pandas, polars and pyarrow must be there."""


def live_client(token: str = TOKEN, **options: Any) -> DataProductClient:
    return DataProductClient(fqdn=URL, dp_name=PRODUCT, access_token=token, tenant=TENANT, **options)


def live_async_client() -> AsyncDataProductClient:
    return AsyncDataProductClient(fqdn=URL, dp_name=PRODUCT, access_token=TOKEN, tenant=TENANT)


@dataclass
class Seen:
    """A request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Reply:
    """An answer to give. ``raw`` is written as it is, and the connection closed after it."""

    status: int = 200
    body: Union[bytes, str, dict[str, Any], list[Any]] = b""
    headers: dict[str, str] = field(default_factory=dict)
    content_type: Optional[str] = "application/json"
    raw: Optional[bytes] = None
    before: Callable[[], None] = lambda: None


class ScriptedServer:
    """Answers each request with the next reply; the last one is repeated."""

    def __init__(self, *replies: Reply) -> None:
        self.seen: list[Seen] = []
        script = list(replies)
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self) -> None:
                length = int(self.headers.get("content-length", 0))
                headers = {name.lower(): value for name, value in self.headers.items()}
                outer.seen.append(Seen(self.command, self.path, headers, self.rfile.read(length)))
                reply = script.pop(0) if len(script) > 1 else script[0]
                reply.before()
                if reply.raw is not None:
                    self.close_connection = True
                    self.wfile.write(reply.raw)
                    return
                body = reply.body
                data = body if isinstance(body, bytes) else (body if isinstance(body, str) else json.dumps(body)).encode()
                self.send_response(reply.status)
                if reply.content_type is not None:
                    self.send_header("Content-Type", reply.content_type)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                try:
                    self.end_headers()
                    self.wfile.write(data)
                except OSError:
                    self.close_connection = True  # Whoever asked has gone, as a test wanted.

            do_GET = do_POST = answer

            def log_message(self, *_args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}"

    def client(self, token: str = "plt_secret", **options: Any) -> DataProductClient:
        return DataProductClient(fqdn=self.address, dp_name="shop", access_token=token, tenant="acme", **options)

    def async_client(self, **options: Any) -> AsyncDataProductClient:
        return AsyncDataProductClient(
            fqdn=self.address, dp_name="shop", access_token="plt_secret", tenant="acme", **options
        )

    def __enter__(self) -> ScriptedServer:
        return self

    def __exit__(self, *_error: Any) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


STATEMENT = {"id": "s_1", "status": "SUCCESS"}


def result_body(rows: list[list[Any]], **more: Any) -> dict[str, Any]:
    cols = [{"name": "n", "type": "integer", "engine_type": "BIGINT"}]
    return {"cols": cols, "rows": rows, "row_count": len(rows), "truncated": False, "next": None, **more}
