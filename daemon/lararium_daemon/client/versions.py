"""Which daemon understands what: the same major version works both ways.

What is younger than a major version's first minor is sent only to a daemon that knows it; the
table says since when. Unknown fields and events of a younger daemon are ignored where they are
read, so nothing needs to be said about those.
"""

import re
from types import MappingProxyType
from typing import Literal, NamedTuple

from lararium_daemon.client.errors import ClientError
from lararium_daemon.protocol.version import API_MAJOR

Feature = Literal["drain"]

SINCE_MINOR = MappingProxyType[Feature, int]({"drain": 1})
"""Of the present major version. Whoever sends something new adds it here, with the minor version
in which `protocol/version.py` grew for it."""


class ApiVersion(NamedTuple):
    """What a daemon speaks."""

    major: int
    minor: int

    def knows(self, feature: Feature) -> bool:
        """Tell whether it may be sent. Pure."""
        return self.major == API_MAJOR and self.minor >= SINCE_MINOR[feature]


def check_major(version: ApiVersion, app_version: str) -> None:
    """Make sure that a daemon is understood at all.

    Raises:
        ClientError: `other_api_version`, with what to do.
    """
    if version.major == API_MAJOR:
        return
    raise ClientError(
        "other_api_version",
        f"The daemon of this folder is Lararium {app_version} and speaks version {version.major} "
        f"of the API; this program speaks version {API_MAJOR}. Stop it with `lar daemon stop` and "
        "start it again.",
        status=409,
    )


def check_knows(version: ApiVersion, feature: Feature, app_version: str) -> None:
    """Make sure that a daemon knows a feature.

    Raises:
        ClientError: `older_daemon`, with what to do.
    """
    if not version.knows(feature):
        raise ClientError(
            "older_daemon",
            f"The daemon of this folder is Lararium {app_version} and does not know this yet "
            f"({feature}). Stop it with `lar daemon stop` and start it again.",
            status=409,
        )


def is_older(version: str, than: str) -> bool:
    """Tell whether a version of this app comes before another. Pure.

    What is no version is older than nothing: whoever cannot be placed is left alone.
    """
    given, other = _numbers(version), _numbers(than)
    return bool(given and other) and given < other


def _numbers(version: str) -> tuple[int, ...]:
    found = re.match(r"\d+(\.\d+)+", version)
    return tuple(int(part) for part in found[0].split(".")) if found else ()
