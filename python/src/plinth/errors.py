"""The one error of this library."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Mapping, Sequence
from typing import Any, Callable, Optional, TypeVar, cast

NO_ANSWER = 0
"""``status_code`` when no answer came: no connection, a certificate that is not trusted, a timeout."""

BAD_PARAMETER = 400
"""``status_code`` of parameters that are missing or wrong, which no server was asked about."""

NOT_IMPLEMENTED = 501
"""``status_code`` of what the contract names and this version does not have yet."""


class DataProductError(Exception):
    """Whatever went wrong: the API refused, the token did not suffice, a parameter is missing, or the answer made no sense.

    ``status_code`` is the HTTP status of the answer; 0 when none came, 400 when a parameter was found wrong before
    anything was sent.
    """

    status_code: int
    detail: str
    code: Optional[str]
    hint: Optional[str]
    errors: Sequence[Mapping[str, Any]]
    correlation_id: Optional[str]

    def __init__(
        self,
        status_code: int,
        detail: str,
        *,
        code: Optional[str] = None,
        hint: Optional[str] = None,
        errors: Sequence[Mapping[str, Any]] = (),
        correlation_id: Optional[str] = None,
    ) -> None:
        super().__init__(status_code, detail)
        self.status_code = status_code
        self.detail = detail
        self.code = code
        self.hint = hint
        self.errors = tuple(errors)
        self.correlation_id = correlation_id

    def __str__(self) -> str:
        parts = [f"{self.status_code}: {self.detail}"]
        for error in self.errors:
            message = str(error.get("message", ""))
            if message and message not in self.detail:
                parts.append(f"{error.get('path', '')} {message}".strip())
        if self.hint:
            parts.append(f"hint: {self.hint}")
        return "; ".join(parts)

    def __repr__(self) -> str:
        return f"DataProductError(status_code={self.status_code}, detail={self.detail!r})"


Method = TypeVar("Method", bound=Callable[..., Any])


def checked(method: Method) -> Method:
    """Makes a call with missing or unknown parameters a :class:`DataProductError`, as the contract has it, and no TypeError."""
    signature = inspect.signature(method)

    @functools.wraps(method)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            signature.bind(*args, **kwargs)
        except TypeError as error:
            raise bad_parameter(f"{method.__qualname__}:", str(error)) from None
        return method(*args, **kwargs)

    return cast(Method, call)


def bad_parameter(name: str, why: str) -> DataProductError:
    """The value is not shown: it may be a secret."""
    return DataProductError(BAD_PARAMETER, f"{name} {why}", code="client.bad-parameter")


def required_text(name: str, value: object) -> str:
    """A text that says something."""
    if value is None or (isinstance(value, str) and not value.strip()):
        raise bad_parameter(name, "is missing: give a non-empty string")
    if not isinstance(value, str):
        raise bad_parameter(name, f"must be a string, not {type(value).__name__}")
    return value


def required_segment(name: str, value: object) -> str:
    """A text that can be one segment of a path: `..` would be a way to somewhere else."""
    text = required_text(name, value)
    if text in (".", ".."):
        raise bad_parameter(name, "cannot be a dot or two")
    return text
