"""Made from query.py by make_async.py: change that, then run this."""

from __future__ import annotations

import math
import os
import tempfile
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Optional, Union

from . import query_requests as requests
from .errors import bad_parameter, checked
from .records import Page, Record, Statement
from .result import Result
from .running import Merged, failed_statement, given_up, wait_seconds
from .transport import AsyncTransport

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .query_requests import MetricOptions, ResultFormat, SqlOptions, SubmitOptions


class AsyncQueryGroup:
    """Statements: submitted, asked after, fetched, cancelled."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    @checked
    async def submit_statement(self, sql: str, **options: Unpack[SqlOptions]) -> Statement:
        """Submits SQL over models or semantic models; with ``wait`` it may have ended already."""
        return await self._transport.send(requests.submit_statement(sql, **options))

    @checked
    async def get_statement(self, statement_id: str, *, wait: Optional[float] = None) -> Statement:
        """The statement as it is; with ``wait`` (seconds), as soon as it has ended."""
        return await self._transport.send(requests.get_statement(statement_id, wait=wait))

    @checked
    async def get_statement_result(
        self,
        statement_id: str,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        columns: Optional[Sequence[str]] = None,
    ) -> Result:
        """All rows of the result, however many pages they are; with ``limit``, one page of at most so many.

        A statement that has not ended is ``DataProductError(202, …)``, one without a result 409, an expired one 410.
        """
        page = await self._transport.send(
            requests.result_page(statement_id, limit=limit, offset=offset, columns=columns)
        )
        return page if limit is not None else await self._rest(statement_id, page, columns)

    @checked
    async def iter_statement_result(
        self, statement_id: str, *, page_size: int = 10_000, columns: Optional[Sequence[str]] = None
    ) -> AsyncIterator[Result]:
        """The result page by page: no more than one of them is in memory."""
        if page_size < 1:
            raise bad_parameter("page_size", "must be at least 1")
        offset: Optional[int] = 0
        while offset is not None:
            page = await self._transport.send(
                requests.result_page(statement_id, limit=page_size, offset=offset, columns=columns)
            )
            yield page
            offset = page.next_offset

    @checked
    async def download_statement_result(
        self,
        statement_id: str,
        format: ResultFormat,
        path: Optional[Union[str, os.PathLike[str]]] = None,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        columns: Optional[Sequence[str]] = None,
    ) -> Optional[bytes]:
        """The result as a file: its bytes, or, with a path, there. A file that could not be finished is not left."""
        request = requests.result_file(statement_id, format, limit=limit, offset=offset, columns=columns)
        async with self._transport.stream(request) as chunks:
            if path is None:
                return b"".join([chunk async for chunk in chunks])
            target = os.fspath(path)
            handle, temporary = tempfile.mkstemp(dir=os.path.dirname(os.path.abspath(target)), prefix=".plinth-")
            try:
                with os.fdopen(handle, "wb") as file:
                    async for chunk in chunks:
                        file.write(chunk)
                os.replace(temporary, target)
            except BaseException:
                os.unlink(temporary)
                raise
        return None

    @checked
    async def cancel_statement(self, statement_id: str) -> Statement:
        """Cancels; a statement that has ended stays as it is."""
        return await self._transport.send(requests.cancel_statement(statement_id))

    @checked
    async def list_statements(
        self,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        status: Optional[str] = None,
        tag: Optional[str] = None,
        all: Optional[bool] = None,
    ) -> Page:
        """One page of the caller's statements, newest first."""
        return await self._transport.send(
            requests.list_statements(limit=limit, cursor=cursor, status=status, tag=tag, all=all)
        )

    @checked
    async def iter_statements(
        self,
        *,
        page_size: Optional[int] = None,
        status: Optional[str] = None,
        tag: Optional[str] = None,
        all: Optional[bool] = None,
    ) -> AsyncIterator[Record]:
        """All of them, a page at a time."""
        cursor: Optional[str] = None
        while True:
            page = await self.list_statements(limit=page_size, cursor=cursor, status=status, tag=tag, all=all)
            for statement in page.items:
                yield statement
            cursor = page.next_cursor
            if cursor is None:
                return

    @checked
    async def query_semantic(self, query: Mapping[str, Any], **options: Unpack[SubmitOptions]) -> Statement:
        """Asks by members: ``{"measures": ["orders.revenue"], "dimensions": ["orders.status"]}``."""
        return await self._transport.send(requests.query_semantic(query, **options))

    @checked
    async def query_semantic_sql(self, sql: str, **options: Unpack[SqlOptions]) -> Statement:
        """Asks by SQL that must be over semantic models."""
        return await self._transport.send(requests.query_semantic_sql(sql, **options))

    @checked
    async def query_graphql(self, query: str, variables: Optional[Mapping[str, Any]] = None) -> Record:
        """Asks by GraphQL; the record has ``data`` and ``errors``."""
        return await self._transport.send(requests.query_graphql(query, variables))

    @checked
    async def query_metric(self, name: str, **options: Unpack[MetricOptions]) -> Statement:
        """Asks for a metric."""
        return await self._transport.send(requests.query_metric(name, **options))

    @checked
    async def get_metric(self, name: str, **options: Unpack[MetricOptions]) -> Statement:
        """The same with everything in the address."""
        return await self._transport.send(requests.get_metric(name, **options))

    @checked
    async def transpile(
        self,
        *,
        sql: Optional[str] = None,
        query: Optional[Mapping[str, Any]] = None,
        metric: Optional[str] = None,
        request: Optional[Mapping[str, Any]] = None,
        timezone: Optional[str] = None,
        environment: Optional[str] = None,
    ) -> Record:
        """The SQL that a question means; nothing runs."""
        return await self._transport.send(
            requests.transpile(
                sql=sql, query=query, metric=metric, request=request, timezone=timezone, environment=environment
            )
        )

    @checked
    async def run(self, sql: str, *, max_wait: Optional[float] = None, **options: Unpack[SqlOptions]) -> Result:
        """Submits, waits for the end and fetches all rows; a statement that fails is an error.

        After ``max_wait`` seconds, and when interrupted, the statement is cancelled.
        """
        wait = wait_seconds(self._transport.settings.timeout)
        deadline = None if max_wait is None else time.monotonic() + max_wait
        # Until its id is known it cannot be cancelled: that part is kept short.
        options["wait"] = min(1.0, wait, math.inf if max_wait is None else max(0.0, max_wait))
        statement = await self.submit_statement(sql, **options)
        try:
            while not statement.is_terminal:
                left = wait if deadline is None else min(wait, deadline - time.monotonic())
                if left <= 0:
                    raise given_up(statement, max_wait)
                statement = await self.get_statement(statement.id, wait=left)
        except BaseException:
            await self._cancel_quietly(statement.id)
            raise
        if not statement.is_successful:
            raise failed_statement(statement)
        page = statement.get("result")
        if not isinstance(page, Result) or page.get("next") is not None:
            return await self.get_statement_result(statement.id)
        return page

    async def _cancel_quietly(self, statement_id: str) -> None:
        """What is on its way to the caller is more important than that this could not be said."""
        try:
            await self.cancel_statement(statement_id)
        except Exception:
            pass

    async def _rest(self, statement_id: str, first: Result, columns: Optional[Sequence[str]]) -> Result:
        merged = Merged(first)
        while merged.next_offset is not None:
            merged.add(
                await self._transport.send(
                    requests.result_page(statement_id, offset=merged.next_offset, columns=columns)
                )
            )
        return merged.result()
