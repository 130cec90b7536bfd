"""Patterns of hosts: the `domain:…` of a `WebFetch` rule.

`domain:example.com` is that host and no other, `domain:*.example.com` every host below it. A rule
that forbids means the hosts below as well.
"""

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

_HOST = re.compile(r"[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*")
_V6 = re.compile(r"\[[0-9a-f:.]+\]")


@dataclass(slots=True, frozen=True)
class DomainPattern:
    """A parsed pattern."""

    host: str
    is_below: bool
    """Written with `*.`: the hosts below `host`, not itself."""

    def allows(self, host: str) -> bool:
        """Tell whether an allow rule of this pattern means a host."""
        return host.endswith(f".{self.host}") if self.is_below else host == self.host

    def forbids(self, host: str) -> bool:
        """Tell whether a deny or ask rule of this pattern means a host."""
        return host == self.host or host.endswith(f".{self.host}")


def parse_domain_pattern(spec: str) -> DomainPattern:
    """Read a pattern.

    Raises:
        ValueError: it means nothing; the text says why.
    """
    kind, colon, name = spec.strip().partition(":")
    if not colon or kind != "domain":
        raise ValueError("is not of the form WebFetch(domain:example.com)")
    below = name.startswith("*.")
    host = normal_host(name.removeprefix("*."))
    if not host:
        raise ValueError("names no host")
    return DomainPattern(host, below)


def host_of(address: str) -> str:
    """Give the host of a URL as patterns compare it, "" when there is none."""
    try:
        host = urlsplit(address).hostname or ""
    except ValueError:
        return ""
    return normal_host(f"[{host}]" if ":" in host else host)


def normal_host(name: str) -> str:
    """Give a host in small letters and in ASCII, without a dot at its end; "" when it is none."""
    host = name.strip().lower().removesuffix(".")
    try:
        host = host if host.isascii() else host.encode("idna").decode("ascii")
    except UnicodeError:
        return ""
    return host if _HOST.fullmatch(host) or _V6.fullmatch(host) else ""
