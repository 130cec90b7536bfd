"""A session as a file: one message a line, and what describes it in a sidecar beside it.

Reading never fails for a bad line. A torn last line, a line of another program and one that is no
JSON are left out and counted; they stay in the file, which is never changed.
"""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Json = dict[str, Any]

_ROLES = ("user", "assistant")


@dataclass(slots=True)
class ReadFile:
    """What a file holds."""

    messages: list[Json] = field(default_factory=list[Json])
    foreign: int = 0
    """Whole lines that are no messages."""
    torn: int = 0
    """Lines that are no JSON or no text."""

    def note(self) -> str:
        """Say what was left out, for the person; "" when nothing was."""
        left = [
            f"{count} {what}"
            for count, what in ((self.torn, "damaged lines"), (self.foreign, "foreign lines"))
            if count
        ]
        return f"{' and '.join(left)} of the file were left out." if left else ""


def sidecar(path: Path) -> Path:
    """Give where what describes the session lies."""
    return path.with_suffix(".meta.json")


def write_file(path: Path, messages: Iterator[Json], about: Json) -> int:
    """Write both files, each whole or not at all; give how many messages there are."""
    count = 0
    unfinished = path.with_name(f".{path.name}.tmp")
    try:
        with unfinished.open("w", encoding="utf-8", newline="\n") as file:
            for message in messages:
                file.write(json.dumps(message, ensure_ascii=False) + "\n")
                count += 1
            file.flush()
            os.fsync(file.fileno())
        about_text = json.dumps(about, ensure_ascii=False, indent=2) + "\n"
        sidecar(path).write_text(about_text, encoding="utf-8", newline="\n")
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    return count


def read_file(path: Path) -> ReadFile:
    """Read the messages that can be read."""
    found = ReadFile()
    for line in path.read_bytes().split(b"\n"):
        if not line.strip():
            continue
        try:
            content = json.loads(line.decode("utf-8"))
        except (ValueError, RecursionError):
            found.torn += 1
            continue
        message = _as_message(content)
        if message is None:
            found.foreign += 1
        else:
            found.messages.append(message)
    return found


def read_about(path: Path) -> Json:
    """Read the sidecar; empty when it is missing or cannot be read."""
    try:
        about = json.loads(sidecar(path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return about if isinstance(about, dict) else {}  # pyright: ignore[reportUnknownVariableType]


def _as_message(content: Any) -> Json | None:
    """Take our own messages as they are, and other programs' by role and text."""
    if not isinstance(content, dict):
        return None
    line: Json = content  # pyright: ignore[reportUnknownVariableType]
    inner = line.get("message")
    message: Json = inner if isinstance(inner, dict) else line  # pyright: ignore[reportUnknownVariableType]
    if message.get("role") not in _ROLES:
        return None
    if isinstance(message.get("parts"), list) and isinstance(message.get("message_id"), str):
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
