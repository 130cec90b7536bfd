"""What no session needs of the kept pictures goes; what a message names stays."""

import os
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.fakes.pictures import GIF, PNG, png

from lararium_daemon.protocol.api import SessionCreateInput
from lararium_daemon.protocol.events import MessageAppended
from lararium_daemon.protocol.ids import MessageId, PartId, SessionId
from lararium_daemon.protocol.messages import ImagePart, Message, TextPart
from lararium_daemon.sessions.image_sweep import sweep
from lararium_daemon.sessions.library import SessionLibrary
from lararium_daemon.storage.attachments import Attachment, AttachmentStore
from lararium_daemon.storage.journal import open_journal

pytestmark = pytest.mark.anyio
AT = "2026-12-01T00:00:00.000Z"
OLD, BETWEEN = 1_000.0, 2_000.0


async def put(store: AttachmentStore, session: SessionId, data: bytes, at: float) -> Attachment:
    async def pieces() -> AsyncGenerator[bytes]:
        yield data

    kept = await store.put(session, "a.png", pieces())
    place = store.path(session, kept.attachment_id)
    assert place is not None
    os.utime(place, (at, at))
    return kept


def message_with(image: Attachment) -> Message:
    part = ImagePart(PartId("p2"), image.attachment_id, image.media_type, image.name, image.bytes)
    return Message(MessageId("m"), "user", AT, parts=[TextPart(PartId("p1"), "look"), part])


async def test_what_is_old_and_named_by_nothing_goes(tmp_path: Path) -> None:
    store = AttachmentStore(tmp_path / "attachments")
    async with open_journal(tmp_path / "journal.db") as journal:
        session = await SessionLibrary(journal, "guid").create(SessionCreateInput())
        named = await put(store, session.id, PNG, OLD)
        unnamed = await put(store, session.id, GIF, OLD)
        young = await put(store, session.id, png(9, 9), 3_000.0)
        await session.commit([MessageAppended(message_with(named))])
        half = store.folder / session.id / "0123.tmp"
        half.write_bytes(b"half")
        os.utime(half, (OLD, OLD))
        gone = await put(store, SessionId("ses_gone"), PNG, 3_000.0)

        await sweep(store, journal, BETWEEN)

        assert store.find(session.id, named.attachment_id) == named
        assert store.find(session.id, young.attachment_id) == young
        assert store.find(session.id, unnamed.attachment_id) is None
        assert store.find(SessionId("ses_gone"), gone.attachment_id) is None
        assert not half.exists()
        assert not (store.folder / "ses_gone").exists()


async def test_nothing_goes_while_the_journal_may_have_lost_something(tmp_path: Path) -> None:
    store = AttachmentStore(tmp_path / "attachments")
    async with open_journal(tmp_path / "journal.db") as journal:
        journal.notices.append("It was damaged.")
        kept = await put(store, SessionId("ses_lost"), PNG, OLD)
        await sweep(store, journal, BETWEEN)
        assert store.find(SessionId("ses_lost"), kept.attachment_id) == kept
