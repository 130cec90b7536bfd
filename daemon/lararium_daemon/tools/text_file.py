"""Text files as they lie on disk: bytes in, text and everything needed to write it back out.

Encoding, byte order mark, line ends and mode bits are kept. A file whose bytes cannot be told apart
from a guess is refused rather than changed. Files are replaced whole or not at all.
"""

import codecs
import contextlib
import hashlib
import os
import re
import secrets
import stat
from dataclasses import dataclass
from pathlib import Path

from lararium_daemon.tools.project_path import refuse_special
from lararium_daemon.tools.registry import ToolFailure

MAX_FILE_BYTES = 50 * 1024 * 1024
ABSENT = "absent"
"""In place of a hash: there is no file."""

_NAME_CHARS = 80
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(slots=True, frozen=True)
class TextFile:
    """A file's text and how it was written."""

    path: Path
    text: str
    """With its own line ends, without a byte order mark."""
    encoding: str
    mark: bytes
    """The byte order mark, b"" when there is none."""
    sha256: str
    size: int

    def encode(self, text: str) -> bytes:
        """Give `text` as this file is written.

        Raises:
            ToolFailure: the encoding has no such character.
        """
        return encode_text(text, self.encoding, self.mark)

    @property
    def identity(self) -> dict[str, str]:
        """Which file this is, for a result's metadata."""
        return file_identity(self.path, self.sha256)

    @property
    def line_end(self) -> str:
        """The line end of most lines; LF when there is none."""
        crlf = self.text.count("\r\n")
        return "\r\n" if crlf * 2 > self.text.count("\n") else "\n"

    @property
    def is_crlf(self) -> bool:
        """Whether every line ends with CRLF."""
        crlf = self.text.count("\r\n")
        return crlf > 0 and crlf == self.text.count("\n")


def file_identity(path: Path, sha256: str) -> dict[str, str]:
    """Give what a result's metadata says of a file that was read or written.

    A session's ledger is made anew from it after a restart.
    """
    return {"real_path": str(path), "sha256": sha256}


def hash_bytes(data: bytes) -> str:
    """Give the hash that clashes are found by."""
    return hashlib.sha256(data).hexdigest()


def read_bytes(path: Path) -> bytes:
    """Read a regular file.

    Raises:
        ToolFailure: it is missing, no regular file, unreadable or larger than 50 MiB.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        handle = os.open(path, flags)
    except FileNotFoundError:
        raise ToolFailure(f"There is no file {path}.", "not found") from None
    except OSError as error:
        raise ToolFailure(f"{path} cannot be opened: {error.strerror}.", "unreadable") from error
    try:
        info = os.fstat(handle)
        refuse_special(path, info.st_mode)
        if info.st_size > MAX_FILE_BYTES:
            raise ToolFailure(
                f"{path} has {info.st_size:,} bytes, more than this tool reads. Search it with "
                "grep, or take a part of it with bash.",
                "too large",
            )
        with os.fdopen(handle, "rb", closefd=False) as file:
            return file.read(MAX_FILE_BYTES + 1)
    finally:
        os.close(handle)


def read_text(path: Path) -> TextFile:
    """Read a text file.

    Raises:
        ToolFailure: as `read_bytes`, or it is binary or in an unknown encoding.
    """
    return decode_file(path, read_bytes(path))


def decode_file(path: Path, data: bytes) -> TextFile:
    """Read bytes as the text file they are.

    Raises:
        ToolFailure: they are binary or in an unknown encoding.
    """
    mark, encoding = next(((m, e) for m, e in _MARKS if data.startswith(m)), (b"", "utf-8"))
    body = data[len(mark) :]
    if not mark and b"\0" in body:
        raise ToolFailure(f"{path} is binary ({len(data):,} bytes), not text.", "binary")
    try:
        text = body.decode(encoding)
    except UnicodeDecodeError:
        text, encoding = _guess(path, body, encoding if mark else "")
    if encode_text(text, encoding, mark) != data:
        raise ToolFailure(f"{path} is in an encoding that cannot be told for sure.", "encoding")
    return TextFile(path, text, encoding, mark, hash_bytes(data), len(data))


def encode_text(text: str, encoding: str, mark: bytes) -> bytes:
    """Give `text` in an encoding, with exactly one byte order mark when it has one.

    Raises:
        ToolFailure: the encoding has no such character.
    """
    try:
        return mark + text.removeprefix("\ufeff" if mark else "").encode(encoding)
    except UnicodeEncodeError as error:
        bad = text[error.start]
        raise ToolFailure(
            f"The file is written in {encoding}, which has no {bad!r}. Nothing was written. "
            "Leave that character out, or convert the file to UTF-8 first.",
            "encoding",
        ) from None


def replace_file(path: Path, data: bytes) -> None:
    """Put `data` in the file's place, durable when this returns; its mode bits are kept.

    Missing folders are made. On failure the old file is whole and nothing new is left.

    Raises:
        OSError: it cannot be written.
    """
    made = _make_folders(path.parent)
    temporary = path.with_name(f".{path.name[:_NAME_CHARS]}.{secrets.token_hex(6)}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        handle = os.open(temporary, flags, 0o666)
        with os.fdopen(handle, "wb") as file:
            _copy_mode(path, handle)
            file.write(data)
            file.flush()
            os.fsync(handle)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        for folder in reversed(made):
            folder.rmdir()
        raise


def remove_temporaries(path: Path) -> int:
    """Remove what `replace_file` leaves of a file's new content when its process dies in it.

    Nobody may be writing the file; give how many were removed.
    """
    own = re.compile(rf"\.{re.escape(path.name[:_NAME_CHARS])}\.[0-9a-f]{{12}}\.tmp")
    removed = 0
    with contextlib.suppress(OSError):
        for each in list(path.parent.iterdir()):
            if own.fullmatch(each.name):
                each.unlink(missing_ok=True)
                removed += 1
    return removed


def _guess(path: Path, body: bytes, marked: str) -> tuple[str, str]:
    if marked:
        raise ToolFailure(f"{path} begins as {marked} but is not; it is left alone.", "encoding")
    # Loaded here: it costs 30 ms and hardly a file needs it.
    from charset_normalizer import from_bytes

    best = from_bytes(body).best()
    if best is None:
        raise ToolFailure(f"{path} is binary ({len(body):,} bytes), not text.", "binary")
    try:
        return body.decode(best.encoding), best.encoding
    except UnicodeDecodeError:
        raise ToolFailure(f"{path} is in an unknown encoding.", "encoding") from None


def _make_folders(folder: Path) -> list[Path]:
    """Make missing folders; give those made, outermost first."""
    missing: list[Path] = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    made: list[Path] = []
    try:
        for part in reversed(missing):
            part.mkdir()
            made.append(part)
    except OSError:
        for part in reversed(made):
            part.rmdir()
        raise
    return made


def _copy_mode(path: Path, handle: int) -> None:
    try:
        info = path.stat()
    except FileNotFoundError:
        return
    if os.name == "posix":
        # Owner first: changing it clears the set-user-ID bits.
        if (info.st_uid, info.st_gid) != (os.geteuid(), os.getegid()) and os.geteuid() == 0:
            os.fchown(handle, info.st_uid, info.st_gid)
        os.fchmod(handle, stat.S_IMODE(info.st_mode))
