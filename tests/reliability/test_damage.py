"""Databases with a bit flipped in a used page: the daemon's store opens each of them.

Nothing crashes, the sessions that were not on the page are as they were, and damage that shows is
said. A bit in an inner page hits every session below it; what is read of those is never made up.
"""

import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.fakes.session_writer import AT, SessionWriter
from tests.reliability.scale import FULL, dice, new_seed, report, scaled

from lararium_daemon.protocol.ids import SessionId
from lararium_daemon.protocol.problems import LarariumError
from lararium_daemon.sessions.fold import fresh
from lararium_daemon.sessions.loading import load
from lararium_daemon.sessions.row import Row
from lararium_daemon.sessions.session import Session
from lararium_daemon.storage.journal import Entry, Journal, open_journal

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(1_200)]

DATABASES = scaled(40, 1_000)
SESSIONS = 8
RUNS = 20
LEAST_NOTICED = 300
PAGE_BYTES = 4096
INNER = (2, 5)
"""First byte of an inner page of an index and of a table."""

Story = Mapping[SessionId, list[Entry]]


async def test_a_flipped_bit_costs_at_most_the_sessions_on_its_page(tmp_path: Path) -> None:
    source = tmp_path / "sound" / "journal.db"
    source.parent.mkdir()
    story = await write(source)
    content = source.read_bytes()
    seed = new_seed()
    chance = dice(seed)
    noticed = silent = 0
    for number in range(DATABASES):
        flipped = bytearray(content)
        place = chance.randrange(len(flipped))
        flipped[place] ^= 1 << chance.randrange(8)
        path = tmp_path / "broken" / "journal.db"
        shutil.rmtree(path.parent, ignore_errors=True)
        path.parent.mkdir()
        path.write_bytes(flipped)
        is_noticed, whole = await look(path, story)
        hit = {each for each in story if each.encode() in page_at(content, place)}
        if not is_inner(content, place):
            assert set(story) - hit <= whole, f"database {number} of seed {seed}, byte {place}"
        noticed += is_noticed
        silent += not is_noticed and len(whole) < SESSIONS
    report(
        f"{DATABASES} databases with a flipped bit, seed {seed}: 0 crashes, {noticed} noticed, "
        f"{silent} with a changed word that is valid still, the rest without effect"
    )
    assert not FULL or noticed >= LEAST_NOTICED


def is_inner(content: bytes, place: int) -> bool:
    """Whether the byte lies on a page that leads to others."""
    return place >= PAGE_BYTES and page_at(content, place)[0] in INNER


def page_at(content: bytes, place: int) -> bytes:
    start = place - place % PAGE_BYTES
    return content[start : start + PAGE_BYTES]


async def write(path: Path) -> Story:
    """Write sessions side by side, so that each has pages all over the file."""
    ids = [SessionId(f"ses_{number}") for number in range(SESSIONS)]
    async with open_journal(path) as journal:
        writers = [
            SessionWriter(Session(fresh(each), Row(each), journal, "epoch", now=lambda: AT))
            for each in ids
        ]
        for _ in range(RUNS):
            for writer in writers:
                await writer.run()
                writer.delta("some words of text " * 20)
                await writer.call()
                await writer.result()
        return {each: await journal.read(each) for each in ids}


async def look(path: Path, story: Story) -> tuple[bool, set[SessionId]]:
    """Open it and load everything; give whether damage was said, and which are as before."""
    try:
        return await open_and_look(path, story)
    except LarariumError as error:  # the bit says that a newer version wrote it: left as it is
        assert error.code == "database_newer"
        return True, set(story)


async def open_and_look(path: Path, story: Story) -> tuple[bool, set[SessionId]]:
    async with open_journal(path) as journal:
        found = {each: await journal.read(each) for each in story}
        is_noticed = bool(journal.notices) or says_so(found)
        await journal.sessions()
        await can_be_written(journal)
        for each, entries in story.items():
            seqs = [entry.seq for entry in found[each]]
            assert seqs == sorted(set(seqs))
            assert set(seqs) <= {entry.seq for entry in entries}
        return is_noticed, {each for each in story if found[each] == story[each]}


def says_so(found: Story) -> bool:
    return any(load(each, entries)[0].state.notices for each, entries in found.items() if entries)


async def can_be_written(journal: Journal) -> None:
    session_id = SessionId("ses_new")
    session = Session(fresh(session_id), Row(session_id), journal, "epoch", now=lambda: AT)
    await SessionWriter(session).run()
