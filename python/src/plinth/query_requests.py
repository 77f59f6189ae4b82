"""Requests of the query group, and how their answers are read."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Optional, Union

from .errors import bad_parameter, required_segment, required_text
from .exchange import Answer, Request, expect, given, object_of
from .records import Page, Record, Statement
from .resource_requests import page
from .result import Result

if TYPE_CHECKING:
    from typing_extensions import Literal, TypedDict, Unpack

    class SubmitOptions(TypedDict, total=False):
        """How a question is answered; what is not said is left to the server."""

        timezone: Optional[str]
        """IANA zone of semantic questions."""
        wait: Optional[float]
        """Seconds to wait for the end, at most 50."""
        on_wait_timeout: Optional[Literal["continue", "cancel"]]
        timeout: Optional[float]
        """Seconds after which the statement fails."""
        row_limit: Optional[int]
        on_limit: Optional[Literal["truncate", "fail"]]
        cache: Optional[bool]
        """False: a kept answer is not taken."""
        ttl: Optional[float]
        """How old, in seconds, a kept answer may be."""
        tags: Optional[Sequence[str]]
        environment: Optional[str]
        idempotency_key: Optional[str]

    class SqlOptions(SubmitOptions, total=False):
        parameters: Optional[Sequence[Any]]
        """Values of ``?`` in the text."""

    class MetricOptions(SubmitOptions, total=False):
        granularity: Optional[str]
        dimensions: Optional[Sequence[str]]
        filters: Optional[Sequence[Mapping[str, Any]]]
        segments: Optional[Sequence[str]]
        date_range: Optional[Union[str, Sequence[str]]]
        order: Optional[Any]
        limit: Optional[int]
        offset: Optional[int]
        total: Optional[bool]

    ResultFormat = Literal["csv", "ndjson", "arrow", "parquet"]

_SUBMITTED = frozenset({200, 202})
_OPTIONS = frozenset(
    "timezone wait on_wait_timeout timeout row_limit on_limit cache ttl tags environment idempotency_key".split()
)
_METRIC = frozenset("granularity dimensions filters segments date_range order limit offset total".split())
FORMATS: Mapping[str, str] = {
    "csv": "text/csv",
    "ndjson": "application/x-ndjson",
    "arrow": "application/vnd.apache.arrow.stream",
    "parquet": "application/vnd.apache.parquet",
}


def _statement_of(answer: Answer) -> Statement:
    body = object_of(answer, ("id", "status"))
    expect(isinstance(body["id"], str) and body["id"] != "", "its id is not text")
    expect(isinstance(body["status"], str), "its status is not text")
    if body.get("result") is not None:
        # The first page stays plain until it is asked for: its rows may be many.
        body["result"] = result_of(body["result"])
    return Statement(body)


def result_of(body: Any) -> Result:
    expect(isinstance(body, dict), "the result is not a JSON object")
    cols, rows = body.get("cols"), body.get("rows")
    expect(isinstance(cols, list) and all(_is_column(col) for col in cols), "its cols are not columns")
    width = len(cols)
    expect(
        isinstance(rows, list) and all(isinstance(row, list) and len(row) == width for row in rows),
        "its rows are not lists of as many cells as there are cols",
    )
    return Result({"row_count": len(rows), "truncated": False, "next": None, **body})


def _is_column(col: Any) -> bool:
    return isinstance(col, dict) and isinstance(col.get("name"), str)


def _options(options: Mapping[str, Any], known: frozenset[str]) -> dict[str, Any]:
    for name in options:
        if name not in known:
            raise bad_parameter(name, "is not a parameter of this operation")
    return given(**{name: value for name, value in options.items() if name != "idempotency_key"})


def _submission(path: tuple[str, ...], body: Mapping[str, Any], options: Mapping[str, Any]) -> Request[Statement]:
    return Request(
        "POST",
        path,
        _statement_of,
        body=body,
        accepted=_SUBMITTED,
        idempotency_key=options.get("idempotency_key"),
    )


def submit_statement(sql: str, **options: Unpack[SqlOptions]) -> Request[Statement]:
    body = {"statement": required_text("sql", sql), **_options(options, _OPTIONS | {"parameters"})}
    return _submission(("query", "statement"), body, options)


def query_semantic(query: Mapping[str, Any], **options: Unpack[SubmitOptions]) -> Request[Statement]:
    body = {"query": _mapping("query", query), **_options(options, _OPTIONS)}
    return _submission(("query", "semantic", "rest"), body, options)


def query_semantic_sql(sql: str, **options: Unpack[SqlOptions]) -> Request[Statement]:
    body = {"sql": required_text("sql", sql), **_options(options, _OPTIONS | {"parameters"})}
    return _submission(("query", "semantic", "sql"), body, options)


def query_graphql(query: str, variables: Optional[Mapping[str, Any]] = None) -> Request[Record]:
    body = {"query": required_text("query", query), **given(variables=variables)}
    return Request("POST", ("query", "semantic", "graphql"), lambda answer: Record(object_of(answer)), body=body)


def query_metric(name: str, **options: Unpack[MetricOptions]) -> Request[Statement]:
    body = _metric(_options(options, _OPTIONS | _METRIC))
    return _submission(("query", "metric", required_segment("name", name)), body, options)


def get_metric(name: str, **options: Unpack[MetricOptions]) -> Request[Statement]:
    known = _METRIC | {"timezone", "wait", "environment"}
    params = _metric(_options(options, known))
    for field in ("filters", "order"):
        if field in params:
            params[field] = json.dumps(params[field])
    path = ("query", "metric", required_segment("name", name))
    return Request("GET", path, _statement_of, params=params, accepted=_SUBMITTED)


def _metric(fields: dict[str, Any]) -> dict[str, Any]:
    if "date_range" in fields:
        fields["dateRange"] = fields.pop("date_range")
    return fields


def transpile(
    *,
    sql: Optional[str] = None,
    query: Optional[Mapping[str, Any]] = None,
    metric: Optional[str] = None,
    request: Optional[Mapping[str, Any]] = None,
    timezone: Optional[str] = None,
    environment: Optional[str] = None,
) -> Request[Record]:
    body = given(sql=sql, query=query, metric=metric, request=request, timezone=timezone, environment=environment)
    if len([each for each in (sql, query, metric) if each is not None]) != 1:
        raise bad_parameter("sql, query or metric", "is missing: give exactly one of them")
    return Request("POST", ("query", "transpile"), lambda answer: Record(object_of(answer, ("sql",))), body=body)


def list_statements(
    *,
    limit: Optional[int] = None,
    cursor: Optional[str] = None,
    status: Optional[str] = None,
    tag: Optional[str] = None,
    all: Optional[bool] = None,
) -> Request[Page]:
    params = given(limit=limit, cursor=cursor, status=status, tag=tag, all=all)
    return Request("GET", ("query", "statement"), page, params=params)


def get_statement(statement_id: str, *, wait: Optional[float] = None) -> Request[Statement]:
    return Request("GET", _statement(statement_id), _statement_of, params=given(wait=wait))


def cancel_statement(statement_id: str) -> Request[Statement]:
    return Request("POST", (*_statement(statement_id), "cancel"), _statement_of)


def result_page(
    statement_id: str,
    *,
    limit: Optional[int] = None,
    offset: Optional[int] = None,
    columns: Optional[Sequence[str]] = None,
) -> Request[Result]:
    params = given(limit=limit, offset=offset, columns=columns)
    first = offset or 0

    def read(answer: Answer) -> Result:
        body = object_of(answer, ("cols", "rows"))
        rows = result_of(body).rows
        has_more = body.get("next") is not None
        expect(not has_more or len(rows) > 0 or limit == 0, "it promises more rows and has none")
        return result_of({**body, "next_offset": first + len(rows) if has_more else None})

    return Request("GET", (*_statement(statement_id), "result"), read, params=params)


def result_file(
    statement_id: str,
    format: str,
    *,
    limit: Optional[int] = None,
    offset: Optional[int] = None,
    columns: Optional[Sequence[str]] = None,
) -> Request[None]:
    if format not in FORMATS:
        raise bad_parameter("format", f"must be one of {', '.join(FORMATS)}")

    def read(answer: Answer) -> None:
        expect(answer.content_type == FORMATS[format], f"it is {answer.content_type or 'of no type'}, not {format}")

    params = given(format=format, limit=limit, offset=offset, columns=columns)
    path = (*_statement(statement_id), "result")
    return Request("GET", path, read, params=params, accept=FORMATS[format])


def _statement(statement_id: str) -> tuple[str, ...]:
    return ("query", "statement", required_segment("statement_id", statement_id))


def _mapping(name: str, value: object) -> Mapping[str, Any]:
    if not isinstance(value, Mapping) or len(value) == 0:
        raise bad_parameter(name, "is missing: give a dict")
    return value
