import os
import socket
import sys
from pathlib import Path

import pytest

from lararium_daemon.system.listeners import is_own_listener, listens_here

HEAD = (
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout\n"
)
OURS = os.getuid()
OTHER = OURS + 1


def row(address: str, port: int, uid: int, state: str = "0A") -> str:
    numbers = "00000000:00000000 00:00000000 00000000"
    return f"   0: {address}:{port:04X} 00000000:0000 {state} {numbers} {uid}        0 1 1 0\n"


def table(folder: Path, *rows: str) -> tuple[Path, ...]:
    path = folder / "tcp"
    path.write_text(HEAD + "".join(rows), encoding="ascii")
    return (path, folder / "missing")


LOOPBACK = "0100007F"
ANY = "00000000"
ANY6 = "0" * 32
MAPPED = "0000000000000000FFFF00000100007F"
ELSEWHERE = "0A01A8C0"

pytestmark = pytest.mark.skipif(sys.byteorder == "big", reason="the tables are little-endian")


@pytest.mark.parametrize("address", [LOOPBACK, ANY, ANY6, MAPPED])
def test_a_listener_of_this_user_is_known(tmp_path: Path, address: str) -> None:
    assert is_own_listener(8000, table(tmp_path, row(address, 8000, OURS)))
    assert not is_own_listener(8000, table(tmp_path, row(address, 8000, OTHER)))
    assert listens_here(8000, table(tmp_path, row(address, 8000, OTHER)))


def test_one_foreign_listener_beside_ours_is_enough_to_doubt(tmp_path: Path) -> None:
    both = table(tmp_path, row(ANY, 8000, OURS), row(LOOPBACK, 8000, OTHER))
    assert not is_own_listener(8000, both)


def test_what_does_not_answer_on_loopback_says_nothing(tmp_path: Path) -> None:
    rows = (
        row(ELSEWHERE, 8000, OTHER),
        row(LOOPBACK, 8000, OTHER, state="01"),
        row(LOOPBACK, 8001, OTHER),
        row(LOOPBACK, 8000, OURS),
        "half a line\n",
    )
    assert is_own_listener(8000, table(tmp_path, *rows))


def test_nothing_is_known_without_a_table_or_a_listener(tmp_path: Path) -> None:
    assert not is_own_listener(8000, (tmp_path / "missing",))
    assert not is_own_listener(8000, table(tmp_path))
    (tmp_path / "tcp").write_bytes(b"\xff\xfe")
    assert not is_own_listener(8000, (tmp_path / "tcp",))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has the table")
def test_a_real_listener_is_ours_until_it_closes() -> None:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port = sock.getsockname()[1]
        assert not is_own_listener(port)
        sock.listen()
        assert is_own_listener(port)
