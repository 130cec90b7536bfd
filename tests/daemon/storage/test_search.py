"""Search: what was said is found, what is gone is not, and the index may vanish or break."""

from pathlib import Path

import pytest

from lararium_daemon.protocol.ids import SessionId
from lararium_daemon.storage import search
from lararium_daemon.storage.journal import Batch, Entry, Journal, open_journal
from lararium_daemon.storage.search import SearchIndex

pytestmark = pytest.mark.anyio

AT = "2026-11-30T12:00:00.000Z"


async def say(journal: Journal, session: str, seq: int, text: str) -> None:
    payload = b'{"message_id":"m%d","part":{"type":"text","text":"%s"}}' % (seq, text.encode())
    entry = Entry(seq, AT, "part.appended", payload)
    await journal.append(Batch(SessionId(session), [entry]))


def hits(index: SearchIndex, words: str) -> list[tuple[str, str]]:
    return sorted((found.session_id, found.message_id) for found in index.find(words, 50))


async def test_messages_are_found_by_all_their_words(tmp_path: Path) -> None:
    async with open_journal(tmp_path / "journal.db") as journal:
        index = SearchIndex(tmp_path / "search.db", journal.path)
        await say(journal, "ses_1", 1, "The café lamp burns low")
        await say(journal, "ses_2", 1, "A lamp beside the door")
        assert hits(index, "lamp") == [("ses_1", "m1"), ("ses_2", "m1")]
        assert hits(index, "CAFE lam") == [("ses_1", "m1")]
        assert hits(index, "lamp nothing") == []
        await say(journal, "ses_2", 2, "Another door")
        assert hits(index, "door") == [("ses_2", "m1"), ("ses_2", "m2")]
        await journal.delete(SessionId("ses_2"))
        assert hits(index, "door") == []


@pytest.mark.parametrize("words", ['"', "lamp OR", "NEAR(a b)", "a*b (", "body:lamp", "-", " "])
async def test_no_word_is_an_operator(tmp_path: Path, words: str) -> None:
    async with open_journal(tmp_path / "journal.db") as journal:
        await say(journal, "ses_1", 1, "The lamp burns")
        SearchIndex(tmp_path / "search.db", journal.path).find(words, 5)


@pytest.mark.parametrize(
    "words", ["\0", "la\0mp", '"', "-", "*", "a OR", "NEAR(", "^", "{}:", "\ufffd", "(", "x" * 9000]
)
async def test_no_word_is_an_operator_or_breaks_the_search(tmp_path: Path, words: str) -> None:
    async with open_journal(tmp_path / "journal.db") as journal:
        index = SearchIndex(tmp_path / "search.db", journal.path)
        await say(journal, "ses_1", 1, "The lamp burns")
        hits(index, words)
        index.drop = pytest.fail  # it would be taken for a broken index
        hits(index, words)
        assert hits(index, "lamp\0") == [("ses_1", "m1")]


@pytest.mark.parametrize("content", [None, b"no database at all" * 300, b""])
async def test_an_index_that_is_gone_or_broken_is_made_anew(
    tmp_path: Path, content: bytes | None
) -> None:
    path = tmp_path / "search.db"
    async with open_journal(tmp_path / "journal.db") as journal:
        index = SearchIndex(path, journal.path)
        await say(journal, "ses_1", 1, "The lamp burns")
        assert hits(index, "lamp")
        index.drop()
        if content is not None:
            path.write_bytes(content)
        assert hits(index, "lamp") == [("ses_1", "m1")]


async def test_the_index_stays_within_its_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "MAX_BYTES", 200_000)
    monkeypatch.setattr(search, "BATCH", 10)
    async with open_journal(tmp_path / "journal.db") as journal:
        index = SearchIndex(tmp_path / "search.db", journal.path)
        for seq in range(1, 151):
            await say(journal, "ses_1", seq, f"word{seq} " + f"filler{seq} " * 400)
        assert hits(index, "word150") == [("ses_1", "m150")]
        assert hits(index, "word1 filler1") == []
