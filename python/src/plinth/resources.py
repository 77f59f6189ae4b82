"""The metadata and activity groups."""

from __future__ import annotations

from . import resource_requests as requests
from .errors import checked
from .later import LaterGroup
from .records import Record
from .transport import Transport


class MetadataGroup(LaterGroup):
    """What the data product is made of."""

    def __init__(self, transport: Transport) -> None:
        super().__init__("metadata")
        self._transport = transport


class ActivityGroup(LaterGroup):
    """What happened to the data product."""

    def __init__(self, transport: Transport) -> None:
        super().__init__("activity")
        self._transport = transport

    @checked
    def get_plan(self, plan_id: str) -> Record:
        """A plan by its id, whole."""
        return self._transport.send(requests.get_plan(plan_id))
