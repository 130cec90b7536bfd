"""`org.freedesktop.Notifications` with what `desktop-notifier` leaves out.

It always asks for a new notification, so two of one session would stack; it does not say whether
the server reads markup, so a text could be taken for it; and it forgets what was pressed, which a
server may leave on the screen with buttons that do nothing any more.
Source: https://specifications.freedesktop.org/notification-spec/latest/
"""

from typing import Any

from dbus_fast import Message, MessageFlag
from dbus_fast.aio.proxy_object import ProxyInterface
from desktop_notifier.backends.dbus import DBusDesktopNotifier
from desktop_notifier.common import Capability, Icon

SERVICE = "org.freedesktop.Notifications"


class ReplacingNotifier(DBusDesktopNotifier):
    """Replaces the notification that has the same identifier."""

    def __init__(self, app_name: str, app_icon: Icon | None = None) -> None:
        super().__init__(app_name, app_icon)
        self.reads_markup = False
        """Whether the server takes the body for markup; known after `get_capabilities`."""
        self._replaced = 0

    async def _send(self, notification: Any) -> None:
        ids = self._platform_to_interface_notification_identifier
        self._replaced = ids.inverse.pop(notification.identifier, 0)
        await super()._send(notification)

    async def _init_dbus(self) -> ProxyInterface:
        interface: Any = await super()._init_dbus()
        notify = interface.call_notify

        async def replace(app_name: str, _new: int, *rest: Any) -> Any:
            return await notify(app_name, self._replaced, *rest)

        interface.call_notify = replace
        return interface

    async def _get_capabilities(self) -> frozenset[Capability]:
        found = await super()._get_capabilities()
        interface: Any = self.interface
        self.reads_markup = "body-markup" in await interface.call_get_capabilities()
        return found

    def _on_action(self, nid: int, action_key: str) -> None:
        is_ours = nid in self._platform_to_interface_notification_identifier
        super()._on_action(nid, action_key)
        interface: Any = self.interface
        if is_ours and interface is not None:
            interface.bus.send(_closing(nid))


def _closing(number: int) -> Message:
    """Take a notification off the screen; no answer, as the server may have done it by itself."""
    return Message(
        destination=SERVICE,
        path=f"/{SERVICE.replace('.', '/')}",
        interface=SERVICE,
        member="CloseNotification",
        signature="u",
        body=[number],
        flags=MessageFlag.NO_REPLY_EXPECTED,
    )
