"""Finds the text to replace, exactly, whatever the line ends, and says why it is not there.

LF in the text to find stands for the file's own line end at that place. Nothing else is tolerated:
a near match is named in the error, never edited.
"""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from lararium_daemon.tools.registry import ToolFailure
from lararium_daemon.tools.text_file import TextFile

_LINE_NUMBERS = re.compile(r"^ *\d+\t", re.MULTILINE)
_QUOTES = dict.fromkeys(range(0x2018, 0x201C), "'") | dict.fromkeys(range(0x201C, 0x2020), '"')
"""Typographic quotation marks and the plain ones they stand for."""
_MAX_LISTED = 10
_NEAR_LINES = 6


@dataclass(slots=True, frozen=True)
class Replaced:
    """A text after the replacement."""

    text: str
    count: int


def replace_text(file: TextFile, old: str, new: str, *, everywhere: bool, name: str) -> Replaced:
    """Replace `old` by `new`, both taken literally.

    What is inserted gets the line ends of what it replaces, else those around it; every other byte
    stays as it is.

    Raises:
        ToolFailure: `old` is empty, the same as `new`, not there, or there more than once.
    """
    wanted, replacement = _unify(old), _unify(new)
    if not wanted:
        raise ToolFailure(
            f"The text to replace is empty. {name} is unchanged; give the text, or use write_file "
            "for the whole content.",
            "empty",
        )
    if wanted == replacement:
        raise ToolFailure(f"Old and new text are the same. {name} is unchanged.", "no change")
    spans = _find(file.text, wanted)
    if not spans:
        raise ToolFailure(_why_missing(file.text, wanted, name), "not found")
    if len(spans) > 1 and not everywhere:
        raise ToolFailure(_where(file.text, spans, name), f"{len(spans)} matches")
    pieces: list[str] = []
    end = 0
    for start, stop in spans:
        pieces.append(file.text[end:start])
        pieces.append(replacement.replace("\n", _line_end(file, start, stop)))
        end = stop
    pieces.append(file.text[end:])
    return Replaced("".join(pieces), len(spans))


def _unify(text: str) -> str:
    return text.replace("\r\n", "\n")


def _find(text: str, wanted: str) -> list[tuple[int, int]]:
    """Find every place, left to right, none overlapping; LF matches CRLF too."""
    pattern = re.escape(wanted)
    if "\r\n" in text:
        # LF may be CRLF; one that begins or ends the text must not be torn from its CR.
        pattern = r"(?:\r\n|(?<!\r)\n)".join(re.escape(line) for line in wanted.split("\n"))
    return [match.span() for match in re.finditer(pattern, text)]


def _line_end(file: TextFile, start: int, stop: int) -> str:
    """Give the line end for text that replaces `start`..`stop`."""
    if "\r\n" not in file.text:
        return "\n"
    newline = file.text.find("\n", start, stop)
    if newline < 0:
        newline = file.text.find("\n", stop)
    if newline < 0:
        return file.line_end
    return "\r\n" if file.text[newline - 1 : newline] == "\r" else "\n"


def _where(text: str, spans: list[tuple[int, int]], name: str) -> str:
    lines = [str(text.count("\n", 0, start) + 1) for start, _ in spans[:_MAX_LISTED]]
    more = ", …" if len(spans) > _MAX_LISTED else ""
    return (
        f"The text is in {name} {len(spans)} times (lines {', '.join(lines)}{more}); it is "
        "unchanged. Give more of the lines around the one you mean, or set replace_all."
    )


def _why_missing(text: str, wanted: str, name: str) -> str:
    text = _unify(text)
    start = f"The text is not in {name}; it is unchanged."
    if _LINE_NUMBERS.match(wanted) and _LINE_NUMBERS.sub("", wanted) in text:
        return f"{start} Leave out the line numbers that read_file shows."
    if (place := _locate(text, wanted, _without_spaces)) is not None:
        line, found = place
        tabs = " The file indents with tabs there." if "\t" in found and "\t" not in wanted else ""
        return f"{start} Line {line} differs in spaces only.{tabs} It reads exactly:\n{found}"
    if (place := _locate(text, wanted, _plain_quotes)) is not None:
        line, found = place
        return f"{start} Line {line} has other quotes or accents. It reads exactly:\n{found}"
    if wanted.lower() in text.lower():
        return f"{start} It is there in other upper and lower case."
    return f"{start} Read the file again and copy the text from it."


def _locate(text: str, wanted: str, fold: Callable[[str], str]) -> tuple[int, str] | None:
    """Find the lines that are equal to the wanted ones after folding."""
    lines = text.split("\n")
    folded = [fold(line) for line in lines]
    target = [fold(line) for line in wanted.strip("\n").split("\n")]
    if not any(target):
        return None
    width = len(target)
    for index in range(len(lines) - width + 1):
        window = folded[index : index + width]
        if window == target or (width == 1 and target[0] in window[0]):
            return index + 1, "\n".join(lines[index : index + min(width, _NEAR_LINES)])
    return None


def _without_spaces(line: str) -> str:
    return "".join(line.split())


def _plain_quotes(line: str) -> str:
    return unicodedata.normalize("NFKC", line).translate(_QUOTES)
