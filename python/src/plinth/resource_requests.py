"""Requests of the metadata, activity and dq groups: things that are read, by name or in pages."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Optional

from .errors import DataProductError, required_segment, required_text
from .exchange import EVENTS, Answer, Request, expect, given, object_of
from .records import Page, Record


def record(answer: Answer) -> Record:
    return Record(object_of(answer))


def page(answer: Answer) -> Page:
    body = object_of(answer, ("items",))
    items = body["items"]
    expect(isinstance(items, list) and all(isinstance(each, dict) for each in items), "its items are not objects")
    expect(body.get("next_cursor") is None or isinstance(body["next_cursor"], str), "its next_cursor is not text")
    return Page(body)


def one(*path: str, **params: Any) -> Request[Record]:
    return Request("GET", path, record, params=given(**params))


def many(*path: str, **params: Any) -> Request[Page]:
    return Request("GET", path, page, params=given(**params))


def get_model(name: str, environment: Optional[str]) -> Request[Record]:
    return one("metadata", "models", required_segment("name", name), environment=environment)


def get_impact(ref: str, change: Optional[str], environment: Optional[str]) -> Request[Record]:
    return one("metadata", "impact", ref=required_text("ref", ref), change=change, environment=environment)


TEXT_FORMATS = frozenset({"graphql", "llms.txt"})


def export_report(format: str, environment: Optional[str]) -> Request[Record]:
    return one("metadata", "export", format=required_text("format", format), report="true", environment=environment)


def export(format: str, environment: Optional[str]) -> Request[Any]:
    is_text = required_text("format", format) in TEXT_FORMATS

    def read(answer: Answer) -> Any:
        if is_text:
            expect(answer.content_type == "text/plain", f"it is {answer.content_type or 'of no type'}, not text")
            return answer.body.decode("utf-8", "replace")
        expect(answer.content_type == "application/json", f"it is {answer.content_type or 'of no type'}, not JSON")
        try:
            document = json.loads(answer.body)
        except ValueError:
            document = None
        expect(isinstance(document, (dict, list)), "it is not a document")
        return document

    return Request(
        "GET",
        ("metadata", "export"),
        read,
        params=given(format=format, environment=environment),
        accept="text/plain" if is_text else "application/json",
    )


def search(q: str, limit: Optional[int], environment: Optional[str]) -> Request[Page]:
    return many("metadata", "search", q=required_text("q", q), limit=limit, environment=environment)


def change(
    *path: str,
    accepted: int,
    key: Optional[str] = None,
    body: Optional[dict[str, Any]] = None,
    method: str = "POST",
    params: Optional[dict[str, Any]] = None,
) -> Request[Record]:
    """What changes something, with the status that says that it did."""
    return Request(
        method,
        path,
        record,
        params=given(**(params or {})),
        body=body,
        accepted=frozenset({accepted}),
        idempotency_key=key,
    )


def remove(*path: str, **params: Any) -> Request[None]:
    """What is gone has no answer."""
    return Request("DELETE", path, lambda _: None, params=given(**params), accepted=frozenset({204}))


def apply_plan(plan_id: str, allow_wider_access: Optional[bool], key: Optional[str]) -> Request[Record]:
    path = ("activity", "plans", required_segment("plan_id", plan_id), "apply")
    return change(*path, accepted=202, key=key, body=given(allow_wider_access=allow_wider_access))


def cancel_run(run_id: str) -> Request[Record]:
    return change("activity", "runs", required_segment("run_id", run_id), "cancel", accepted=200)


def get_plan(plan_id: str) -> Request[Record]:
    return one("activity", "plans", required_segment("plan_id", plan_id))


def get_run(run_id: str) -> Request[Record]:
    return one("activity", "runs", required_segment("run_id", run_id))


def get_rule(rule_id: str, environment: Optional[str]) -> Request[Record]:
    return one("dq", "rules", required_segment("rule_id", rule_id), environment=environment)


def get_result_sample(result_id: str) -> Request[Record]:
    return one("dq", "results", required_segment("result_id", result_id), "sample")


def get_incident(incident_id: str) -> Request[Record]:
    return one("dq", "incidents", required_segment("incident_id", incident_id))


def decide_gate(refs: Sequence[str], environment: Optional[str]) -> Request[Record]:
    if isinstance(refs, (str, bytes)) or not refs:
        raise DataProductError(400, "refs is missing: give a list of names", code="client.bad-parameter")
    return change("dq", "gate", accepted=200, body=given(refs=list(refs), environment=environment))


def get_quarantine(quarantine_id: str, limit: Optional[int], environment: Optional[str]) -> Request[Record]:
    path = ("dq", "quarantine", required_segment("quarantine_id", quarantine_id))
    return one(*path, limit=limit, environment=environment)


def run_checks(
    select: Optional[str],
    packs: Optional[Sequence[str]],
    environment: Optional[str],
    wait: Optional[float],
    key: Optional[str],
) -> Request[Record]:
    if isinstance(packs, (str, bytes)):
        raise DataProductError(400, "packs is not a list of names", code="client.bad-parameter")
    names = None if packs is None else list(packs)
    body = given(select=select, packs=names, environment=environment, wait=wait)
    accepted = frozenset({200, 202})
    return Request("POST", ("dq", "run"), record, body=body, accepted=accepted, idempotency_key=key)


def get_check_run(run_id: str, wait: Optional[float]) -> Request[Record]:
    return one("dq", "run", required_segment("run_id", run_id), wait=wait)


def stream_events(**filters: Any) -> Request[None]:
    def read(answer: Answer) -> None:
        expect(answer.content_type == EVENTS, f"it is {answer.content_type or 'of no type'}, not a stream of events")

    return Request("GET", ("activity", "stream"), read, params=given(**filters), accept=EVENTS)


class EventLines:
    """Bytes of server-sent events as records, however they are cut."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, chunk: bytes) -> list[Record]:
        *whole, self._rest = (self._rest + chunk).replace(b"\r\n", b"\n").split(b"\n\n")
        return [record for record in map(_event, whole) if record is not None]


def _event(block: bytes) -> Optional[Record]:
    data = [line[5:].removeprefix(b" ") for line in block.split(b"\n") if line.startswith(b"data:")]
    if not data:
        return None
    try:
        value = json.loads(b"\n".join(data))
    except ValueError:
        value = None
    if isinstance(value, dict) and b"event: end" in block.split(b"\n"):
        raise DataProductError(401, f"the stream has ended: {value.get('reason')}", code="auth.invalid")
    if not isinstance(value, dict):
        raise DataProductError(200, "an event of the stream is not a JSON object", code="client.unexpected-answer")
    return Record(value)
