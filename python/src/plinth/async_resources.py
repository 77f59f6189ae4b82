"""Made from resources.py by make_async.py: change that, then run this."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Optional, Union

from . import resource_requests as requests
from .errors import checked
from .exchange import given
from .later import LaterGroup
from .records import Page, Record
from .transport import AsyncTransport


class AsyncMetadataGroup(LaterGroup):
    """What the data product is made of."""

    def __init__(self, transport: AsyncTransport) -> None:
        super().__init__("metadata")
        self._transport = transport

    @checked
    async def get_product(self, *, environment: Optional[str] = None) -> Record:
        """The product on one page: identity, owners, health, freshness, ports, counts, readme, usage."""
        return await self._transport.send(requests.one("metadata", environment=environment))

    @checked
    async def list_models(
        self,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        tag: Optional[str] = None,
        kind: Optional[str] = None,
        environment: Optional[str] = None,
    ) -> Page:
        """One page of the models, as they were applied."""
        return await self._transport.send(
            requests.many(
                "metadata", "models", limit=limit, cursor=cursor, tag=tag, kind=kind, environment=environment
            )
        )

    @checked
    async def iter_models(
        self,
        *,
        page_size: Optional[int] = None,
        tag: Optional[str] = None,
        kind: Optional[str] = None,
        environment: Optional[str] = None,
    ) -> AsyncIterator[Record]:
        """All of them, a page at a time."""
        cursor: Optional[str] = None
        while True:
            page = await self.list_models(
                limit=page_size, cursor=cursor, tag=tag, kind=kind, environment=environment
            )
            for model in page.items:
                yield model
            cursor = page.next_cursor
            if cursor is None:
                return

    @checked
    async def get_model(self, name: str, *, environment: Optional[str] = None) -> Record:
        """One model: columns, SQL, its view and how it is doing."""
        return await self._transport.send(requests.get_model(name, environment))

    @checked
    async def get_semantics(self, *, environment: Optional[str] = None) -> Record:
        """Semantic models and metrics that the caller may ask."""
        return await self._transport.send(requests.one("metadata", "semantic", environment=environment))

    @checked
    async def get_lineage(
        self,
        ref: Optional[str] = None,
        *,
        column: Optional[str] = None,
        direction: Optional[str] = None,
        depth: Optional[int] = None,
        environment: Optional[str] = None,
    ) -> Record:
        """Where data comes from and goes to; ``ref`` is a model, ``model.column``, ``semantic:NAME`` or ``metric:NAME``."""
        return await self._transport.send(
            requests.one(
                "metadata",
                "lineage",
                ref=ref,
                column=column,
                direction=direction,
                depth=depth,
                environment=environment,
            )
        )

    @checked
    async def get_impact(
        self, ref: str, *, change: Optional[str] = None, environment: Optional[str] = None
    ) -> Record:
        """What a change would reach, by columns, members and metrics.

        ``ref`` is a model, ``model.column``, ``semantic:NAME``, ``semantic:NAME.member`` or ``metric:NAME``;
        ``change`` is ``values``, ``type``, ``rename`` or ``drop``.
        """
        return await self._transport.send(requests.get_impact(ref, change, environment))

    @checked
    async def search(self, q: str, *, limit: Optional[int] = None, environment: Optional[str] = None) -> Page:
        """Models, columns, members and metrics by their words, the nearest first."""
        return await self._transport.send(requests.search(q, limit, environment))

    @checked
    async def list_changes(
        self,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        since: Optional[str] = None,
        environment: Optional[str] = None,
    ) -> Page:
        """One page of what was applied to an environment, newest first; ``since`` is an RFC 3339 time."""
        return await self._transport.send(
            requests.many(
                "metadata", "changes", limit=limit, cursor=cursor, since=since, environment=environment
            )
        )


    @checked
    async def export_product(self, format: str = "odcs", *, environment: Optional[str] = None) -> Any:
        """The product for other tools: ``odcs``, ``odps``, ``openlineage``, ``openapi`` as JSON, ``graphql``, ``llms.txt`` as text."""
        return await self._transport.send(requests.export(format, environment))

    @checked
    async def export_report(self, format: str = "odcs", *, environment: Optional[str] = None) -> Record:
        """What ``odcs``, ``odps`` or ``openlineage`` cannot say of this product."""
        return await self._transport.send(requests.export_report(format, environment))


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
        self,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        environment: Optional[str] = None,
        status: Optional[str] = None,
    ) -> Page:
        """One page of the plans, newest first."""
        return await self._transport.send(
            requests.many(
                "activity", "plans", limit=limit, cursor=cursor, environment=environment, status=status
            )
        )

    @checked
    async def iter_plans(
        self,
        *,
        page_size: Optional[int] = None,
        environment: Optional[str] = None,
        status: Optional[str] = None,
    ) -> AsyncIterator[Record]:
        """All of them, a page at a time."""
        cursor: Optional[str] = None
        while True:
            page = await self.list_plans(limit=page_size, cursor=cursor, environment=environment, status=status)
            for plan in page.items:
                yield plan
            cursor = page.next_cursor
            if cursor is None:
                return

    @checked
    async def preview_plan(
        self,
        *,
        environment: Optional[str] = None,
        select: Optional[str] = None,
        start: Optional[str] = None,
        end: Optional[str] = None,
        effective_from: Optional[str] = None,
        restate_models: Optional[Sequence[str]] = None,
        forward_only: Optional[bool] = None,
        skip_backfill: Optional[bool] = None,
        empty_backfill: Optional[bool] = None,
        no_gaps: Optional[bool] = None,
        allow_destructive_models: Optional[Sequence[str]] = None,
        categories: Optional[Mapping[str, str]] = None,
        run: Optional[bool] = None,
        shared: Optional[bool] = None,
        idempotency_key: Optional[str] = None,
    ) -> Record:
        """What would change in an environment; nothing does until the plan is applied."""
        body = given(
            environment=environment,
            select=select,
            start=start,
            end=end,
            effective_from=effective_from,
            restate_models=restate_models,
            forward_only=forward_only,
            skip_backfill=skip_backfill,
            empty_backfill=empty_backfill,
            no_gaps=no_gaps,
            allow_destructive_models=allow_destructive_models,
            categories=categories,
            run=run,
            shared=shared,
        )
        return await self._transport.send(
            requests.change("activity", "plans", accepted=201, key=idempotency_key, body=body)
        )

    @checked
    async def apply_plan(
        self, plan_id: str, *, allow_wider_access: Optional[bool] = None, idempotency_key: Optional[str] = None
    ) -> Record:
        """Begins to apply a plan; the run that has begun. A plan with ``wider_access`` needs ``allow_wider_access``."""
        return await self._transport.send(requests.apply_plan(plan_id, allow_wider_access, idempotency_key))

    @checked
    async def start_run(
        self,
        *,
        environment: Optional[str] = None,
        select: Optional[str] = None,
        shared: Optional[bool] = None,
        idempotency_key: Optional[str] = None,
    ) -> Record:
        """Begins to fill what is due; the run that has begun."""
        body = given(environment=environment, select=select, shared=shared)
        return await self._transport.send(
            requests.change("activity", "runs", accepted=202, key=idempotency_key, body=body)
        )

    @checked
    async def cancel_run(self, run_id: str) -> Record:
        """Gives up a run of this server; one that has ended stays as it is."""
        return await self._transport.send(requests.cancel_run(run_id))

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
        self,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        environment: Optional[str] = None,
        status: Optional[str] = None,
    ) -> Page:
        """What became of each model when it was last tried, and since when it stands."""
        return await self._transport.send(
            requests.many(
                "activity", "models", limit=limit, cursor=cursor, environment=environment, status=status
            )
        )

    @checked
    async def list_query_activity(
        self,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        environment: Optional[str] = None,
        status: Optional[str] = None,
        query_type: Optional[str] = None,
        principal: Optional[str] = None,
        model: Optional[str] = None,
        tag: Optional[str] = None,
        since: Optional[str] = None,
    ) -> Page:
        """One page of what was asked, newest first; of others too with ``query:read-all``. ``since`` is an RFC 3339 time."""
        return await self._transport.send(
            requests.many(
                "activity",
                "queries",
                limit=limit,
                cursor=cursor,
                environment=environment,
                status=status,
                query_type=query_type,
                principal=principal,
                model=model,
                tag=tag,
                since=since,
            )
        )

    @checked
    async def list_events(
        self,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        environment: Optional[str] = None,
        run_id: Optional[str] = None,
        model: Optional[str] = None,
        type: Union[str, Sequence[str], None] = None,
        since: Optional[int] = None,
    ) -> Page:
        """One page of the event log, oldest first; ``type`` may be several and end in ``.*``, ``since`` is a sequence."""
        return await self._transport.send(
            requests.many(
                "activity",
                limit=limit,
                cursor=cursor,
                environment=environment,
                run_id=run_id,
                model=model,
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
        model: Optional[str] = None,
        type: Union[str, Sequence[str], None] = None,
    ) -> AsyncIterator[Record]:
        """The whole log, a page at a time."""
        cursor: Optional[str] = None
        while True:
            page = await self.list_events(
                limit=page_size, cursor=cursor, environment=environment, run_id=run_id, model=model, type=type
            )
            for event in page.items:
                yield event
            cursor = page.next_cursor
            if cursor is None:
                return

    @checked
    async def stream_events(
        self,
        *,
        since: Optional[int] = None,
        environment: Optional[str] = None,
        run_id: Optional[str] = None,
        model: Optional[str] = None,
        type: Union[str, Sequence[str], None] = None,
    ) -> AsyncIterator[Record]:
        """Events as they happen, from now on or behind the sequence ``since``; ends when the loop over it is left.

        A broken connection is an error: go on with ``since`` as the ``sequence`` of the last event. So is a token that
        is revoked meanwhile: a ``DataProductError`` of status 401.
        """
        lines = requests.EventLines()
        asked = requests.stream_events(
            since=since, environment=environment, run_id=run_id, model=model, type=type
        )
        async with self._transport.stream(asked) as chunks:
            async for chunk in chunks:
                for event in lines.feed(chunk):
                    yield event
