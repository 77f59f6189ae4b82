"""What both clients need to see a statement through."""

from __future__ import annotations

from typing import Optional

from .errors import NO_ANSWER, DataProductError
from .records import Statement
from .result import Result

WAIT_MAX = 25.0


def wait_seconds(timeout: float) -> float:
    """How long one request may wait on the server without running into the client's own timeout."""
    return min(WAIT_MAX, timeout * 0.8)


def failed_statement(statement: Statement) -> DataProductError:
    """The same status that its result would be answered with."""
    error = statement.get("error")
    message = None if error is None else error.get("message")
    return DataProductError(
        409,
        f"statement {statement.id} is {statement.status}" + (f": {message}" if message else ""),
        code=None if error is None else error.get("code"),
        hint=None if error is None else error.get("hint"),
    )


def given_up(statement: Statement, max_wait: Optional[float]) -> DataProductError:
    return DataProductError(
        NO_ANSWER,
        f"statement {statement.id} was still {statement.status} after {max_wait:g} s and is cancelled",
        code="client.max-wait",
    )


class Merged:
    """Pages that become one result."""

    def __init__(self, first: Result) -> None:
        self._rows = first.rows
        self._width = len(first.cols)
        self.next_offset = first.next_offset
        self._first = first

    def add(self, page: Result) -> None:
        if len(page.cols) != self._width or page.row_count != self._first.row_count:
            raise DataProductError(200, "the pages of the result do not fit together", code="client.unexpected-answer")
        self._rows.extend(page.rows)
        self.next_offset = page.next_offset

    def result(self) -> Result:
        body = self._first.to_dict()
        return Result({**body, "rows": self._rows, "next": None, "next_offset": None})
