"""A request and how its answer is read: everything about the API that does not depend on how bytes are sent.

The two transports, which do, ask an :class:`Exchange` what to send, whether to try again, and what the answer means.
"""

from __future__ import annotations

import email.utils
import json
import random
import time
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Callable, Generic, Optional, TypeVar

from .address import segment
from .errors import DataProductError

T = TypeVar("T")

EVENTS = "text/event-stream"
RETRIED_STATUSES = frozenset({429, 502, 503})
PLAIN_HINT = "the server does not speak TLS: begin fqdn with http:// if that is meant"
RETRY_AFTER_MAX = 30.0
"""Seconds; a server that wants us to wait longer is taken at its word and the error raised."""


@dataclass(frozen=True)
class Answer:
    """An answer, whole."""

    status: int
    reason: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def content_type(self) -> str:
        return self.headers.get("content-type", "").split(";")[0].strip().lower()


@dataclass(frozen=True)
class Request(Generic[T]):
    """What is asked, and how the answer is read. ``path`` has the segments below the base address, as they are meant."""

    method: str
    path: tuple[str, ...]
    read: Callable[[Answer], T]
    params: Mapping[str, Any] = field(default_factory=dict)
    body: Optional[Mapping[str, Any]] = None
    accepted: frozenset[int] = frozenset({200})
    accept: str = "application/json"
    idempotency_key: Optional[str] = None
    if_match: Optional[str] = None


def given(**fields: Any) -> dict[str, Any]:
    """Fields that were given: None is the same as not said."""
    return {name: value for name, value in fields.items() if value is not None}


def _parameter(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(_parameter(each) for each in value)
    return str(value)


class Exchange(Generic[T]):
    """One request with its attempts."""

    def __init__(self, request: Request[T], *, base_url: str, token: str, retries: int) -> None:
        self.request = request
        self.url = "/".join([base_url, *(segment(each) for each in request.path)])
        self._token = token
        self._retries_left = retries
        self._delay = 0.2
        # One key for all attempts: a server that did the work before the answer was lost does not do it again.
        self._key = request.idempotency_key or str(uuid.uuid4())

    def __repr__(self) -> str:
        return f"Exchange({self.request.method} {self.url})"

    @property
    def params(self) -> Optional[dict[str, str]]:
        # None, because an empty mapping would take a `?` of the address away.
        return {name: _parameter(value) for name, value in self.request.params.items() if value not in ([], ())} or None

    @property
    def headers(self) -> dict[str, str]:
        headers = {"Authorization": f"Bearer {self._token}", "Accept": self.request.accept}
        if self.request.method == "POST":
            headers["Idempotency-Key"] = self._key
        if self.request.if_match is not None:
            headers["If-Match"] = f'"{self.request.if_match}"'
        if self.request.body is not None:
            headers["Content-Type"] = "application/json"
        return headers

    @property
    def content(self) -> Optional[bytes]:
        if self.request.body is None:
            return None
        try:
            return json.dumps(self.request.body, allow_nan=False).encode()
        except (TypeError, ValueError, RecursionError) as error:
            raise DataProductError(400, f"the request cannot be written as JSON: {error}") from error

    def pause_after(self, status: Optional[int], headers: Mapping[str, str]) -> Optional[float]:
        """Seconds to wait before the next attempt; None when there is none. ``status`` is None when the connection broke."""
        if self._retries_left == 0 or (status is not None and status not in RETRIED_STATUSES):
            return None
        wanted = _retry_after(headers.get("retry-after", ""))
        if wanted is not None and wanted > RETRY_AFTER_MAX:
            return None
        self._retries_left -= 1
        pause = self._delay * random.uniform(0.5, 1.0)
        self._delay *= 2
        return max(pause, wanted or 0.0)

    def read(self, answer: Answer) -> T:
        """What the answer means, or the error that it is."""
        if answer.status not in self.request.accepted:
            raise self._refusal(answer)
        try:
            return self.request.read(answer)
        except _Unexpected as problem:
            raise self.unexpected(answer, str(problem)) from None

    def unexpected(self, answer: Answer, what: str) -> DataProductError:
        return DataProductError(
            answer.status,
            self._redacted(f"the answer to {self.request.method} {self.url} makes no sense: {what}"),
            code="client.unexpected-answer",
            correlation_id=answer.headers.get("platform-correlation-id"),
        )

    def lost(self, error: Exception) -> DataProductError:
        """No answer came."""
        what = str(error) or type(error).__name__
        return DataProductError(
            0,
            self._redacted(f"{self.request.method} {self.url} got no answer: {what}"),
            code="client.no-answer",
            hint=PLAIN_HINT if "WRONG_VERSION_NUMBER" in what else None,
        )

    def _refusal(self, answer: Answer) -> DataProductError:
        if answer.status in range(300, 400) and answer.status != 304:
            # Following it would hand the token to the address it names.
            return self.unexpected(answer, f"it is a redirect ({answer.status} {answer.reason}), and none is followed")
        try:
            problem = json.loads(answer.body)
        except (ValueError, RecursionError):
            problem = None
        if not isinstance(problem, dict) or not isinstance(problem.get("detail"), str):
            kind = answer.content_type or "no content type"
            return self.unexpected(answer, f"{answer.status} {answer.reason} with {kind} and no problem in it")
        errors = problem.get("errors")
        return DataProductError(
            answer.status,
            self._redacted(problem["detail"]),
            code=_text(problem.get("code")),
            hint=_text(problem.get("hint")),
            errors=[each for each in errors if isinstance(each, dict)] if isinstance(errors, list) else [],
            correlation_id=_text(problem.get("correlation_id")) or answer.headers.get("platform-correlation-id"),
        )

    def _redacted(self, text: str) -> str:
        # A shorter text is not a secret, and may be part of any word.
        return text.replace(self._token, "***") if len(self._token) >= 8 else text


def _text(value: object) -> Optional[str]:
    return value if isinstance(value, str) else None


def _retry_after(written: str) -> Optional[float]:
    """Seconds, from a number of them or from a date."""
    if written.strip().isdigit():
        return float(written)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(written).timestamp() - time.time())
    except (TypeError, ValueError, OverflowError):
        return None


class _Unexpected(Exception):
    """An answer that is not what the API promises."""


def expect(condition: bool, what: str) -> None:
    if not condition:
        raise _Unexpected(what)


def json_of(answer: Answer) -> Any:
    kind = answer.content_type
    expect(kind == "application/json" or kind.endswith("+json"), f"it is {kind or 'of no type'}, not JSON")
    try:
        return json.loads(answer.body)
    except (ValueError, RecursionError):
        raise _Unexpected("it says that it is JSON, and is not") from None


def object_of(answer: Answer, names: Iterable[str] = ()) -> dict[str, Any]:
    """A JSON object with at least these fields."""
    value = json_of(answer)
    expect(isinstance(value, dict), "it is not a JSON object")
    for name in names:
        expect(name in value, f"it has no {name}")
    return dict(value)
