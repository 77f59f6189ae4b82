"""The dq group."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Optional

from . import resource_requests as requests
from .errors import checked
from .later import LaterGroup
from .records import Page, Record
from .transport import Transport


class DqGroup(LaterGroup):
    """Rules, what checks found, incidents, profiles, audits, quarantine, freshness, tests and lint."""

    def __init__(self, transport: Transport) -> None:
        super().__init__("dq")
        self._transport = transport

    @checked
    def get_summary(self, *, environment: Optional[str] = None, as_of: Optional[str] = None) -> Record:
        """How the data is, by dimension: the newest result of each check; with ``as_of`` (an RFC 3339 time) as it was then."""
        return self._transport.send(requests.one("dq", environment=environment, as_of=as_of))

    @checked
    def list_rules(
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
        return self._transport.send(
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
    def iter_rules(
        self,
        *,
        page_size: Optional[int] = None,
        model: Optional[str] = None,
        dimension: Optional[str] = None,
        outcome: Optional[str] = None,
        environment: Optional[str] = None,
    ) -> Iterator[Record]:
        """All of them, a page at a time."""
        cursor: Optional[str] = None
        while True:
            page = self.list_rules(
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
    def get_rule(self, rule_id: str, *, environment: Optional[str] = None) -> Record:
        """A rule by its id, with recent results."""
        return self._transport.send(requests.get_rule(rule_id, environment))

    @checked
    def list_results(
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
        return self._transport.send(
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
    def iter_results(
        self,
        *,
        page_size: Optional[int] = None,
        model: Optional[str] = None,
        check: Optional[str] = None,
        run_id: Optional[str] = None,
        outcome: Optional[str] = None,
        since: Optional[str] = None,
        environment: Optional[str] = None,
    ) -> Iterator[Record]:
        """All of them, a page at a time."""
        cursor: Optional[str] = None
        while True:
            page = self.list_results(
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
    def get_result_sample(self, result_id: str) -> Record:
        """Rows that a rule found wrong, as far as policies let the caller see them."""
        return self._transport.send(requests.get_result_sample(result_id))

    @checked
    def list_incidents(
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
        return self._transport.send(
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
    def iter_incidents(
        self,
        *,
        page_size: Optional[int] = None,
        model: Optional[str] = None,
        check: Optional[str] = None,
        state: Optional[str] = None,
        environment: Optional[str] = None,
    ) -> Iterator[Record]:
        """All of them, a page at a time."""
        cursor: Optional[str] = None
        while True:
            page = self.list_incidents(
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
    def get_incident(self, incident_id: str) -> Record:
        """An incident by its id, with recent results of its check."""
        return self._transport.send(requests.get_incident(incident_id))

    @checked
    def decide_gate(self, refs: Sequence[str], *, environment: Optional[str] = None) -> Record:
        """Whether to go on with data: ``decision`` is ``allow``, ``warn`` or ``block``.

        A reference is a model, ``semantic:NAME`` or ``metric:NAME``; all that it is made of counts.
        """
        return self._transport.send(requests.decide_gate(refs, environment))

    @checked
    def list_profiles(
        self,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        model: Optional[str] = None,
        environment: Optional[str] = None,
    ) -> Page:
        """One page of what tables look like, newest first, with how they differ from before."""
        return self._transport.send(
            requests.many(
                "dq",
                "profiles",
                limit=limit,
                cursor=cursor,
                model=model,
                environment=environment,
            )
        )

    @checked
    def iter_profiles(
        self,
        *,
        page_size: Optional[int] = None,
        model: Optional[str] = None,
        environment: Optional[str] = None,
    ) -> Iterator[Record]:
        """All of them, a page at a time."""
        cursor: Optional[str] = None
        while True:
            page = self.list_profiles(
                limit=page_size,
                cursor=cursor,
                model=model,
                environment=environment,
            )
            for profile in page.items:
                yield profile
            cursor = page.next_cursor
            if cursor is None:
                return

    @checked
    def list_audits(
        self,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        model: Optional[str] = None,
        status: Optional[str] = None,
        environment: Optional[str] = None,
    ) -> Page:
        """One page of the audits, with what became of each when it last ran."""
        return self._transport.send(
            requests.many(
                "dq",
                "audits",
                limit=limit,
                cursor=cursor,
                model=model,
                status=status,
                environment=environment,
            )
        )

    @checked
    def iter_audits(
        self,
        *,
        page_size: Optional[int] = None,
        model: Optional[str] = None,
        status: Optional[str] = None,
        environment: Optional[str] = None,
    ) -> Iterator[Record]:
        """All of them, a page at a time."""
        cursor: Optional[str] = None
        while True:
            page = self.list_audits(
                limit=page_size,
                cursor=cursor,
                model=model,
                status=status,
                environment=environment,
            )
            for audit in page.items:
                yield audit
            cursor = page.next_cursor
            if cursor is None:
                return

    @checked
    def list_quarantine(
        self,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        model: Optional[str] = None,
        environment: Optional[str] = None,
    ) -> Page:
        """One page of rows that audits hold back: by model, run, interval and reasons, newest first."""
        return self._transport.send(
            requests.many(
                "dq",
                "quarantine",
                limit=limit,
                cursor=cursor,
                model=model,
                environment=environment,
            )
        )

    @checked
    def iter_quarantine(
        self,
        *,
        page_size: Optional[int] = None,
        model: Optional[str] = None,
        environment: Optional[str] = None,
    ) -> Iterator[Record]:
        """All of them, a page at a time."""
        cursor: Optional[str] = None
        while True:
            page = self.list_quarantine(
                limit=page_size,
                cursor=cursor,
                model=model,
                environment=environment,
            )
            for held in page.items:
                yield held
            cursor = page.next_cursor
            if cursor is None:
                return

    @checked
    def get_quarantine(
        self, quarantine_id: str, *, limit: Optional[int] = None, environment: Optional[str] = None
    ) -> Record:
        """Rows that are held back together, as far as policies let the caller see them."""
        return self._transport.send(requests.get_quarantine(quarantine_id, limit, environment))

    @checked
    def get_freshness(
        self,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        model: Optional[str] = None,
        environment: Optional[str] = None,
    ) -> Page:
        """How new the data is against what is promised: ``product``, and one page of the models."""
        return self._transport.send(
            requests.many("dq", "freshness", limit=limit, cursor=cursor, model=model, environment=environment)
        )

    @checked
    def list_tests(
        self,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        model: Optional[str] = None,
        status: Optional[str] = None,
    ) -> Page:
        """Runs the tests in the folder of the product: one page of how they ended. ``status`` is passed, failed, broken or not-run."""
        return self._transport.send(
            requests.many(
                "dq",
                "tests",
                limit=limit,
                cursor=cursor,
                model=model,
                status=status,
            )
        )

    @checked
    def lint(
        self,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        severity: Optional[str] = None,
    ) -> Page:
        """One page of what lint finds in the files of the product. ``severity`` is error, warning or note."""
        return self._transport.send(
            requests.many(
                "dq",
                "lint",
                limit=limit,
                cursor=cursor,
                severity=severity,
            )
        )

    @checked
    def run_checks(
        self,
        *,
        select: Optional[str] = None,
        packs: Optional[Sequence[str]] = None,
        environment: Optional[str] = None,
        wait: Optional[float] = None,
        idempotency_key: Optional[str] = None,
    ) -> Record:
        """Evaluate the rules of dq packs now; its ``status`` is ``running`` when they have not ended within ``wait`` seconds."""
        return self._transport.send(requests.run_checks(select, packs, environment, wait, idempotency_key))

    @checked
    def get_check_run(self, run_id: str, *, wait: Optional[float] = None) -> Record:
        """A check run that was asked for, within ``wait`` seconds as soon as it has ended."""
        return self._transport.send(requests.get_check_run(run_id, wait))
