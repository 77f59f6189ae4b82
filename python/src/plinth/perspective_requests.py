"""Requests of the perspectives group."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Optional

from .errors import bad_parameter, required_segment, required_text
from .exchange import Answer, Request, expect, given, object_of
from .query_requests import FORMATS, result_of
from .records import Record
from .resource_requests import record
from .result import Result

_FIELDS = frozenset("slug name description query params visibility principals tags auto_refresh".split())


def _at(slug: str) -> tuple[str, ...]:
    return ("perspectives", required_segment("slug", slug))


def _written(fields: Mapping[str, Any], known: frozenset[str] = _FIELDS) -> dict[str, Any]:
    for name in fields:
        if name not in known:
            raise bad_parameter(name, "is not a parameter of this operation")
    # A description of None takes it away; anything else that is None was not said.
    return {name: value for name, value in fields.items() if value is not None or name == "description"}


def create(name: str, key: Optional[str], fields: Mapping[str, Any]) -> Request[Record]:
    body = {"name": required_text("name", name), **_written(fields, _FIELDS | {"statement_id"})}
    return Request("POST", ("perspectives",), record, body=body, accepted=frozenset({201}), idempotency_key=key)


def put(slug: str, name: str, if_match: Optional[str], fields: Mapping[str, Any]) -> Request[Record]:
    body = {"name": required_text("name", name), **_written(fields)}
    return Request("PUT", _at(slug), record, body=body, accepted=frozenset({200, 201}), if_match=if_match)


def change(slug: str, if_match: Optional[str], fields: Mapping[str, Any]) -> Request[Record]:
    return Request("PATCH", _at(slug), record, body=_written(fields, _FIELDS | {"owner"}), if_match=if_match)


def delete(slug: str, if_match: Optional[str]) -> Request[None]:
    return Request("DELETE", _at(slug), lambda _: None, accepted=frozenset({204}), if_match=if_match)


def get(slug: str) -> Request[Record]:
    return Request("GET", _at(slug), record)


def _asked(params: Optional[Mapping[str, Any]], options: Mapping[str, Any]) -> dict[str, Any]:
    return given(params=None if params is None else json.dumps(dict(params)), **options)


def result(slug: str, params: Optional[Mapping[str, Any]], options: Mapping[str, Any]) -> Request[Result]:
    def read(answer: Answer) -> Result:
        return result_of(object_of(answer, ("cols", "rows")))

    return Request("GET", (*_at(slug), "result"), read, params=_asked(params, options))


def file(slug: str, format: str, params: Optional[Mapping[str, Any]], options: Mapping[str, Any]) -> Request[bytes]:
    if format not in FORMATS:
        raise bad_parameter("format", f"must be one of {', '.join(FORMATS)}")

    def read(answer: Answer) -> bytes:
        expect(answer.content_type == FORMATS[format], f"it is {answer.content_type or 'of no type'}, not {format}")
        return answer.body

    asked = {"format": format, **_asked(params, options)}
    return Request("GET", (*_at(slug), "result"), read, params=asked, accept=FORMATS[format])
