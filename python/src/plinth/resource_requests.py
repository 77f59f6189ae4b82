"""Requests of the metadata and activity groups: things that are read, by name or in pages."""

from __future__ import annotations

from typing import Any

from .errors import required_segment, required_text
from .exchange import Answer, Request, expect, given, object_of
from .records import Page, Record


def record(answer: Answer) -> Record:
    return Record(object_of(answer))


def page(answer: Answer) -> Page:
    body = object_of(answer, ("items",))
    items = body["items"]
    expect(isinstance(items, list) and all(isinstance(each, dict) for each in items), "its items are no objects")
    expect(body.get("next_cursor") is None or isinstance(body["next_cursor"], str), "its next_cursor is no text")
    return Page(body)


def one(*path: str, **params: Any) -> Request[Record]:
    return Request("GET", path, record, params=given(**params))


def many(*path: str, **params: Any) -> Request[Page]:
    return Request("GET", path, page, params=given(**params))


def get_model(name: str) -> Request[Record]:
    return one("metadata", "models", required_segment("name", name))


def get_lineage(ref: str, **params: Any) -> Request[Record]:
    return one("metadata", "lineage", ref=required_text("ref", ref), **params)


def get_plan(plan_id: str) -> Request[Record]:
    return one("activity", "plans", required_segment("plan_id", plan_id))


def get_run(run_id: str) -> Request[Record]:
    return one("activity", "runs", required_segment("run_id", run_id))
