"""Text as a notification can show it: one line, legible, cut at whole characters.

The limits are those of the tightest system (Windows' balloon: 64 and 256 UTF-16 units with the
closing zero), so that no other one has to cut.
"""

import unicodedata
from collections.abc import Iterator

from lararium_daemon.protocol.text import utf16_length, whole_text

TITLE_UNITS = 63
BODY_UNITS = 255
_LONGEST = 4_000
"""Characters that are looked at; what is beyond is cut anyway."""
_JOINER = "\u200d"
_KEPT_FORMATS = frozenset({_JOINER, "\u200c"})
"""Joiners make letters of some scripts, and emoji; every other format character hides something."""
_FLAG_LETTERS = range(0x1F1E6, 0x1F200)
_SKIN_TONES = range(0x1F3FB, 0x1F400)


def cut(text: str, units: int) -> str:
    """Give the text as one legible line of at most `units` UTF-16 units, "…" at a cut."""
    line = legible(text)
    if utf16_length(line) <= units:
        return line
    room = units - 1
    kept: list[str] = []
    for cluster in _clusters(line):
        room -= utf16_length(cluster)
        if room < 0:
            break
        kept.append(cluster)
    return "".join(kept).rstrip() + "…"


def legible(text: str) -> str:
    """Give the text as one line in which nothing is hidden.

    White space and control characters become single spaces. What would turn the direction of the
    text, or not show at all, is written as an escape.
    """
    words = "".join(_shown(char) for char in whole_text(text[:_LONGEST])).split()
    return " ".join(words)


def escape_markup(text: str) -> str:
    """Give plain text as the markup that shows it (`body-markup` of the notification spec)."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _shown(char: str) -> str:
    category = unicodedata.category(char)
    if category in {"Cc", "Zl", "Zp"}:
        return " "
    if category == "Cf" and char not in _KEPT_FORMATS:
        return f"\\u{ord(char):04x}"
    return char


def _clusters(text: str) -> Iterator[str]:
    """Give what a reader takes for one character: with its accents, tones and joined parts."""
    cluster = ""
    for char in text:
        if cluster and not _goes_on(cluster, char):
            yield cluster
            cluster = ""
        cluster += char
    yield cluster


def _goes_on(cluster: str, char: str) -> bool:
    if char == _JOINER or cluster[-1] == _JOINER or ord(char) in _SKIN_TONES:
        return True
    if ord(char) in _FLAG_LETTERS:  # two of them make a flag
        return len(cluster) == 1 and ord(cluster) in _FLAG_LETTERS
    return unicodedata.category(char) in {"Mn", "Me", "Mc"}
