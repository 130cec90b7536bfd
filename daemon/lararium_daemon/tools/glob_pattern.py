"""Glob patterns of paths, as one regular expression over a whole listing.

`*` and `?` stay inside a name, `**` spans folders, `[a-z]` and `{a,b}` choose. A pattern without
`/` means the name in any folder.
"""

import re
from dataclasses import dataclass

_MAX_ALTERNATIVES = 200


@dataclass(slots=True, frozen=True)
class GlobPattern:
    """A compiled pattern over relative paths with `/`."""

    regex: re.Pattern[bytes]

    def select(self, listing: bytes) -> list[bytes]:
        """Give the matching paths of a listing in which each path ends with NUL."""
        return [match[1] for match in self.regex.finditer(listing)]


def compile_glob(pattern: str) -> GlobPattern:
    """Compile a pattern."""
    if "/" not in pattern:
        pattern = f"**/{pattern}"
    alternatives = [_translate(part) for part in _expand(pattern)]
    body = "|".join(dict.fromkeys(alternatives))
    regex = re.compile(rf"(?:(?<=\x00)|\A)((?:{body}))\x00".encode("utf-8", "surrogateescape"))
    return GlobPattern(regex)


def has_magic(segment: str) -> bool:
    """Tell whether a path segment holds a pattern."""
    return any(char in segment for char in "*?[{")


def _expand(pattern: str) -> list[str]:
    """Write out `{a,b}`; an unclosed brace is a brace."""
    done: list[str] = []
    waiting = [pattern]
    while waiting and len(done) + len(waiting) < _MAX_ALTERNATIVES:
        current = waiting.pop()
        match = re.search(r"\{([^{}]*,[^{}]*)\}", current)
        if match is None:
            done.append(current)
            continue
        choices = match[1].split(",")
        waiting.extend(current[: match.start()] + c + current[match.end() :] for c in choices)
    return done + waiting


def _translate(pattern: str) -> str:
    segments = [segment for segment in pattern.split("/") if segment not in {"", "."}]
    parts: list[str] = []
    for number, segment in enumerate(segments):
        is_last = number == len(segments) - 1
        if segment == "**":
            parts.append(r"[^\x00]+" if is_last else r"(?:[^\x00]*/)?")
        else:
            parts.append(_translate_segment(segment) + ("" if is_last else "/"))
    return "".join(parts)


def _translate_segment(segment: str) -> str:
    out: list[str] = []
    index = 0
    while index < len(segment):
        char = segment[index]
        index += 1
        if char == "*":
            out.append(r"[^/\x00]*")
            while segment[index : index + 1] == "*":
                index += 1
        elif char == "?":
            out.append(r"[^/\x00]")
        elif char == "[" and (end := segment.find("]", index + 1)) > 0:
            out.append(_translate_class(segment[index:end]))
            index = end + 1
        else:
            out.append(re.escape(char))
    return "".join(out)


def _translate_class(body: str) -> str:
    negated = body[0] in "!^"
    inside = body[1:] if negated else body
    try:
        re.compile(
            f"[{(escaped := inside.replace(chr(92), chr(92) * 2).replace('[', chr(92) + '['))}]"
        )
    except re.error:
        return re.escape(f"[{body}]")
    return rf"(?![/\x00])[{'^' if negated else ''}{escaped}]"
