"""Whose process is at the other end of a connection of this machine. Known on Linux alone."""

import os
from pathlib import Path

from lararium_daemon.system.socket_table import ESTABLISHED, TABLES, place, read_sockets

End = tuple[str, int]
"""Address and port as a socket names them."""


def is_own_peer(client: End, server: End, tables: tuple[Path, ...] = TABLES) -> bool:
    """Whether the process that connected from `client` to `server` runs as this user. Blocks.

    Only a connection that stands is known: the socket of a process that is gone belongs to nobody,
    and the kernel then names root. Unknown (no such table, another machine's end) is False.
    """
    ends = (place(*client), place(*server))
    if None in ends:
        return False
    owners = {
        row.uid
        for row in read_sockets(tables)
        if row.state == ESTABLISHED and (row.local, row.remote) == ends
    }
    return owners == {os.getuid()}
