"""The pictures of sessions: files beside the journal, named by what is in them.

`<folder>/<session>/<sha256>` holds the bytes and `<sha256>.json` what is known of them; a picture
is there once both are. A message names it by its hash, so a picture that came twice lies there
once, and nothing that a client says becomes part of a path.
"""

import errno
import hashlib
import os
import re
import shutil
from collections.abc import AsyncIterable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import anyio
import orjson
from anyio import to_thread
from pydantic import TypeAdapter

from lararium_daemon.protocol.ids import SessionId
from lararium_daemon.protocol.images import (
    HEAD_BYTES,
    IMAGE_BYTES,
    LEAST_BYTES,
    image_too_large,
    read_header,
    unsupported,
)
from lararium_daemon.protocol.messages import ImageType
from lararium_daemon.protocol.problems import LarariumError
from lararium_daemon.system.atomic import write_private
from lararium_daemon.system.paths import ensure_private_dir

NAME_CHARS = 120
UPLOAD_SECONDS = 60.0
_PIECE_BYTES = 1024 * 1024
_ID = re.compile(r"[0-9a-f]{64}")
_SESSION = re.compile(r"[A-Za-z0-9_-]{1,128}")
_UNFINISHED = ".tmp"


@dataclass(slots=True, frozen=True)
class Attachment:
    """A picture that is kept."""

    attachment_id: str
    """SHA-256 of the bytes, hex."""
    media_type: ImageType
    name: str
    """What the person calls it; a label, never a path."""
    bytes: int
    width: int | None = None
    height: int | None = None


_ATTACHMENT: TypeAdapter[Attachment] = TypeAdapter(Attachment)


class AttachmentStore:
    """The pictures of one workspace's sessions. Whoever asks has made sure of the session."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        """Made when the first picture comes."""

    async def put(
        self, session_id: SessionId, name: str, pieces: AsyncIterable[bytes]
    ) -> Attachment:
        """Keep a picture as it arrives; durable when this returns.

        Raises:
            LarariumError: 422 `empty_attachment`, 415 `unsupported_attachment`, 413
                `image_too_large`, 408 `body_timeout`, `storage_full` and its kin; nothing was kept.
        """
        with _told(self.folder):
            place = await to_thread.run_sync(self._make_folder, session_id)
            unfinished = place / f"{os.urandom(8).hex()}{_UNFINISHED}"
            try:
                digest, size = await self._receive(unfinished, pieces)
                return await to_thread.run_sync(
                    _keep, unfinished, place / digest, label(name), size, abandon_on_cancel=False
                )
            finally:
                unfinished.unlink(missing_ok=True)

    def find(self, session_id: SessionId, attachment_id: str) -> Attachment | None:
        """Give what is known of a picture; None when it is not there, or not whole. Blocks."""
        place = self.path(session_id, attachment_id)
        if place is None:
            return None
        try:
            found = _ATTACHMENT.validate_json(_facts(place).read_bytes())
            is_whole = place.stat().st_size == found.bytes
        except (OSError, ValueError):
            return None
        return found if is_whole and found.attachment_id == attachment_id else None

    def read(self, session_id: SessionId, attachment_id: str) -> bytes | None:
        """Give a picture's bytes; None when it is not there, or no longer what it was. Blocks."""
        place = self.path(session_id, attachment_id)
        try:
            data = place.read_bytes() if place else b""
        except OSError:
            return None
        return data if hashlib.sha256(data).hexdigest() == attachment_id else None

    def path(self, session_id: SessionId, attachment_id: str) -> Path | None:
        """Give where a picture lies if it is there; None when its id is none."""
        if not (_ID.fullmatch(attachment_id) and _SESSION.fullmatch(session_id)):
            return None
        return self.folder / session_id / attachment_id

    def forget(self, session_id: SessionId) -> None:
        """Remove the pictures of a session that is gone. Blocks; what stays is swept later."""
        if _SESSION.fullmatch(session_id):
            shutil.rmtree(self.folder / session_id, ignore_errors=True)

    def remove(self, session_id: SessionId, attachment_id: str) -> None:
        """Remove a picture that no message names. Blocks."""
        place = self.path(session_id, attachment_id)
        if place is not None:
            _facts(place).unlink(missing_ok=True)
            place.unlink(missing_ok=True)

    def sessions(self) -> list[SessionId]:
        """Give the sessions that have pictures. Blocks."""
        if not self.folder.is_dir():
            return []
        return [SessionId(each.name) for each in self.folder.iterdir() if each.is_dir()]

    def old(self, session_id: SessionId, before: float) -> list[str]:
        """Give a session's pictures that came before a time; drop what came in half. Blocks."""
        found: list[str] = []
        for each in (self.folder / session_id).iterdir():
            if each.stat().st_mtime >= before:
                continue
            if each.suffix == _UNFINISHED:
                each.unlink(missing_ok=True)
            elif _ID.fullmatch(each.name):
                found.append(each.name)
        return found

    def _make_folder(self, session_id: SessionId) -> Path:
        return ensure_private_dir(self.folder / session_id)

    async def _receive(self, path: Path, pieces: AsyncIterable[bytes]) -> tuple[str, int]:
        digest, size, waiting = hashlib.sha256(), 0, bytearray()
        file = await to_thread.run_sync(_open_private, path)
        try:
            with anyio.fail_after(UPLOAD_SECONDS):
                async for piece in pieces:
                    waiting += piece
                    size += len(piece)
                    digest.update(piece)
                    if size > IMAGE_BYTES:
                        raise image_too_large()
                    if size >= LEAST_BYTES and size == len(waiting):
                        _check_kind(waiting)
                    if len(waiting) >= _PIECE_BYTES:
                        await to_thread.run_sync(file.write, bytes(waiting))
                        waiting.clear()
            if not size:
                detail = "The file is empty. Nothing was kept."
                raise LarariumError("empty_attachment", detail, 422)
            if size == len(waiting):
                _check_kind(waiting)
            await to_thread.run_sync(_finish, file, bytes(waiting))
        except TimeoutError:
            detail = "The picture did not arrive in time. Nothing was kept; send it again."
            raise LarariumError("body_timeout", detail, 408) from None
        finally:
            file.close()
        return digest.hexdigest(), size


def label(name: str) -> str:
    """Give what a picture is called: the last part of its name, without what is not printed."""
    base = name.replace("\\", "/").rpartition("/")[2]
    return "".join(c for c in base if c.isprintable()).strip()[:NAME_CHARS] or "image"


def _check_kind(head: bytes | bytearray) -> None:
    if read_header(bytes(head[:LEAST_BYTES])) is None:
        raise unsupported()


def _facts(place: Path) -> Path:
    return place.with_name(f"{place.name}.json")


def _open_private(path: Path) -> BinaryIO:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    descriptor = os.open(path, flags | getattr(os, "O_BINARY", 0), 0o600)
    return os.fdopen(descriptor, "wb")


def _finish(file: BinaryIO, rest: bytes) -> None:
    file.write(rest)
    file.flush()
    os.fsync(file.fileno())


def _keep(unfinished: Path, place: Path, name: str, size: int) -> Attachment:
    with unfinished.open("rb") as file:
        header = read_header(file.read(HEAD_BYTES))
    if header is None:
        raise unsupported()
    kept = Attachment(place.name, header.media_type, name, size, header.width, header.height)
    unfinished.replace(place)
    write_private(_facts(place), orjson.dumps(kept))  # syncs the folder too
    return kept


@contextmanager
def _told(folder: Path) -> Generator[None]:
    """Say of a failing disk what it means to the person."""
    try:
        yield
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            detail = "The disk is full, so the picture was not kept. What was saved before is safe"
            raise LarariumError(
                "storage_full", f"{detail}; free some space and send it again.", 507
            ) from error
        detail = (
            f"The picture could not be written below {folder} ({error.strerror}). It was not kept; "
            "what was saved before is safe."
        )
        raise LarariumError("storage_failed", detail, 500) from error
