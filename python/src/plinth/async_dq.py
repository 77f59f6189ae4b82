"""Made from dq.py by make_async.py: change that, then run this."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Optional

from . import resource_requests as requests
from .errors import checked
from .later import LaterGroup
from .records import Page, Record
from .transport import AsyncTransport


class AsyncDqGroup(LaterGroup):
    """Rules, what checks found, incidents."""

    def __init__(self, transport: AsyncTransport) -> None:
        super().__init__("dq")
        self._transport = transport

    @checked
    async def get_summary(self, *, environment: Optional[str] = None) -> Record:
        """How the data is, by dimension: the newest result of each check."""
        return await self._transport.send(requests.one("dq", environment=environment))

    @checked
    async def list_rules(
        self,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        model: Optional[str] = None,
        dimension: Optional[str] = None,
        outcome: Optional[str] = None,
        environment: Optional[str] = None,
    ) -> Page:
        """One page of the rules of dq packs, with what was found last."""
        return await self._transport.send(
            requests.many(
                "dq",
                "rules",
                limit=limit,
                cursor=cursor,
                model=model,
                dimension=dimension,
                outcome=outcome,
                environment=environment,
            )
        )

    @checked
    async def iter_rules(
        self,
        *,
        page_size: Optional[int] = None,
        model: Optional[str] = None,
        dimension: Optional[str] = None,
        outcome: Optional[str] = None,
        environment: Optional[str] = None,
    ) -> AsyncIterator[Record]:
        """All of them, a page at a time."""
        cursor: Optional[str] = None
        while True:
            page = await self.list_rules(
                limit=page_size,
                cursor=cursor,
                model=model,
                dimension=dimension,
                outcome=outcome,
                environment=environment,
            )
            for rule in page.items:
                yield rule
            cursor = page.next_cursor
            if cursor is None:
                return

    @checked
    async def get_rule(self, rule_id: str, *, environment: Optional[str] = None) -> Record:
        """A rule by its id, with recent results."""
        return await self._transport.send(requests.get_rule(rule_id, environment))

    @checked
    async def list_results(
        self,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        model: Optional[str] = None,
        check: Optional[str] = None,
        run_id: Optional[str] = None,
        outcome: Optional[str] = None,
        since: Optional[str] = None,
        environment: Optional[str] = None,
    ) -> Page:
        """One page of what checks found, newest first; ``check`` is ``pack/rule``, ``since`` an RFC 3339 time."""
        return await self._transport.send(
            requests.many(
                "dq",
                "results",
                limit=limit,
                cursor=cursor,
                model=model,
                check=check,
                run_id=run_id,
                outcome=outcome,
                since=since,
                environment=environment,
            )
        )

    @checked
    async def iter_results(
        self,
        *,
        page_size: Optional[int] = None,
        model: Optional[str] = None,
        check: Optional[str] = None,
        run_id: Optional[str] = None,
        outcome: Optional[str] = None,
        since: Optional[str] = None,
        environment: Optional[str] = None,
    ) -> AsyncIterator[Record]:
        """All of them, a page at a time."""
        cursor: Optional[str] = None
        while True:
            page = await self.list_results(
                limit=page_size,
                cursor=cursor,
                model=model,
                check=check,
                run_id=run_id,
                outcome=outcome,
                since=since,
                environment=environment,
            )
            for result in page.items:
                yield result
            cursor = page.next_cursor
            if cursor is None:
                return

    @checked
    async def get_result_sample(self, result_id: str) -> Record:
        """Rows that a rule found wrong, as far as policies let the caller see them."""
        return await self._transport.send(requests.get_result_sample(result_id))

    @checked
    async def list_incidents(
        self,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        model: Optional[str] = None,
        check: Optional[str] = None,
        state: Optional[str] = None,
        environment: Optional[str] = None,
    ) -> Page:
        """One page of the incidents, newest first; ``state`` is ``open`` or ``closed``."""
        return await self._transport.send(
            requests.many(
                "dq",
                "incidents",
                limit=limit,
                cursor=cursor,
                model=model,
                check=check,
                state=state,
                environment=environment,
            )
        )

    @checked
    async def iter_incidents(
        self,
        *,
        page_size: Optional[int] = None,
        model: Optional[str] = None,
        check: Optional[str] = None,
        state: Optional[str] = None,
        environment: Optional[str] = None,
    ) -> AsyncIterator[Record]:
        """All of them, a page at a time."""
        cursor: Optional[str] = None
        while True:
            page = await self.list_incidents(
                limit=page_size,
                cursor=cursor,
                model=model,
                check=check,
                state=state,
                environment=environment,
            )
            for incident in page.items:
                yield incident
            cursor = page.next_cursor
            if cursor is None:
                return

    @checked
    async def get_incident(self, incident_id: str) -> Record:
        """An incident by its id, with recent results of its check."""
        return await self._transport.send(requests.get_incident(incident_id))

    @checked
    async def decide_gate(self, refs: Sequence[str], *, environment: Optional[str] = None) -> Record:
        """Whether to go on with data: ``decision`` is ``allow``, ``warn`` or ``block``.

        A reference is a model, ``semantic:NAME`` or ``metric:NAME``; all that it is made of counts.
        """
        return await self._transport.send(requests.decide_gate(refs, environment))
