"""Where the window may go: a pure policy, so that each engine's guard asks the same question.

The top frame shows the hub's page and nothing else. A frame may show the page of a daemon that
the hub named. Everything else (other origins, other schemes, new windows, downloads) is refused;
a link that a person may want is handed to the hub's page by the workspace page, never opened from
here.
"""

from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlsplit

Verdict = Literal["allow", "refuse"]
FrameKind = Literal["top", "child", "unknown"]
"""`unknown`: WebKitGTK does not say before the answer has begun; it is asked again then."""

LOOPBACK = "127.0.0.1"
BLANK_PAGES = frozenset({"about:blank", "about:srcdoc"})


@dataclass(frozen=True)
class Navigation:
    """What an engine says about a navigation before it happens."""

    url: str
    frame: FrameKind = "unknown"
    new_window: bool = False
    """`target=_blank`, `window.open` and their like."""
    is_download: bool = False
    """The answer is nothing that the engine can show."""


@dataclass(frozen=True)
class AllowedOrigins:
    """The hub and the daemons whose pages it embeds now."""

    hub: str
    daemons: frozenset[str] = field(default_factory=frozenset[str])


def judge(navigation: Navigation, allowed: AllowedOrigins) -> Verdict:
    """Say whether the navigation may go on."""
    if navigation.new_window or navigation.is_download:
        return "refuse"
    if navigation.url in BLANK_PAGES:
        return "allow"
    origin = origin_of(navigation.url)
    if origin is None:
        return "refuse"
    if origin == allowed.hub:
        return "allow"
    if navigation.frame != "top" and origin in allowed.daemons:
        return "allow"
    return "refuse"


def origin_of(url: str) -> str | None:
    """Give the origin of a page on this machine's loopback; None for every other address.

    Only the one spelling that the hub itself uses counts: `http`, `127.0.0.1`, a port, no user.
    """
    if any(ord(char) <= 0x20 or char == "\\" for char in url):
        return None
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    if parts.scheme != "http" or port is None or parts.netloc != f"{LOOPBACK}:{port}":
        return None
    return f"http://{LOOPBACK}:{port}"


def parse_origins(text: str) -> frozenset[str]:
    """Read the hub's list of daemon origins, one after another; what is no origin is left out."""
    origins = {word for word in text.split(" ") if origin_of(word) == word}
    return frozenset(origins)
