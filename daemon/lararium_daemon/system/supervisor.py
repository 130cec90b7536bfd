"""Tells a service manager that started this process how far it is.

Source: the notification protocol of systemd, sd_notify(3): lines in one datagram to the socket
named by NOTIFY_SOCKET. Without one nobody is told.
"""

import os
from collections.abc import Mapping

VARIABLE = "NOTIFY_SOCKET"
_SECONDS = 1.0


class Supervisor:
    """Whoever waits to hear that the service is ready, or nobody."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._address = environment.get(VARIABLE, "")

    def tell(self, state: str) -> None:
        """Send `READY=1` or the like. A manager that does not listen is no error here."""
        if not self._address:
            return
        import socket  # most guardians never need it, and stay smaller

        address: str | bytes = self._address
        if self._address.startswith("@"):  # a name without a file
            address = b"\0" + os.fsencode(self._address[1:])
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            sender.settimeout(_SECONDS)
            try:
                sender.sendto(state.encode(), address)
            except OSError:
                return
