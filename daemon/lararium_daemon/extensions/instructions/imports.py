"""Where a Markdown text imports another file: `@path` in prose, never in code.

A word that merely holds an `@` (an address), a code span, a fenced block and a comment are left
alone.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_FENCE = re.compile(r"[ \t]*(?:(?:[-*+>]|\d+[.)])[ \t]+)*(`{3,}|~{3,})([^\n]*)")
_TICKS = re.compile(r"`+")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_IMPORT = re.compile(r"(?<![^\s(])@(?!@)((?:\\ |[^\s`'\"<>()|\\])+)")
_AFTER = ".,;:!?*_"
"""Punctuation that ends a sentence, not a name."""


@dataclass(slots=True, frozen=True)
class Import:
    """One import, by its place in the text."""

    start: int
    end: int
    target: str
    """The path as written, without the `@`."""


def find_imports(text: str) -> list[Import]:
    """Give the imports of a text in order; whether they lead anywhere is not looked at."""
    masked = _without_spans(_without_fences(text))
    masked = _COMMENT.sub(_blank, masked)
    found: list[Import] = []
    for match in _IMPORT.finditer(masked):
        written = match[1].rstrip(_AFTER)
        if written:
            end = match.start(1) + len(written)
            found.append(Import(match.start(), end, written.replace("\\ ", " ")))
    return found


def _blank(match: re.Match[str]) -> str:
    return _blanks(match[0])


def _blanks(text: str) -> str:
    """Give as many characters that mean nothing, with the same lines."""
    return re.sub(r"[^\n]", "\0", text)


def _without_fences(text: str) -> str:
    kept: list[str] = []
    fence = ""
    for line in text.splitlines(keepends=True):
        match = _FENCE.match(line)
        if not fence and match and not (match[1][0] == "`" and "`" in match[2]):
            fence = match[1]
            kept.append(_blanks(line))
        elif fence:
            kept.append(_blanks(line))
            rest = line.strip()
            if rest.startswith(fence) and not rest.strip(fence[0]):
                fence = ""
        else:
            kept.append(line)
    return "".join(kept)


def _without_spans(text: str) -> str:
    """Blank code spans: from a run of backticks to the next of its length in the paragraph."""
    return "".join(_blank_spans(part) for part in re.split(r"(\n[ \t]*\n)", text))


def _blank_spans(paragraph: str) -> str:
    runs = list(_TICKS.finditer(paragraph))
    pieces: list[str] = []
    at = 0
    for start, end in _pairs(runs):
        pieces += [paragraph[at:start], _blanks(paragraph[start:end])]
        at = end
    return "".join([*pieces, paragraph[at:]])


def _pairs(runs: list[re.Match[str]]) -> Iterator[tuple[int, int]]:
    index = 0
    while index < len(runs):
        length = len(runs[index][0])
        close = next((i for i in range(index + 1, len(runs)) if len(runs[i][0]) == length), None)
        if close is None:
            index += 1
            continue
        yield runs[index].start(), runs[close].end()
        index = close + 1
