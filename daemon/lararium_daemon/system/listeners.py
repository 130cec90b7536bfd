"""Whose process listens on a port of this machine. Known on Linux alone."""

import os
from pathlib import Path

from lararium_daemon.system.socket_table import LISTENING, TABLES, read_sockets


def listens_here(port: int, tables: tuple[Path, ...] = TABLES) -> bool:
    """Whether something that answers on loopback listens on `port`; False when unknown."""
    return bool(_owners(port, tables))


def is_own_listener(port: int, tables: tuple[Path, ...] = TABLES) -> bool:
    """Whether everything that could answer on loopback at `port` runs as this user.

    Another user may listen on one address while we listen on a second one: all of them count.
    Unknown (no such table, not Linux) is False.
    """
    owners = _owners(port, tables)
    return bool(owners) and owners == {os.getuid()}


def _owners(port: int, tables: tuple[Path, ...]) -> set[int]:
    return {
        row.uid
        for row in read_sockets(tables)
        if row.state == LISTENING
        and row.local[1] == port
        and (row.local[0].is_loopback or row.local[0].is_unspecified)
    }
