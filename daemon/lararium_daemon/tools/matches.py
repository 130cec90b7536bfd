"""Matches of a search: from ripgrep's JSON lines or from a walk, up to a limit."""

import base64
import binascii
import contextlib
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from lararium_daemon.system.secret_files import is_secret_name
from lararium_daemon.tools.registry import ToolFailure
from lararium_daemon.tools.text_file import read_text

MAX_MATCHES = 200
_MAX_LINE_CHARS = 400
_LEAD_CHARS = 120
"""How much of a long line is shown before its match."""


@dataclass(slots=True, frozen=True, order=True)
class Match:
    """A line that matches."""

    path: str
    """Relative to where the search began, with `/`."""
    line: int
    text: str


@dataclass(slots=True)
class Matches:
    """What a search found."""

    may_show: Callable[[str], bool]
    """Whether a file, by its relative path, may be shown."""
    found: list[Match] = field(default_factory=list[Match])
    is_cut: bool = False
    """The limit was reached; there may be more."""
    hidden: set[str] = field(default_factory=set[str])
    """Files with matches that may not be shown."""
    base: Path | None = None
    """Where the search began: a line that is no UTF-8 is read from its file again."""
    _texts: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    _shown: dict[str, bool] = field(default_factory=dict[str, bool])

    def add(self, path: str, line: int, text: str, column: int) -> None:
        """Take a match; `column` is where it begins in the line."""
        if path not in self._shown:
            self._shown[path] = self.may_show(path)
        if not self._shown[path]:
            self.hidden.add(path)
        elif len(self.found) >= MAX_MATCHES:
            self.is_cut = True
        else:
            self.found.append(Match(path, line, _shorten(text.rstrip("\r\n"), column)))

    def read_ripgrep(self, lines: Iterator[bytes]) -> None:
        """Take ripgrep's `--json` output; stops reading at the limit."""
        for line in lines:
            if line.startswith(b'{"type":"match"'):
                data: dict[str, Any] = orjson.loads(line)["data"]
                start = data["submatches"][0]["start"] if data["submatches"] else 0
                path = _text(data["path"]).removeprefix("./")
                number = data["line_number"] or 0
                text = _text(data["lines"])
                column = len(text.encode("utf-8", "replace")[:start].decode("utf-8", "ignore"))
                if "bytes" in data["lines"]:
                    text = self._line_of(path, number) or text
                self.add(path, number, text, column)
                if self.is_cut:
                    return

    def _line_of(self, path: str, number: int) -> str:
        """Give a line as `read_file` shows it; "" when that cannot be told."""
        if path not in self._texts:
            self._texts[path] = []
            if self.base is not None and self.may_show(path):
                with contextlib.suppress(ToolFailure):
                    self._texts[path] = read_text(self.base / path).text.split("\n")
        lines = self._texts[path]
        return lines[number - 1] if 0 < number <= len(lines) else ""

    def read_file(self, base: Path, relative: str, pattern: re.Pattern[str]) -> None:
        """Search one file; one that is no text is passed over."""
        try:
            file = read_text(base / relative)
        except ToolFailure:
            return
        for number, line in enumerate(file.text.split("\n"), 1):
            match = pattern.search(line)
            if match is not None:
                self.add(relative, number, line, match.start())
            if self.is_cut:
                return


def is_shown(base: Path, relative: str, may_read: Callable[[Path], bool]) -> bool:
    """Tell whether a search that began at `base` may show a file."""
    name = os.path.basename(relative)  # noqa: PTH119 - called for every file of a tree
    return not is_secret_name(name) and may_read(base / relative)


def _text(value: dict[str, str]) -> str:
    """Read ripgrep's text-or-base64 value."""
    if "text" in value:
        return value["text"]
    try:
        return base64.b64decode(value["bytes"]).decode("utf-8", "replace")
    except (KeyError, binascii.Error):
        return ""


def _shorten(line: str, column: int) -> str:
    if len(line) <= _MAX_LINE_CHARS:
        return line
    start = max(column - _LEAD_CHARS, 0)
    piece = line[start : start + _MAX_LINE_CHARS]
    end = "…" if start + _MAX_LINE_CHARS < len(line) else ""
    return f"{'…' if start else ''}{piece}{end}"
