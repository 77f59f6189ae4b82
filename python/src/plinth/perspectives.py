"""The perspectives group."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Optional, Union

from . import perspective_requests as requests
from .errors import checked, required_segment
from .later import LaterGroup
from .records import Page, Record
from .resource_requests import many
from .result import Result
from .transport import Transport

if TYPE_CHECKING:
    from typing_extensions import Literal, TypedDict, Unpack

    from .query_requests import ResultFormat

    class PerspectiveFields(TypedDict, total=False):
        """What is written of a perspective."""

        slug: Optional[str]
        """Made of the name when absent."""
        description: Optional[str]
        query: Optional[Union[Mapping[str, Any], str]]
        """A semantic query, or SQL."""
        params: Optional[Sequence[Mapping[str, Any]]]
        visibility: Optional[Literal["private", "shared", "product"]]
        principals: Optional[Sequence[str]]
        """For ``shared``: names of users, ``group:NAME``."""
        tags: Optional[Sequence[str]]
        auto_refresh: Optional[bool]

    class NewPerspective(PerspectiveFields, total=False):
        statement_id: Optional[str]
        """In place of ``query``: the question of a statement of the caller."""

    class PerspectiveChange(PerspectiveFields, total=False):
        name: Optional[str]
        owner: Optional[str]
        """Transfers it to the user of this name."""

    class PerspectiveResultOptions(TypedDict, total=False):
        limit: Optional[int]
        offset: Optional[int]
        columns: Optional[Sequence[str]]
        wait: Optional[float]
        """Seconds to wait for the answer; 25 when absent."""
        cache: Optional[bool]
        environment: Optional[str]


class PerspectivesGroup(LaterGroup):
    """Questions with a name, which their owners share. A perspective is found by its slug or id."""

    def __init__(self, transport: Transport) -> None:
        super().__init__("perspectives")
        self._transport = transport

    @checked
    def list_perspectives(
        self,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        owner: Optional[str] = None,
        visibility: Optional[str] = None,
        tag: Optional[str] = None,
        q: Optional[str] = None,
    ) -> Page:
        """One page of those that the caller may see, newest first, without their questions."""
        return self._transport.send(
            many("perspectives", limit=limit, cursor=cursor, owner=owner, visibility=visibility, tag=tag, q=q)
        )

    @checked
    def iter_perspectives(
        self,
        *,
        page_size: Optional[int] = None,
        owner: Optional[str] = None,
        visibility: Optional[str] = None,
        tag: Optional[str] = None,
        q: Optional[str] = None,
    ) -> Iterator[Record]:
        """All of them, a page at a time."""
        cursor: Optional[str] = None
        while True:
            page = self.list_perspectives(
                limit=page_size, cursor=cursor, owner=owner, visibility=visibility, tag=tag, q=q
            )
            for perspective in page.items:
                yield perspective
            cursor = page.next_cursor
            if cursor is None:
                return

    @checked
    def get_perspective(self, slug: str) -> Record:
        """One perspective with its question, as far as policies let the caller know it."""
        return self._transport.send(requests.get(slug))

    @checked
    def create_perspective(
        self, name: str, *, idempotency_key: Optional[str] = None, **fields: Unpack[NewPerspective]
    ) -> Record:
        """From a question, or from a statement of the caller."""
        return self._transport.send(requests.create(name, idempotency_key, fields))

    @checked
    def put_perspective(
        self, slug: str, /, name: str, *, if_match: Optional[str] = None, **fields: Unpack[PerspectiveFields]
    ) -> Record:
        """All of it; fields that are absent become as those of a new one. One is made when there is none."""
        return self._transport.send(requests.put(slug, name, if_match, fields))

    @checked
    def change_perspective(
        self, slug: str, /, *, if_match: Optional[str] = None, **fields: Unpack[PerspectiveChange]
    ) -> Record:
        """Some fields; ``if_match`` is the ``etag`` that it had when it was read."""
        return self._transport.send(requests.change(slug, if_match, fields))

    @checked
    def delete_perspective(self, slug: str, *, if_match: Optional[str] = None) -> None:
        """With its versions."""
        self._transport.send(requests.delete(slug, if_match))

    @checked
    def list_perspective_versions(
        self, slug: str, *, limit: Optional[int] = None, cursor: Optional[str] = None
    ) -> Page:
        """One page of its versions, newest first."""
        return self._transport.send(
            many("perspectives", required_segment("slug", slug), "versions", limit=limit, cursor=cursor)
        )

    @checked
    def get_perspective_result(
        self, slug: str, params: Optional[Mapping[str, Any]] = None, **options: Unpack[PerspectiveResultOptions]
    ) -> Result:
        """Asks it under the caller's policies; one page of rows. One that takes longer than ``wait`` is an error of status 202."""
        return self._transport.send(requests.result(slug, params, options))

    @checked
    def download_perspective_result(
        self,
        slug: str,
        format: ResultFormat,
        params: Optional[Mapping[str, Any]] = None,
        **options: Unpack[PerspectiveResultOptions],
    ) -> bytes:
        """The bytes of its result as a file."""
        return self._transport.send(requests.file(slug, format, params, options))
