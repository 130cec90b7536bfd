"""Pictures lie whole beside the journal, or not at all."""

import errno
import os
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.fakes.pictures import GIF, PNG

from lararium_daemon.protocol.ids import SessionId
from lararium_daemon.protocol.problems import LarariumError
from lararium_daemon.storage.attachments import Attachment, AttachmentStore, label

pytestmark = pytest.mark.anyio
SESSION = SessionId("ses_1")


async def pieces(data: bytes, size: int = 7) -> AsyncGenerator[bytes]:
    for start in range(0, len(data), size):
        yield data[start : start + size]


async def kept(store: AttachmentStore, data: bytes = PNG, name: str = "a.png") -> Attachment:
    return await store.put(SESSION, name, pieces(data))


async def test_the_same_picture_lies_there_once_and_is_private(tmp_path: Path) -> None:
    store = AttachmentStore(tmp_path / "attachments")
    first = await kept(store)
    again = await kept(store, name="b.png")
    assert first.attachment_id == again.attachment_id
    assert store.find(SESSION, first.attachment_id) == again
    assert store.read(SESSION, first.attachment_id) == PNG
    files = sorted(path.name for path in (store.folder / SESSION).iterdir())
    assert files == [first.attachment_id, f"{first.attachment_id}.json"]
    if os.name != "nt":
        assert {path.stat().st_mode & 0o777 for path in (store.folder / SESSION).iterdir()} == {
            0o600
        }


@pytest.mark.parametrize("odd", ["", "..", "../ses_2", "x", "A" * 64, "0" * 63 + "\n"])
async def test_an_id_that_is_none_leads_nowhere(tmp_path: Path, odd: str) -> None:
    store = AttachmentStore(tmp_path / "attachments")
    picture = await kept(store)
    assert store.find(SESSION, odd) is None
    assert store.read(SESSION, odd) is None
    assert store.find(SessionId(f"../attachments/{SESSION}"), picture.attachment_id) is None


async def test_a_picture_that_was_changed_or_cut_is_not_given(tmp_path: Path) -> None:
    store = AttachmentStore(tmp_path / "attachments")
    picture = await kept(store)
    place = store.path(SESSION, picture.attachment_id)
    assert place is not None
    place.write_bytes(GIF.ljust(len(PNG), b"\0"))
    assert store.read(SESSION, picture.attachment_id) is None
    place.write_bytes(PNG[:-1])
    assert store.find(SESSION, picture.attachment_id) is None
    place.unlink()
    assert store.read(SESSION, picture.attachment_id) is None


async def test_a_disk_that_fails_is_told_and_leaves_nothing(tmp_path: Path) -> None:
    async def full() -> AsyncGenerator[bytes]:
        yield PNG
        raise OSError(errno.ENOSPC, "No space left on device")

    store = AttachmentStore(tmp_path / "attachments")
    with pytest.raises(LarariumError) as failed:
        await store.put(SESSION, "a.png", full())
    assert (failed.value.code, failed.value.status) == ("storage_full", 507)
    assert list((store.folder / SESSION).iterdir()) == []


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("a.png", "a.png"),
        ("/etc/passwd", "passwd"),
        ("C:\\shots\\b.png", "b.png"),
        ("..", ".."),
        ("\u202egnp\x00.a\n", "gnp.a"),
        ("/", "image"),
        ("x" * 500, "x" * 120),
    ],
)
def test_a_name_is_a_label_alone(name: str, wanted: str) -> None:
    assert label(name) == wanted
