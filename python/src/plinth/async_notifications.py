"""Made from notifications.py by make_async.py: change that, then run this."""

from __future__ import annotations

from typing import Any, Optional

from . import resource_requests as requests
from .errors import checked, required_segment
from .later import LaterGroup
from .records import Page, Record
from .transport import AsyncTransport


class AsyncNotificationsGroup(LaterGroup):
    """Channels, rules, deliveries, the inbox, events to be pulled."""

    def __init__(self, transport: AsyncTransport) -> None:
        super().__init__("notifications")
        self._transport = transport

    @checked
    async def list_channels(self, *, limit: Optional[int] = None, cursor: Optional[str] = None) -> Page:
        """One page of the caller's own channels."""
        return await self._transport.send(requests.many("notifications", "channels", limit=limit, cursor=cursor))

    @checked
    async def create_channel(self, **body: Any) -> Record:
        """A new channel: `name`, `kind` and `config`. The key that signs its messages is in the answer, this once."""
        return await self._transport.send(requests.change("notifications", "channels", accepted=201, body=body))

    @checked
    async def get_channel(self, channel_id: str) -> Record:
        """One channel."""
        return await self._transport.send(requests.one("notifications", "channels", required_segment("channel_id", channel_id)))

    @checked
    async def put_channel(self, channel_id: str, **body: Any) -> Record:
        """Changes name, config and whether it is enabled; secrets that are not written stay."""
        return await self._transport.send(requests.change("notifications", "channels", required_segment("channel_id", channel_id), accepted=200, method="PUT", body=body))

    @checked
    async def change_channel(self, channel_id: str, **body: Any) -> Record:
        """Changes some of name, config and whether it is enabled."""
        return await self._transport.send(requests.change("notifications", "channels", required_segment("channel_id", channel_id), accepted=200, method="PATCH", body=body))

    @checked
    async def delete_channel(self, channel_id: str) -> None:
        """Removes a channel."""
        return await self._transport.send(requests.remove("notifications", "channels", required_segment("channel_id", channel_id)))

    @checked
    async def test_channel(self, channel_id: str) -> Record:
        """Sends a message that tells of nothing, at once."""
        return await self._transport.send(requests.change("notifications", "channels", required_segment("channel_id", channel_id), "test", accepted=200, body={}))

    @checked
    async def rotate_channel_key(self, channel_id: str, **body: Any) -> Record:
        """A new key signs from now on; earlier ones sign beside it for `overlap_hours`."""
        return await self._transport.send(requests.change("notifications", "channels", required_segment("channel_id", channel_id), "rotate", accepted=200, body=body))

    @checked
    async def list_notification_rules(self, *, limit: Optional[int] = None, cursor: Optional[str] = None) -> Page:
        """One page of the caller's own rules."""
        return await self._transport.send(requests.many("notifications", "rules", limit=limit, cursor=cursor))

    @checked
    async def create_notification_rule(self, **body: Any) -> Record:
        """A new rule: `name`, `audience`, and what it filters."""
        return await self._transport.send(requests.change("notifications", "rules", accepted=201, body=body))

    @checked
    async def preview_notification_rule(self, **body: Any) -> Record:
        """What a rule would have sent lately."""
        return await self._transport.send(requests.change("notifications", "rules", "preview", accepted=200, body=body))

    @checked
    async def get_notification_rule(self, rule_id: str) -> Record:
        """One rule."""
        return await self._transport.send(requests.one("notifications", "rules", required_segment("rule_id", rule_id)))

    @checked
    async def put_notification_rule(self, rule_id: str, **body: Any) -> Record:
        """Changes a rule; fields that are absent stay."""
        return await self._transport.send(requests.change("notifications", "rules", required_segment("rule_id", rule_id), accepted=200, method="PUT", body=body))

    @checked
    async def change_notification_rule(self, rule_id: str, **body: Any) -> Record:
        """Changes some of a rule."""
        return await self._transport.send(requests.change("notifications", "rules", required_segment("rule_id", rule_id), accepted=200, method="PATCH", body=body))

    @checked
    async def delete_notification_rule(self, rule_id: str) -> None:
        """Removes a rule."""
        return await self._transport.send(requests.remove("notifications", "rules", required_segment("rule_id", rule_id)))

    @checked
    async def list_deliveries(
        self,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        status: Optional[str] = None,
        channel_id: Optional[str] = None,
        source: Optional[str] = None,
    ) -> Page:
        """One page of what was sent to the channels of the caller, newest first."""
        return await self._transport.send(requests.many("notifications", "deliveries", limit=limit, cursor=cursor, status=status, channel_id=channel_id, source=source))

    @checked
    async def get_delivery(self, delivery_id: str) -> Record:
        """One delivery with its attempts."""
        return await self._transport.send(requests.one("notifications", "deliveries", required_segment("delivery_id", delivery_id)))

    @checked
    async def resend_delivery(self, delivery_id: str) -> Record:
        """Sends it once more, under the same id."""
        return await self._transport.send(requests.change("notifications", "deliveries", required_segment("delivery_id", delivery_id), "resend", accepted=202, body={}))

    @checked
    async def list_dead_letters(
        self,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        channel_id: Optional[str] = None,
        source: Optional[str] = None,
    ) -> Page:
        """One page of the deliveries that were given up."""
        return await self._transport.send(requests.many("notifications", "dead-letter", limit=limit, cursor=cursor, channel_id=channel_id, source=source))

    @checked
    async def redrive_dead_letters(self, **body: Any) -> Record:
        """Sends dead letters once more: those in `ids`, or the newest thousand."""
        return await self._transport.send(requests.change("notifications", "dead-letter", "redrive", accepted=202, body=body))

    @checked
    async def pull_events(self, *, limit: Optional[int] = None, cursor: Optional[str] = None) -> Page:
        """Events behind a cursor, oldest first; `next_cursor` is there at the end of the log too."""
        return await self._transport.send(requests.many("notifications", "events", limit=limit, cursor=cursor))

    @checked
    async def list_inbox(
        self,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        unread: Optional[bool] = None,
    ) -> Page:
        """One page of the caller's inbox, newest first."""
        return await self._transport.send(requests.many("notifications", "inbox", limit=limit, cursor=cursor, unread=unread))

    @checked
    async def mark_inbox_read(self, **body: Any) -> Record:
        """Marks items as read: those in `ids`, or all `up_to` one."""
        return await self._transport.send(requests.change("notifications", "inbox", "read", accepted=200, body=body))

    @checked
    async def get_preferences(self) -> Record:
        """What the caller wants to hear of all that they follow and own."""
        return await self._transport.send(requests.one("notifications", "preferences"))

    @checked
    async def put_preferences(self, **body: Any) -> Record:
        """Replaces the preferences."""
        return await self._transport.send(requests.change("notifications", "preferences", accepted=200, method="PUT", body=body))

    @checked
    async def list_event_types(self, *, limit: Optional[int] = None, cursor: Optional[str] = None) -> Page:
        """Every type of event, with its severity."""
        return await self._transport.send(requests.many("notifications", "event-types", limit=limit, cursor=cursor))
