"""Sending, with httpx: the only module that knows it."""

from __future__ import annotations

import asyncio
import functools
import ssl
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Callable, TypeVar

import httpx

from .errors import bad_parameter
from .exchange import EVENTS, Answer, Exchange, Request

T = TypeVar("T")

SILENCE_MAX = 60.0

_LOST = (httpx.NetworkError, httpx.RemoteProtocolError)
"""The connection was refused or broke: worth another attempt. A timeout is not, it would take as long again."""


@functools.lru_cache(maxsize=1)
def _trust() -> ssl.SSLContext:
    """The authorities that come with httpx and those of the machine; reading them takes long enough to do it once."""
    context = httpx.create_ssl_context()
    context.load_default_certs()
    return context


class Settings:
    """What both transports share. The token is kept where no ``repr`` or ``vars`` shows it."""

    def __init__(self, *, base_url: str, token: str, timeout: float, verify_ssl: bool, retries: int) -> None:
        if isinstance(timeout, bool) or not isinstance(timeout, (int, float)) or not 0 < timeout < float("inf"):
            raise bad_parameter("timeout", "must be a number of seconds above 0")
        if not isinstance(verify_ssl, bool):
            raise bad_parameter("verify_ssl", "must be True or False")
        self.base_url = base_url
        self.timeout = float(timeout)
        self.verify_ssl = verify_ssl
        self.retries = retries
        self._token: Callable[[], str] = lambda: token

    def exchange(self, request: Request[T]) -> Exchange[T]:
        return Exchange(request, base_url=self.base_url, token=self._token(), retries=self.retries)

    def client_options(self) -> dict[str, Any]:
        return {
            "timeout": self.timeout,
            "verify": _trust() if self.verify_ssl else False,
            "follow_redirects": False,
            "headers": {"User-Agent": "plinth-python"},
        }

    def options(self, exchange: Exchange[Any]) -> dict[str, Any]:
        return {
            "method": exchange.request.method,
            "url": exchange.url,
            "params": exchange.params,
            "headers": exchange.headers,
            "content": exchange.content,
        }


def _answer(response: httpx.Response, body: bytes) -> Answer:
    return Answer(response.status_code, response.reason_phrase, response.headers, body)


def _patience(exchange: Exchange[Any], timeout: float) -> dict[str, Any]:
    """A stream of events is silent for as long as nothing happens; the server says every 15 seconds that it is there."""
    if exchange.request.accept != EVENTS:
        return {}
    return {"timeout": httpx.Timeout(timeout, read=max(timeout, SILENCE_MAX))}


def _late(timeout: float) -> httpx.ReadTimeout:
    return httpx.ReadTimeout(f"it took longer than {timeout:g} s")


class Transport:
    """Sends from the calling thread."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._client = httpx.Client(**settings.client_options())

    def send(self, request: Request[T]) -> T:
        exchange = self.settings.exchange(request)
        while True:
            try:
                answer = self._once(exchange)
                pause = exchange.pause_after(answer.status, answer.headers)
                if pause is None:
                    return exchange.read(answer)
            except _LOST as error:
                pause = exchange.pause_after(None, {})
                if pause is None:
                    raise exchange.lost(error) from error
            except (httpx.HTTPError, httpx.InvalidURL, RuntimeError) as error:
                raise exchange.lost(error) from error
            time.sleep(pause)

    def _once(self, exchange: Exchange[Any]) -> Answer:
        timeout = self.settings.timeout
        deadline = time.monotonic() + timeout
        with self._client.stream(**self.settings.options(exchange)) as response:
            chunks = []
            for chunk in response.iter_bytes():
                chunks.append(chunk)
                # httpx counts from byte to byte: an answer that trickles would never end.
                if time.monotonic() > deadline:
                    raise _late(timeout)
            return _answer(response, b"".join(chunks))

    @contextmanager
    def stream(self, request: Request[Any]) -> Iterator[Iterator[bytes]]:
        """The body as it comes; an answer other than success is raised before the first byte."""
        exchange = self.settings.exchange(request)
        options = {**self.settings.options(exchange), **_patience(exchange, self.settings.timeout)}
        try:
            with self._client.stream(**options) as response:
                if response.status_code not in request.accepted:
                    exchange.read(_answer(response, response.read()))
                exchange.read(_answer(response, b""))
                yield response.iter_bytes()
        except (httpx.HTTPError, httpx.InvalidURL, RuntimeError) as error:
            raise exchange.lost(error) from error

    def close(self) -> None:
        self._client.close()


class AsyncTransport:
    """Sends from an asyncio loop."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._client = httpx.AsyncClient(**settings.client_options())

    async def send(self, request: Request[T]) -> T:
        exchange = self.settings.exchange(request)
        while True:
            try:
                answer = await self._once(exchange)
                pause = exchange.pause_after(answer.status, answer.headers)
                if pause is None:
                    return exchange.read(answer)
            except _LOST as error:
                pause = exchange.pause_after(None, {})
                if pause is None:
                    raise exchange.lost(error) from error
            except (httpx.HTTPError, httpx.InvalidURL, RuntimeError) as error:
                raise exchange.lost(error) from error
            await asyncio.sleep(pause)

    async def _once(self, exchange: Exchange[Any]) -> Answer:
        timeout = self.settings.timeout
        deadline = time.monotonic() + timeout
        async with self._client.stream(**self.settings.options(exchange)) as response:
            chunks = []
            async for chunk in response.aiter_bytes():
                chunks.append(chunk)
                if time.monotonic() > deadline:
                    raise _late(timeout)
            return _answer(response, b"".join(chunks))

    @asynccontextmanager
    async def stream(self, request: Request[Any]) -> AsyncIterator[AsyncIterator[bytes]]:
        """The body as it comes; an answer other than success is raised before the first byte."""
        exchange = self.settings.exchange(request)
        options = {**self.settings.options(exchange), **_patience(exchange, self.settings.timeout)}
        try:
            async with self._client.stream(**options) as response:
                if response.status_code not in request.accepted:
                    exchange.read(_answer(response, await response.aread()))
                exchange.read(_answer(response, b""))
                yield response.aiter_bytes()
        except (httpx.HTTPError, httpx.InvalidURL, RuntimeError) as error:
            raise exchange.lost(error) from error

    async def close(self) -> None:
        await self._client.aclose()
