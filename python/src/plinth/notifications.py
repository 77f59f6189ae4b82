"""The notifications group."""

from __future__ import annotations

from typing import Any, Optional

from . import resource_requests as requests
from .errors import checked, required_segment
from .later import LaterGroup
from .records import Page, Record
from .transport import Transport


class NotificationsGroup(LaterGroup):
    """Channels, rules, deliveries, the inbox, events to be pulled."""

    def __init__(self, transport: Transport) -> None:
        super().__init__("notifications")
        self._transport = transport

    @checked
    def list_channels(self, *, limit: Optional[int] = None, cursor: Optional[str] = None) -> Page:
        """One page of the caller's own channels."""
        return self._transport.send(requests.many("notifications", "channels", limit=limit, cursor=cursor))

    @checked
    def create_channel(self, **body: Any) -> Record:
        """A new channel: `name`, `kind` and `config`. The key that signs its messages is in the answer, this once."""
        return self._transport.send(requests.change("notifications", "channels", accepted=201, body=body))

    @checked
    def get_channel(self, channel_id: str) -> Record:
        """One channel."""
        return self._transport.send(requests.one("notifications", "channels", required_segment("channel_id", channel_id)))

    @checked
    def put_channel(self, channel_id: str, **body: Any) -> Record:
        """Changes name, config and whether it is enabled; secrets that are not written stay."""
        return self._transport.send(requests.change("notifications", "channels", required_segment("channel_id", channel_id), accepted=200, method="PUT", body=body))

    @checked
    def change_channel(self, channel_id: str, **body: Any) -> Record:
        """Changes some of name, config and whether it is enabled."""
        return self._transport.send(requests.change("notifications", "channels", required_segment("channel_id", channel_id), accepted=200, method="PATCH", body=body))

    @checked
    def delete_channel(self, channel_id: str) -> None:
        """Removes a channel."""
        return self._transport.send(requests.remove("notifications", "channels", required_segment("channel_id", channel_id)))

    @checked
    def test_channel(self, channel_id: str) -> Record:
        """Sends a message that tells of nothing, at once."""
        return self._transport.send(requests.change("notifications", "channels", required_segment("channel_id", channel_id), "test", accepted=200, body={}))

    @checked
    def rotate_channel_key(self, channel_id: str, **body: Any) -> Record:
        """A new key signs from now on; earlier ones sign beside it for `overlap_hours`."""
        return self._transport.send(requests.change("notifications", "channels", required_segment("channel_id", channel_id), "rotate", accepted=200, body=body))

    @checked
    def list_notification_rules(self, *, limit: Optional[int] = None, cursor: Optional[str] = None) -> Page:
        """One page of the caller's own rules."""
        return self._transport.send(requests.many("notifications", "rules", limit=limit, cursor=cursor))

    @checked
    def create_notification_rule(self, **body: Any) -> Record:
        """A new rule: `name`, `audience`, and what it filters."""
        return self._transport.send(requests.change("notifications", "rules", accepted=201, body=body))

    @checked
    def preview_notification_rule(self, **body: Any) -> Record:
        """What a rule would have sent lately."""
        return self._transport.send(requests.change("notifications", "rules", "preview", accepted=200, body=body))

    @checked
    def get_notification_rule(self, rule_id: str) -> Record:
        """One rule."""
        return self._transport.send(requests.one("notifications", "rules", required_segment("rule_id", rule_id)))

    @checked
    def put_notification_rule(self, rule_id: str, **body: Any) -> Record:
        """Changes a rule; fields that are absent stay."""
        return self._transport.send(requests.change("notifications", "rules", required_segment("rule_id", rule_id), accepted=200, method="PUT", body=body))

    @checked
    def change_notification_rule(self, rule_id: str, **body: Any) -> Record:
        """Changes some of a rule."""
        return self._transport.send(requests.change("notifications", "rules", required_segment("rule_id", rule_id), accepted=200, method="PATCH", body=body))

    @checked
    def delete_notification_rule(self, rule_id: str) -> None:
        """Removes a rule."""
        return self._transport.send(requests.remove("notifications", "rules", required_segment("rule_id", rule_id)))

    @checked
    def list_deliveries(
        self,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        status: Optional[str] = None,
        channel_id: Optional[str] = None,
        source: Optional[str] = None,
    ) -> Page:
        """One page of what was sent to the channels of the caller, newest first."""
        return self._transport.send(requests.many("notifications", "deliveries", limit=limit, cursor=cursor, status=status, channel_id=channel_id, source=source))

    @checked
    def get_delivery(self, delivery_id: str) -> Record:
        """One delivery with its attempts."""
        return self._transport.send(requests.one("notifications", "deliveries", required_segment("delivery_id", delivery_id)))

    @checked
    def resend_delivery(self, delivery_id: str) -> Record:
        """Sends it once more, under the same id."""
        return self._transport.send(requests.change("notifications", "deliveries", required_segment("delivery_id", delivery_id), "resend", accepted=202, body={}))

    @checked
    def list_dead_letters(
        self,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        channel_id: Optional[str] = None,
        source: Optional[str] = None,
    ) -> Page:
        """One page of the deliveries that were given up."""
        return self._transport.send(requests.many("notifications", "dead-letter", limit=limit, cursor=cursor, channel_id=channel_id, source=source))

    @checked
    def redrive_dead_letters(self, **body: Any) -> Record:
        """Sends dead letters once more: those in `ids`, or the newest thousand."""
        return self._transport.send(requests.change("notifications", "dead-letter", "redrive", accepted=202, body=body))

    @checked
    def pull_events(self, *, limit: Optional[int] = None, cursor: Optional[str] = None) -> Page:
        """Events behind a cursor, oldest first; `next_cursor` is there at the end of the log too."""
        return self._transport.send(requests.many("notifications", "events", limit=limit, cursor=cursor))

    @checked
    def list_inbox(
        self,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        unread: Optional[bool] = None,
    ) -> Page:
        """One page of the caller's inbox, newest first."""
        return self._transport.send(requests.many("notifications", "inbox", limit=limit, cursor=cursor, unread=unread))

    @checked
    def mark_inbox_read(self, **body: Any) -> Record:
        """Marks items as read: those in `ids`, or all `up_to` one."""
        return self._transport.send(requests.change("notifications", "inbox", "read", accepted=200, body=body))

    @checked
    def get_preferences(self) -> Record:
        """What the caller wants to hear of all that they follow and own."""
        return self._transport.send(requests.one("notifications", "preferences"))

    @checked
    def put_preferences(self, **body: Any) -> Record:
        """Replaces the preferences."""
        return self._transport.send(requests.change("notifications", "preferences", accepted=200, method="PUT", body=body))

    @checked
    def list_event_types(self, *, limit: Optional[int] = None, cursor: Optional[str] = None) -> Page:
        """Every type of event, with its severity."""
        return self._transport.send(requests.many("notifications", "event-types", limit=limit, cursor=cursor))
