"""Which addresses of the web a tool may speak to: public ones alone, judged by the number.

A name says nothing: it may lead to this machine or into the person's network, and to another place
each time it is asked. So the numbers it resolves to are judged, and the one that was judged is
connected to.
"""

import ipaddress
import re
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit, urlunsplit

from lararium_daemon.tools.registry import ToolFailure

MAX_URL = 8_000
Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolve = Callable[[str, int], Sequence[str]]
"""Gives the numbers of a host; raises OSError. May block."""

_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_NAT64_LOCAL = ipaddress.ip_network("64:ff9b:1::/48")


@dataclass(slots=True, frozen=True)
class WebAddress:
    """A URL that was taken apart and may be asked for."""

    scheme: str
    host: str
    port: int
    target: str
    """Path and query, as they are sent."""

    @property
    def url(self) -> str:
        """The whole, without a fragment."""
        return f"{self.scheme}://{self.authority}{self.target}"

    @property
    def authority(self) -> str:
        """Host and, unless it goes without saying, port."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        usual = {"http": 80, "https": 443}[self.scheme]
        return host if self.port == usual else f"{host}:{self.port}"


def parse_address(text: str, base: WebAddress | None = None) -> WebAddress:
    """Take a URL apart; one that stands in an answer of `base` may be relative.

    Raises:
        ToolFailure: it is none that may be asked for; the text says why.
    """
    url = text.strip()
    if not url or len(url) > MAX_URL or any(ord(c) <= 32 or ord(c) == 127 for c in url):
        raise ToolFailure("This is no URL: it is empty, too long or holds blanks.", "no URL")
    if "\\" in url:
        raise ToolFailure("A URL holds no backslash.", "no URL")
    try:
        parts = urlsplit(urljoin(base.url, url) if base else url)
        port = parts.port
        host = (parts.hostname or "").encode("idna").decode("ascii").lower().removesuffix(".")
    except (ValueError, UnicodeError):
        raise ToolFailure(f"{url} is no URL that can be read.", "no URL") from None
    if parts.scheme not in {"http", "https"} or not host:
        raise ToolFailure("Only http:// and https:// URLs can be fetched.", "no URL")
    if parts.username is not None or parts.password is not None:
        raise ToolFailure("A URL with a name and a password is not fetched.", "refused")
    target = urlunsplit(("", "", _quoted(parts.path) or "/", _quoted(parts.query), ""))
    usual = 443 if parts.scheme == "https" else 80
    return WebAddress(parts.scheme, host, usual if port is None else port, target)


def refuse_private_name(address: WebAddress) -> None:
    """Refuse a host that is plainly not public, before a person is asked about it.

    Raises:
        ToolFailure: it is this machine or in a private network.
    """
    is_local = address.host in {"localhost", "0"} or address.host.endswith((
        ".localhost",
        ".local",
        ".internal",
        ".home.arpa",
    ))
    number = _number(address.host)
    if is_local or (number is not None and not is_public(number)):
        raise _private(address)


def public_number(address: WebAddress, resolve: Resolve) -> str:
    """Give the number to connect to; blocks.

    Raises:
        ToolFailure: the host is unknown, or one of its numbers is not public.
    """
    try:
        numbers = resolve(address.host, address.port)
    except OSError as error:
        raise ToolFailure(f"{address.host} cannot be found ({error}).", "unknown host") from None
    found = [_number(number) for number in numbers]
    if not found or any(number is None or not is_public(number) for number in found):
        raise _private(address)
    return numbers[0]


def system_numbers(host: str, port: int) -> Sequence[str]:
    """Resolve a host as this system does; blocks."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(entry[4][0]) for entry in found]


def is_public(number: Address) -> bool:
    """Tell whether a number belongs to the public Internet, also one that is wrapped in another."""
    inner = _unwrapped(number)
    if inner is not None:
        return is_public(inner)
    return number.is_global and not number.is_multicast and not number.is_reserved


def _unwrapped(number: Address) -> Address | None:
    if isinstance(number, ipaddress.IPv4Address):
        return None
    if number in _NAT64_LOCAL:
        return ipaddress.IPv4Address(0)
    if number in _NAT64:
        return ipaddress.IPv4Address(int(number) & 0xFFFFFFFF)
    return number.ipv4_mapped or number.sixtofour or (number.teredo[1] if number.teredo else None)


def _number(host: str) -> Address | None:
    try:
        return ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        pass
    if not re.fullmatch(r"[0-9a-fx]+(\.[0-9a-fx]+){0,3}", host):
        return None
    try:  # 127.1, 0x7f000001 and the like: numbers in old spellings
        return ipaddress.IPv4Address(socket.inet_aton(host))
    except OSError:
        return None


def _private(address: WebAddress) -> ToolFailure:
    return ToolFailure(
        f"{address.host} is this machine or lies in a private network; only public addresses are "
        "fetched. Use bash for a local server.",
        "private address",
    )


def _quoted(text: str) -> str:
    """Escape what is no ASCII; the rest is sent as it is written."""
    return "".join(c if c.isascii() else "".join(f"%{b:02X}" for b in c.encode()) for c in text)
