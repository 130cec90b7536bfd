"""What waits lies in the journal's file: in order, in the events' transaction, bounded."""

import sqlite3
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from lararium_daemon.protocol.attention import AttentionItem
from lararium_daemon.protocol.ids import SessionId
from lararium_daemon.protocol.problems import LarariumError
from lararium_daemon.protocol.state import SessionSummary
from lararium_daemon.storage import attention as attention_table
from lararium_daemon.storage.journal import Batch, Entry, Journal, open_journal

pytestmark = pytest.mark.anyio

AT = "2026-11-30T12:00:00.000Z"
SESSION = SessionId("ses_1")


@pytest.fixture
async def journal(tmp_path: Path) -> AsyncGenerator[Journal]:
    async with open_journal(tmp_path / "journal.db") as journal:
        yield journal


def item(item_id: str, session_id: str = SESSION, *, resolved: bool = False) -> AttentionItem:
    return AttentionItem(
        id=item_id,
        seq=0,
        kind="finished",
        session_id=SessionId(session_id),
        title="A title",
        detail="A detail",
        at=AT,
        resolved_at=AT if resolved else None,
    )


def batch(seq: int, *items: AttentionItem, session_id: str = SESSION) -> Batch:
    entry = Entry(seq, AT, "notice", b"{}")
    return Batch(SessionId(session_id), [entry], attention=items)


def ids(items: Sequence[AttentionItem]) -> list[tuple[str, bool]]:
    return [(each.id, each.resolved_at is None) for each in items]


async def test_items_come_in_the_order_of_their_commits_with_growing_places(
    journal: Journal,
) -> None:
    await journal.append(batch(1, item("a"), item("b")))
    await journal.append(batch(2, item("c", "ses_2")))
    page = await journal.attention(0, 2)
    assert ids(page.items) == [("a", True), ("b", True)]
    rest = await journal.attention(page.next_seq, 2)
    assert ids(rest.items) == [("c", True)]
    assert page.items[0].seq < page.items[1].seq == page.next_seq < rest.items[0].seq
    assert replace(page.items[0], seq=0) == item("a")
    assert (await journal.attention(rest.next_seq, 2)).items == []
    assert (await journal.attention(rest.next_seq, 2)).next_seq == rest.next_seq


async def test_an_item_that_changes_moves_to_a_new_place(journal: Journal) -> None:
    await journal.append(batch(1, item("a"), item("b")))
    seen = (await journal.attention(0, 9)).next_seq
    await journal.append(batch(2, item("a", resolved=True)))
    assert ids((await journal.attention(seen, 9)).items) == [("a", False)]
    assert ids((await journal.attention(0, 9)).items) == [("b", True), ("a", False)]


async def test_nothing_is_kept_of_a_commit_that_failed(journal: Journal) -> None:
    await journal.append(batch(1, item("a")))
    with pytest.raises(LarariumError):
        await journal.append(batch(1, item("b")))
    assert ids((await journal.attention(0, 9)).items) == [("a", True)]


async def test_a_place_is_never_used_twice(journal: Journal) -> None:
    await journal.append(batch(1, item("a")))
    seen = (await journal.attention(0, 9)).next_seq
    await journal.delete(SESSION)
    await journal.append(batch(1, item("b")))
    assert (await journal.attention(seen, 9)).items[-1].id == "b"


async def test_a_place_of_another_journal_means_from_the_start(journal: Journal) -> None:
    await journal.append(batch(1, item("a")))
    assert ids((await journal.attention(1_000, 9)).items) == [("a", True)]
    assert (await journal.attention(0, 9)).next_seq == (await journal.attention(1_000, 9)).next_seq


async def test_a_deleted_session_closes_what_was_open_and_leaves_no_text(
    journal: Journal, tmp_path: Path
) -> None:
    await journal.append(batch(1, item("a"), item("b", resolved=True)))
    await journal.append(batch(1, item("c", "ses_2"), session_id="ses_2"))
    seen = (await journal.attention(0, 9)).next_seq
    await journal.delete(SESSION)
    [gone] = (await journal.attention(seen, 9)).items
    assert (gone.id, gone.title, gone.detail, gone.resolved_at is None) == ("a", "", "", False)
    assert ids((await journal.attention(0, 9)).items) == [("c", True), ("a", False)]


async def test_old_resolved_items_are_let_go_and_open_ones_never(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attention_table, "KEPT", 3)
    await journal.append(batch(1, item("open"), item("old", resolved=True)))
    for number in range(2, 6):
        await journal.append(batch(number, item(f"r{number}", resolved=True)))
    found = [each for each, _ in ids((await journal.attention(0, 99)).items)]
    assert found == ["open", "r3", "r4", "r5"]


async def test_lost_items_are_written_again_and_the_others_stay_in_place(
    journal: Journal,
) -> None:
    await journal.append(batch(1, item("a"), item("b")))
    seen = (await journal.attention(0, 9)).next_seq
    changed = replace(item("b"), detail="Another")
    await journal.put_summary(_summary(), [item("a"), changed, item("c")])
    page = await journal.attention(seen, 9)
    assert [each.id for each in page.items] == ["b", "c"]


async def test_an_item_that_cannot_be_read_hides_no_other(journal: Journal, tmp_path: Path) -> None:
    await journal.append(batch(1, item("a"), item("b")))
    spoiler = sqlite3.connect(tmp_path / "journal.db")
    spoiler.execute("UPDATE attention SET item = x'00ff' WHERE id = 'a'")
    spoiler.commit()
    spoiler.close()
    page = await journal.attention(0, 1)
    assert (page.items, page.next_seq > 0) == ([], True)
    assert ids((await journal.attention(page.next_seq, 9)).items) == [("b", True)]


def _summary() -> SessionSummary:
    return SessionSummary(SESSION, "", "default", None, False, False, AT, AT, "idle", "", None, 0)
