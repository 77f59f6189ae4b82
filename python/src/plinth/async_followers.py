"""Made from followers.py by make_async.py: change that, then run this."""

from __future__ import annotations

from typing import Any, Optional

from . import resource_requests as requests
from .errors import checked, required_text
from .later import LaterGroup
from .records import Page, Record
from .transport import AsyncTransport


class AsyncFollowersGroup(LaterGroup):
    """Who follows what."""

    def __init__(self, transport: AsyncTransport) -> None:
        super().__init__("followers")
        self._transport = transport

    @checked
    async def list_followers(self, target: str) -> Record:
        """How many follow a target; by name for owners of the product."""
        return await self._transport.send(requests.one("followers", target=required_text("target", target)))

    @checked
    async def follow(self, **body: Any) -> Record:
        """Follows `target`: product, model:NAME, metric:NAME or perspective:SLUG."""
        return await self._transport.send(requests.change("followers", accepted=201, body=body))

    @checked
    async def get_follow(self, target: str) -> Record:
        """How the caller follows a target."""
        return await self._transport.send(requests.one("followers", "me", target=required_text("target", target)))

    @checked
    async def put_follow(self, target: str, **body: Any) -> Record:
        """Follows a target in the own name, or changes how."""
        return await self._transport.send(requests.change("followers", "me", accepted=200, method="PUT", params={"target": required_text("target", target)}, body=body))

    @checked
    async def unfollow(self, target: str) -> None:
        """Follows a target no longer."""
        return await self._transport.send(requests.remove("followers", "me", target=required_text("target", target)))

    @checked
    async def list_following(self, *, limit: Optional[int] = None, cursor: Optional[str] = None) -> Page:
        """What the caller follows, in their own name and through groups."""
        return await self._transport.send(requests.many("following", limit=limit, cursor=cursor))
