"""A sign of life is one record of fixed size, judged by the monotonic clock of one boot."""

import time
from pathlib import Path

import anyio
import pytest

from lararium_daemon.system.heartbeat import Heartbeat, beat, read_heartbeat
from lararium_daemon.system.process_table import boot_id


@pytest.mark.anyio
async def test_a_beat_replaces_the_last_one_in_place(tmp_path: Path) -> None:
    path = tmp_path / "heartbeat"
    for _ in range(2):
        with anyio.move_on_after(0):
            await beat(path)
    record = read_heartbeat(path)
    assert record is not None
    assert not record.is_stale(now_ns=time.monotonic_ns(), boot=boot_id())
    assert _size(path) == 160


def _size(path: Path) -> int:
    return path.stat().st_size


def test_a_record_is_stale_after_fifteen_seconds_or_another_boot() -> None:
    record = Heartbeat(monotonic_ns=0, boot_id="b", at="")
    assert not record.is_stale(now_ns=15_000_000_000, boot="b")
    assert record.is_stale(now_ns=15_000_000_001, boot="b")
    assert record.is_stale(now_ns=0, boot="c")


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"7", b'{"at": ""}', b"\xff"])
def test_a_torn_record_is_none(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "heartbeat"
    path.write_bytes(content)
    assert read_heartbeat(path) is None


def test_no_record_is_none(tmp_path: Path) -> None:
    assert read_heartbeat(tmp_path / "heartbeat") is None
