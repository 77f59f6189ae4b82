"""The client object of the contract, and its asynchronous twin."""

from __future__ import annotations

from types import TracebackType
from typing import ClassVar, Optional

from .address import base_address, checked_token
from .async_dq import AsyncDqGroup
from .async_followers import AsyncFollowersGroup
from .async_notifications import AsyncNotificationsGroup
from .async_perspectives import AsyncPerspectivesGroup
from .async_query import AsyncQueryGroup
from .async_resources import AsyncActivityGroup, AsyncMetadataGroup
from .dq import DqGroup
from .errors import checked
from .followers import FollowersGroup
from .notifications import NotificationsGroup
from .perspectives import PerspectivesGroup
from .query import QueryGroup
from .resources import ActivityGroup, MetadataGroup
from .transport import AsyncTransport, Settings, Transport


class DataProductClient:
    """One data product; its seven groups of operations are attributes.

    ``fqdn`` may begin with ``http://`` and end with a port. Close the client when done, or use it with ``with``.
    """

    service: ClassVar[str] = "plinth"
    """The path segment of the platform; a subclass changes it for a server with another ``server.service``."""
    retries: ClassVar[int] = 3
    """Further attempts after a broken connection, 429, 502 or 503."""

    base_url: str
    metadata: MetadataGroup
    query: QueryGroup
    activity: ActivityGroup
    dq: DqGroup
    perspectives: PerspectivesGroup
    notifications: NotificationsGroup
    followers: FollowersGroup

    @checked
    def __init__(
        self,
        fqdn: str,
        dp_name: str,
        access_token: str,
        tenant: str,
        timeout: float = 30.0,
        verify_ssl: bool = True,
    ) -> None:
        self.base_url = base_address(fqdn, tenant, dp_name, self.service)
        self._transport = Transport(
            Settings(
                base_url=self.base_url,
                token=checked_token(access_token),
                timeout=timeout,
                verify_ssl=verify_ssl,
                retries=self.retries,
            )
        )
        self.metadata = MetadataGroup(self._transport)
        self.query = QueryGroup(self._transport)
        self.activity = ActivityGroup(self._transport)
        self.dq = DqGroup(self._transport)
        self.perspectives = PerspectivesGroup(self._transport)
        self.notifications = NotificationsGroup(self._transport)
        self.followers = FollowersGroup(self._transport)

    def close(self) -> None:
        """Ends its connections."""
        self._transport.close()

    def __enter__(self) -> DataProductClient:
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_url})"


class AsyncDataProductClient:
    """As :class:`DataProductClient`; every operation is awaited, every iterator is asynchronous."""

    service: ClassVar[str] = "plinth"
    retries: ClassVar[int] = 3

    base_url: str
    metadata: AsyncMetadataGroup
    query: AsyncQueryGroup
    activity: AsyncActivityGroup
    dq: AsyncDqGroup
    perspectives: AsyncPerspectivesGroup
    notifications: AsyncNotificationsGroup
    followers: AsyncFollowersGroup

    @checked
    def __init__(
        self,
        fqdn: str,
        dp_name: str,
        access_token: str,
        tenant: str,
        timeout: float = 30.0,
        verify_ssl: bool = True,
    ) -> None:
        self.base_url = base_address(fqdn, tenant, dp_name, self.service)
        self._transport = AsyncTransport(
            Settings(
                base_url=self.base_url,
                token=checked_token(access_token),
                timeout=timeout,
                verify_ssl=verify_ssl,
                retries=self.retries,
            )
        )
        self.metadata = AsyncMetadataGroup(self._transport)
        self.query = AsyncQueryGroup(self._transport)
        self.activity = AsyncActivityGroup(self._transport)
        self.dq = AsyncDqGroup(self._transport)
        self.perspectives = AsyncPerspectivesGroup(self._transport)
        self.notifications = AsyncNotificationsGroup(self._transport)
        self.followers = AsyncFollowersGroup(self._transport)

    async def close(self) -> None:
        """Ends its connections."""
        await self._transport.close()

    async def __aenter__(self) -> AsyncDataProductClient:
        return self

    async def __aexit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_url})"
