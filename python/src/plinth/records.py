"""What the API answers with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Optional

TERMINAL_STATUSES = frozenset({"SUCCESS", "SUCCEEDED", "FAILED", "CANCELLED"})
"""Upper-cased statuses of a statement that will not change any more."""


def wrapped(value: Any) -> Any:
    """JSON with records in place of its objects."""
    if isinstance(value, dict):
        return Record(value)
    if isinstance(value, list):
        return [wrapped(each) for each in value]
    return value


def plain(value: Any) -> Any:
    """The way back from :func:`wrapped`."""
    if isinstance(value, Record):
        return value.to_dict()
    if isinstance(value, list):
        return [plain(each) for each in value]
    return value


class Record:
    """One object of an answer: ``record.id`` and ``record["id"]`` are the same.

    A field named like one of its few methods (``keys``, ``get``, ``to_dict``) is reached with brackets only.
    """

    __slots__ = ("_fields",)
    _fields: dict[str, Any]

    def __init__(self, fields: Mapping[str, Any]) -> None:
        object.__setattr__(self, "_fields", {name: wrapped(value) for name, value in fields.items()})

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            return self._fields[name]
        except KeyError:
            known = ", ".join(self._fields)
            raise AttributeError(f"{type(self).__name__} has no field {name}; it has {known}") from None

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is what the server answered and cannot be changed")

    def __getitem__(self, name: str) -> Any:
        return self._fields[name]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __contains__(self, name: object) -> bool:
        return name in self._fields

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Record):
            return self.to_dict() == other.to_dict()
        return isinstance(other, dict) and self.to_dict() == other

    __hash__ = None  # type: ignore[assignment]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._fields]

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self._fields.items())
        return f"{type(self).__name__}({shown})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.to_dict(),))

    def keys(self) -> list[str]:
        """Names of the fields; with it ``dict(record)`` works."""
        return list(self._fields)

    def get(self, name: str, default: Any = None) -> Any:
        return self._fields.get(name, default)

    def to_dict(self) -> dict[str, Any]:
        """The JSON it came as."""
        return {name: plain(value) for name, value in self._fields.items()}


class Statement(Record):
    """A submitted question; see ``docs/guides/clients.md`` for all its fields."""

    __slots__ = ()

    @property
    def id(self) -> str:
        return str(self._fields["id"])

    @property
    def status(self) -> str:
        return str(self._fields["status"])

    @property
    def is_terminal(self) -> bool:
        """Whether it has ended, one way or another."""
        return self.status.upper() in TERMINAL_STATUSES

    @property
    def is_successful(self) -> bool:
        """Whether it has a result."""
        return self.status.upper() in ("SUCCESS", "SUCCEEDED")


class Page(Record):
    """One page of a list: ``items``, and ``next_cursor`` when there are more."""

    __slots__ = ()

    @property
    def items(self) -> list[Record]:
        return list(self._fields["items"])

    @property
    def next_cursor(self) -> Optional[str]:
        cursor = self._fields.get("next_cursor")
        return None if cursor is None else str(cursor)
