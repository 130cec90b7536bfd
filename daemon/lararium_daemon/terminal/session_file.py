"""A session as a file: one message a line, and what describes it in a sidecar beside it.

Reading never fails for a bad line. A torn last line, a line of another program and one that is no
JSON are left out and counted; they stay in the file, which is never changed.
"""

import json
import os
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from lararium_daemon.protocol.errors import LarariumError
from lararium_daemon.protocol.text import whole_json

Json = dict[str, Any]

MAX_LINE_BYTES = 3 * 1024 * 1024
"""Of one message as it is sent; a longer one no daemon takes."""
_ROLES = ("user", "assistant")
_MARK = b"\xef\xbb\xbf"
"""With which some editors begin a file in UTF-8."""


@dataclass(slots=True)
class ReadFile:
    """What a file holds."""

    messages: list[Json] = field(default_factory=list[Json])
    foreign: int = 0
    """Whole lines that are no messages."""
    torn: int = 0
    """Lines that are no JSON or no text."""
    too_long: int = 0
    """Messages that no daemon takes."""

    def note(self) -> str:
        """Say what was left out, for the person; "" when nothing was."""
        left = [
            f"{count} {what}"
            for count, what in (
                (self.torn, "damaged lines"),
                (self.foreign, "foreign lines"),
                (self.too_long, "lines that are too long"),
            )
            if count
        ]
        return f"Left out of the file: {', '.join(left)}." if left else ""


def sidecar(path: Path) -> Path:
    """Give where what describes the session lies."""
    return path.with_suffix(".meta.json")


def write_file(path: Path, messages: Iterator[Json], about: Json, *, replace: bool = True) -> int:
    """Write both files, each whole or not at all; give how many messages there are.

    Raises:
        LarariumError: `file_exists` unless `replace`, `file_unusable`; what was there is as it was.
    """
    if not replace and (path.exists() or sidecar(path).exists()):
        detail = f"{path} or its metadata is there already and was left alone. Name another file."
        raise LarariumError("file_exists", detail)
    described, count = json.dumps(about, ensure_ascii=False, indent=2), 0
    try:
        with _whole_file(path) as file, _whole_file(sidecar(path)) as beside:
            for message in messages:
                file.write(json.dumps(message, ensure_ascii=False) + "\n")
                count += 1
            beside.write(described + "\n")
    except OSError as error:
        raise _unusable(path, error) from error
    return count


def read_file(path: Path) -> ReadFile:
    """Read the messages that can be read.

    Raises:
        LarariumError: `file_unusable`: the file itself cannot be read.
    """
    is_message = _checker()
    found = ReadFile()
    try:
        with path.open("rb") as file:
            for line in file:
                _take(line.removeprefix(_MARK).strip(), found, is_message)
    except OSError as error:
        raise _unusable(path, error) from error
    return found


def read_about(path: Path) -> Json:
    """Read the sidecar; empty when it is missing or cannot be read."""
    try:
        about = json.loads(sidecar(path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return about if isinstance(about, dict) else {}  # pyright: ignore[reportUnknownVariableType]


@contextmanager
def _whole_file(path: Path) -> Generator[TextIO]:
    """Open a private file that takes the place of `path` when all went well."""
    unfinished = path.with_name(f".{path.name}.tmp")
    unfinished.unlink(missing_ok=True)  # of an export that was killed
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    descriptor = os.open(unfinished, flags, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def _take(line: bytes, found: ReadFile, is_message: Callable[[Json], bool]) -> None:
    if not line:
        return
    try:
        content = whole_json(json.loads(line.decode("utf-8"), parse_constant=_no_number))
    except (ValueError, RecursionError):
        found.torn += 1
        return
    message = _as_message(content, is_message)
    if message is None:
        found.foreign += 1
    elif len(json.dumps(message)) > MAX_LINE_BYTES:
        found.too_long += 1
    else:
        found.messages.append(message)


def _no_number(word: str) -> None:
    raise ValueError(f"{word} is not JSON")


def _checker() -> Callable[[Json], bool]:
    """Give what tells whether a daemon would take a message."""
    from pydantic import TypeAdapter, ValidationError  # loaded here: no other command needs it

    from lararium_daemon.protocol.messages import Message

    adapter = TypeAdapter(Message)

    def is_message(content: Json) -> bool:
        try:
            adapter.validate_json(json.dumps(content))
        except ValidationError:
            return False
        return True

    return is_message


def _unusable(path: Path, error: OSError) -> LarariumError:
    why = error.strerror or str(error)
    return LarariumError("file_unusable", f"{path} cannot be used: {why}. Nothing was changed.")


def _as_message(content: Any, is_message: Callable[[Json], bool]) -> Json | None:
    """Take our own messages as they are, and other programs' by role and text."""
    if not isinstance(content, dict):
        return None
    line: Json = content  # pyright: ignore[reportUnknownVariableType]
    inner = line.get("message")
    message: Json = inner if isinstance(inner, dict) else line  # pyright: ignore[reportUnknownVariableType]
    if message.get("role") not in _ROLES:
        return None
    if is_message(message):
        return message
    text = _text(message.get("content"))
    if not text:
        return None
    return {
        "message_id": "imported",
        "role": message["role"],
        "created_at": str(line.get("timestamp") or ""),
        "parts": [{"type": "text", "part_id": "imported", "text": text}],
    }


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    texts: list[str] = []
    pieces: list[Any] = content if isinstance(content, list) else []  # pyright: ignore[reportUnknownVariableType]
    for piece in pieces:
        part: Json = piece if isinstance(piece, dict) else {}  # pyright: ignore[reportUnknownVariableType]
        text = part.get("text")
        if part.get("type") == "text" and isinstance(text, str):
            texts.append(text)
    return "\n".join(texts)
