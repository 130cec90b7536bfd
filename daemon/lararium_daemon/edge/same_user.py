"""`auth.loopback = "trust-same-user"`: programs of this user are answered without a credential.

Only when all of it holds: the server listens on loopback alone, the other end is a process of this
very user (which only Linux tells), and the request looks like a program's: nothing a browser adds,
nothing a proxy adds. A web page is never trusted, whoever's browser shows it, and behind a proxy
or a tunnel the whole world comes from loopback. A wrong credential stays wrong.
"""

import logging
import socket
import sys
from collections.abc import Callable, Mapping
from ipaddress import ip_address
from pathlib import Path
from typing import Literal

from lararium_daemon.edge.judge import RequestFacts
from lararium_daemon.settings import load_settings
from lararium_daemon.system.peers import End, is_own_peer

logger = logging.getLogger(__name__)

LoopbackMode = Literal["token", "trust-same-user"]
PeerCheck = Callable[[End, End], bool]
"""Whether the process at the first end, which speaks to the second, is this user's; may block."""

_ADDED = frozenset({
    "cookie",
    "cf-connecting-ip",
    "forwarded",
    "origin",
    "referer",
    "true-client-ip",
    "via",
    "x-client-ip",
    "x-real-ip",
})
_ADDED_BEGINNINGS = ("access-control-", "sec-ch-", "sec-fetch-", "x-forwarded-", "x-original-")
_BROWSER = "mozilla/"
"""How each browser's user agent begins."""


def is_program(facts: RequestFacts) -> bool:
    """Whether nothing in the head was added by a browser or a proxy."""
    if any(name in _ADDED or name.startswith(_ADDED_BEGINNINGS) for name in facts.headers):
        return False
    agents = facts.headers.get("user-agent", ())
    return not any(agent.lower().startswith(_BROWSER) for agent in agents)


def is_own_program(client: End | None, server: End | None, check: PeerCheck) -> bool:
    """Whether a process of this user speaks to us over loopback. Blocks."""
    if client is None or server is None:
        return False
    return _is_loopback(client[0]) and _is_loopback(server[0]) and check(client, server)


def peer_check(mode: LoopbackMode, sock: socket.socket) -> PeerCheck | None:
    """Give how to know this user's programs on what is bound; None when everybody is asked."""
    if mode == "token":
        return None
    if sys.platform != "linux":
        logger.warning("auth.loopback has no effect here: only Linux tells whose process it is")
        return None
    if not _is_loopback(str(sock.getsockname()[0])):
        logger.warning("auth.loopback has no effect: this listens not on loopback alone")
        return None
    logger.warning("Programs of this user need no credential here (auth.loopback)")
    return is_own_peer


def chosen_mode(config: Path, environment: Mapping[str, str]) -> LoopbackMode:
    """Read what the person chose; whatever cannot be read asks everybody."""
    settings = load_settings(config, environment=environment, set_aside=False)
    return settings.auth.loopback


def _is_loopback(address: str) -> bool:
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False
