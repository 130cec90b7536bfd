"""The one origin that may frame a daemon's page: the hub's, which changes when the hub moves."""

import re

from lararium_daemon.protocol.problems import LarariumError

_LOOPBACK_ORIGIN = re.compile(r"http://127\.0\.0\.1:[1-9][0-9]{0,4}")


class HubOrigin:
    """Holds the origin; shared by the page, which renders it, and the route that changes it."""

    def __init__(self, origin: str = "") -> None:
        self._origin = ""
        self.set(origin)

    @property
    def value(self) -> str:
        """The origin as it stands in headers; "" when nobody may frame the page."""
        return self._origin

    def set(self, origin: str) -> None:
        """Take a new origin, or "" for none.

        Raises:
            LarariumError: `invalid_origin`, it is not one of this machine's loopback origins.
        """
        if origin and not _LOOPBACK_ORIGIN.fullmatch(origin):
            detail = "The hub's origin has the form http://127.0.0.1:PORT."
            raise LarariumError("invalid_origin", detail, 422)
        self._origin = origin
