"""Groups, and parts of groups, whose endpoints come in a later version."""

from __future__ import annotations

from typing import Any, Callable

from .errors import NOT_IMPLEMENTED, DataProductError


class LaterGroup:
    """Every operation it is asked for answers :class:`DataProductError` with status 501."""

    _name = ""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, operation: str) -> Callable[..., Any]:
        if operation.startswith("_"):
            raise AttributeError(operation)
        return _refusing(self._name, operation)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._name})"


def _refusing(group: str, operation: str) -> Callable[..., Any]:
    def call(*_args: Any, **_kwargs: Any) -> Any:
        raise DataProductError(
            NOT_IMPLEMENTED,
            f"{group}.{operation} is not there yet: this version of the client knows no such endpoint of the Data Product API",
            code="client.not-implemented",
        )

    call.__name__ = operation
    return call
