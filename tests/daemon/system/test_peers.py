"""Whose process is at the other end of a connection."""

import os
import socket
import sys
from pathlib import Path

import pytest

from lararium_daemon.system.peers import is_own_peer

pytestmark = pytest.mark.skipif(sys.byteorder == "big", reason="the tables are little-endian")

OURS = os.getuid()
OTHER = OURS + 1
CLIENT = ("127.0.0.1", 50_000)
SERVER = ("127.0.0.1", 8000)
LOOPBACK = "0100007F"
MAPPED = "0000000000000000FFFF00000100007F"
ELSEWHERE = "0A01A8C0"


def row(uid: int, *, local: str = LOOPBACK, remote: str = LOOPBACK, state: str = "01") -> str:
    ends = f"{local}:{CLIENT[1]:04X} {remote}:{SERVER[1]:04X}"
    return f"   0: {ends} {state} 00000000:00000000 00:00000000 00000000 {uid}        0 1 1 0\n"


def seen(folder: Path, *rows: str) -> bool:
    path = folder / "tcp"
    path.write_text("head\n" + "".join(rows), encoding="ascii")
    return is_own_peer(CLIENT, SERVER, (path, folder / "missing"))


@pytest.mark.parametrize("address", [LOOPBACK, MAPPED])
def test_a_process_of_this_user_is_known_and_another_s_too(tmp_path: Path, address: str) -> None:
    assert seen(tmp_path, row(OURS, local=address, remote=address))
    assert not seen(tmp_path, row(OTHER, local=address, remote=address))


@pytest.mark.parametrize("state", ["04", "05", "06", "07", "08", "0A"])
def test_a_connection_that_is_ending_is_nobody_s(tmp_path: Path, state: str) -> None:
    assert not seen(tmp_path, row(OURS, state=state))


def test_what_is_not_in_the_table_is_not_trusted(tmp_path: Path) -> None:
    assert not seen(tmp_path)
    assert not seen(tmp_path, row(OURS, local=ELSEWHERE), "half a row\n")
    assert not seen(tmp_path, row(OURS), row(OTHER))
    assert not is_own_peer(("testclient", 1), SERVER)
    assert not is_own_peer(CLIENT, SERVER, (tmp_path / "missing",))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has the table")
def test_a_real_connection_is_ours_while_it_stands() -> None:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        client = socket.create_connection(server.getsockname())
        accepted, end = server.accept()
        with accepted:
            assert is_own_peer(end, server.getsockname())
            assert not is_own_peer(server.getsockname(), (end[0], 1))
            client.close()
            assert not is_own_peer(end, server.getsockname())
