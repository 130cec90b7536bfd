"""Whose process listens on a port of this machine. Known on Linux alone, from `/proc/net/tcp`.

Source: https://www.kernel.org/doc/html/latest/networking/proc_net_tcp.html
"""

import os
import sys
from ipaddress import IPv6Address, ip_address
from pathlib import Path

_TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
_LISTEN = "0A"


def listens_here(port: int, tables: tuple[Path, ...] = _TABLES) -> bool:
    """Whether something that answers on loopback listens on `port`; False when unknown."""
    return bool(_owners(port, tables))


def is_own_listener(port: int, tables: tuple[Path, ...] = _TABLES) -> bool:
    """Whether everything that could answer on loopback at `port` runs as this user.

    Another user may listen on one address while we listen on a second one: all of them count.
    Unknown (no such table, not Linux) is False.
    """
    owners = _owners(port, tables)
    return bool(owners) and owners == {os.getuid()}


def _owners(port: int, tables: tuple[Path, ...]) -> set[int]:
    owners: set[int] = set()
    for table in tables:
        try:
            lines = table.read_text(encoding="ascii").splitlines()[1:]
        except (OSError, ValueError):
            continue
        owners.update(_owners_in(lines, port))
    return owners


def _owners_in(lines: list[str], port: int) -> set[int]:
    owners: set[int] = set()
    for line in lines:
        fields = line.split()
        if len(fields) < 8 or fields[3] != _LISTEN or not fields[7].isdigit():
            continue
        address, _, number = fields[1].partition(":")
        if int(number, 16) == port and _answers_on_loopback(address):
            owners.add(int(fields[7]))
    return owners


def _answers_on_loopback(hexadecimal: str) -> bool:
    """Read an address as the kernel prints it: 32-bit words in the machine's byte order."""
    words = [hexadecimal[at : at + 8] for at in range(0, len(hexadecimal), 8)]
    raw = b"".join(int(word, 16).to_bytes(4, sys.byteorder) for word in words)
    address = ip_address(raw)
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    return address.is_loopback or address.is_unspecified
