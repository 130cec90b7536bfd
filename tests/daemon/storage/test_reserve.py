"""Room for last words: taken where there is plenty, given back once."""

import sqlite3
import stat
from pathlib import Path

import pytest

from lararium_daemon.protocol.ids import SessionId
from lararium_daemon.protocol.problems import LarariumError
from lararium_daemon.storage import reserve as reserve_module
from lararium_daemon.storage.journal import Batch, Entry, Journal, open_journal
from lararium_daemon.storage.reserve import RESERVE_BYTES, Reserve

pytestmark = pytest.mark.anyio

ID = SessionId("ses_1")
AT = "2026-11-30T12:00:00.000Z"


def test_the_room_is_taken_and_given_back(tmp_path: Path) -> None:
    reserve = Reserve(tmp_path / "reserve")
    assert reserve.fill()
    assert reserve.fill()
    info = (tmp_path / "reserve").stat()
    assert (info.st_size, info.st_blocks * 512 >= RESERVE_BYTES) == (RESERVE_BYTES, True)
    assert stat.S_IMODE(info.st_mode) == 0o600
    assert reserve.release()
    assert not reserve.release()
    assert list(tmp_path.iterdir()) == []


def test_a_small_disk_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reserve_module, "SCARCE", 10**12)
    assert not Reserve(tmp_path / "reserve").fill()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_no_error(tmp_path: Path) -> None:
    reserve = Reserve(tmp_path / "no" / "reserve")
    assert not reserve.fill()
    assert not reserve.release()


async def add(journal: Journal, seq: int, *, is_last_word: bool = False) -> None:
    entry = Entry(seq, AT, "notice", b'"%s"' % (b"x" * 20_000))
    await journal.append(Batch(ID, [entry], is_last_word=is_last_word))


async def test_only_last_words_may_use_the_room(tmp_path: Path) -> None:
    async with open_journal(tmp_path / "journal.db") as journal:
        journal.reserve.fill()

        def be_full(database: sqlite3.Connection) -> None:
            pages = database.execute("PRAGMA page_count").fetchone()[0]
            database.execute(f"PRAGMA max_page_count = {pages}")

        await journal._writer.submit(be_full)  # pyright: ignore[reportPrivateUsage]
        with pytest.raises(LarariumError) as caught:
            await add(journal, 1)
        assert (caught.value.code, caught.value.status) == ("storage_full", 507)
        assert (tmp_path / "reserve").exists()
        with pytest.raises(LarariumError):  # this disk stays full whatever is given back
            await add(journal, 1, is_last_word=True)
        assert not (tmp_path / "reserve").exists()
        assert await journal.read(ID) == []
