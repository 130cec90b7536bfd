"""The kernel's table of TCP sockets and who owns them. Known on Linux alone, from `/proc/net/tcp`.

Source: https://www.kernel.org/doc/html/latest/networking/proc_net_tcp.html
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path

TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
LISTENING = "0A"
ESTABLISHED = "01"

Address = IPv4Address | IPv6Address
Place = tuple[Address, int]
"""Address and port; an IPv4 address that stands in an IPv6 one is given as itself."""


@dataclass(slots=True, frozen=True)
class SocketRow:
    """One socket of this machine."""

    local: Place
    remote: Place
    state: str
    uid: int


def read_sockets(tables: tuple[Path, ...] = TABLES) -> Iterator[SocketRow]:
    """Give every TCP socket; none where there is no such table. Rows that are cut are left out."""
    for table in tables:
        try:
            lines = table.read_text(encoding="ascii").splitlines()[1:]
        except (OSError, ValueError):
            continue
        for line in lines:
            fields = line.split()
            if len(fields) >= 8 and fields[7].isdigit():
                yield SocketRow(_place(fields[1]), _place(fields[2]), fields[3], int(fields[7]))


def place(address: str, port: int) -> Place | None:
    """Give an address as the table's rows have it; None when it is no number."""
    try:
        return _plain(ip_address(address)), port
    except ValueError:
        return None


def _place(text: str) -> Place:
    """Read an address as the kernel prints it: 32-bit words in the machine's byte order."""
    address, _, port = text.partition(":")
    words = [address[at : at + 8] for at in range(0, len(address), 8)]
    raw = b"".join(int(word, 16).to_bytes(4, sys.byteorder) for word in words)
    return _plain(ip_address(raw)), int(port, 16)


def _plain(address: Address) -> Address:
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address
