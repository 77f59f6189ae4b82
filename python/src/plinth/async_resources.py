"""Made from resources.py by make_async.py: change that, then run this."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Optional

from . import resource_requests as requests
from .errors import checked
from .later import LaterGroup
from .records import Page, Record
from .transport import AsyncTransport


class AsyncMetadataGroup(LaterGroup):
    """What the data product is made of."""

    def __init__(self, transport: AsyncTransport) -> None:
        super().__init__("metadata")
        self._transport = transport


class AsyncActivityGroup(LaterGroup):
    """What happened to the data product."""

    def __init__(self, transport: AsyncTransport) -> None:
        super().__init__("activity")
        self._transport = transport

    @checked
    async def get_plan(self, plan_id: str) -> Record:
        """A plan by its id: its changes, what is missing, its stages."""
        return await self._transport.send(requests.get_plan(plan_id))

    @checked
    async def list_plans(
        self, *, limit: Optional[int] = None, cursor: Optional[str] = None, environment: Optional[str] = None
    ) -> Page:
        """One page of the plans, newest first."""
        return await self._transport.send(
            requests.many("activity", "plans", limit=limit, cursor=cursor, environment=environment)
        )

    @checked
    async def iter_plans(
        self, *, page_size: Optional[int] = None, environment: Optional[str] = None
    ) -> AsyncIterator[Record]:
        """All of them, a page at a time."""
        cursor: Optional[str] = None
        while True:
            page = await self.list_plans(limit=page_size, cursor=cursor, environment=environment)
            for plan in page.items:
                yield plan
            cursor = page.next_cursor
            if cursor is None:
                return

    @checked
    async def get_run(self, run_id: str) -> Record:
        """A run by its id, model by model."""
        return await self._transport.send(requests.get_run(run_id))

    @checked
    async def list_runs(
        self,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        environment: Optional[str] = None,
        status: Optional[str] = None,
    ) -> Page:
        """One page of the runs, newest first; applying a plan is one."""
        return await self._transport.send(
            requests.many(
                "activity", "runs", limit=limit, cursor=cursor, environment=environment, status=status
            )
        )

    @checked
    async def iter_runs(
        self,
        *,
        page_size: Optional[int] = None,
        environment: Optional[str] = None,
        status: Optional[str] = None,
    ) -> AsyncIterator[Record]:
        """All of them, a page at a time."""
        cursor: Optional[str] = None
        while True:
            page = await self.list_runs(limit=page_size, cursor=cursor, environment=environment, status=status)
            for run in page.items:
                yield run
            cursor = page.next_cursor
            if cursor is None:
                return

    @checked
    async def list_model_activity(
        self, *, limit: Optional[int] = None, cursor: Optional[str] = None, environment: Optional[str] = None
    ) -> Page:
        """What became of each model when it was last built."""
        return await self._transport.send(
            requests.many("activity", "models", limit=limit, cursor=cursor, environment=environment)
        )

    @checked
    async def list_events(
        self,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        environment: Optional[str] = None,
        run_id: Optional[str] = None,
        type: Optional[str] = None,
        since: Optional[int] = None,
    ) -> Page:
        """One page of the event log, oldest first; ``since`` is a sequence."""
        return await self._transport.send(
            requests.many(
                "activity",
                limit=limit,
                cursor=cursor,
                environment=environment,
                run_id=run_id,
                type=type,
                since=since,
            )
        )

    @checked
    async def iter_events(
        self,
        *,
        page_size: Optional[int] = None,
        environment: Optional[str] = None,
        run_id: Optional[str] = None,
        type: Optional[str] = None,
    ) -> AsyncIterator[Record]:
        """The whole log, a page at a time."""
        cursor: Optional[str] = None
        while True:
            page = await self.list_events(
                limit=page_size, cursor=cursor, environment=environment, run_id=run_id, type=type
            )
            for event in page.items:
                yield event
            cursor = page.next_cursor
            if cursor is None:
                return

    @checked
    async def stream_events(self, *, since: Optional[int] = None) -> AsyncIterator[Record]:
        """Events as they happen, from now on or behind the sequence ``since``; ends when the loop over it is left.

        A broken connection is an error: go on with ``since`` as the ``sequence`` of the last event.
        """
        lines = requests.EventLines()
        async with self._transport.stream(requests.stream_events(since)) as chunks:
            async for chunk in chunks:
                for event in lines.feed(chunk):
                    yield event
