"""Unified diffs of one file, without file headers."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from lararium_daemon.protocol.messages import FileDiff

_CONTEXT = 3
_MAX_COMPARED_LINES = 4_000
"""Beyond this the changed middle is shown as replaced whole: comparing costs its square."""
_MAX_DIFF_CHARS = 1_000_000
Operation = tuple[str, int, int, int, int]


def file_diff(path: str, before: str, after: str) -> FileDiff:
    """Compare two texts line by line; a change of line ends is a change."""
    old, new = split_lines(before), split_lines(after)
    operations = _operations(old, new)
    added = sum(j2 - j1 for tag, _, _, j1, j2 in operations if tag != "equal")
    removed = sum(i2 - i1 for tag, i1, i2, _, _ in operations if tag != "equal")
    text = "".join(_hunks(old, new, operations))
    if len(text) > _MAX_DIFF_CHARS:
        text = f"[the diff is too long to show: {added:,} lines added, {removed:,} removed]\n"
    return FileDiff(path, text, added, removed)


def split_lines(text: str) -> list[str]:
    """Split at LF only, keeping it; the last line may lack one."""
    lines = text.split("\n")
    last = lines.pop()
    return [f"{line}\n" for line in lines] + ([last] if last else [])


def _operations(old: Sequence[str], new: Sequence[str]) -> list[Operation]:
    """Give difflib's opcodes, comparing only what lies between the common ends."""
    start = 0
    limit = min(len(old), len(new))
    while start < limit and old[start] == new[start]:
        start += 1
    end = 0
    while end < limit - start and old[-1 - end] == new[-1 - end]:
        end += 1
    old_end, new_end = len(old) - end, len(new) - end
    middle: list[Operation] = []
    if max(old_end, new_end) - start > _MAX_COMPARED_LINES:
        middle = [("replace", start, old_end, start, new_end)]
    elif old_end > start or new_end > start:
        matcher = SequenceMatcher(None, old[start:old_end], new[start:new_end], autojunk=False)
        middle = [
            (tag, i1 + start, i2 + start, j1 + start, j2 + start)
            for tag, i1, i2, j1, j2 in matcher.get_opcodes()
        ]
    head: list[Operation] = [("equal", 0, start, 0, start)] if start else []
    tail: list[Operation] = [("equal", old_end, len(old), new_end, len(new))] if end else []
    return head + middle + tail


def _hunks(old: Sequence[str], new: Sequence[str], operations: list[Operation]) -> Iterator[str]:
    for group in _groups(operations):
        i1, i2, j1, j2 = group[0][1], group[-1][2], group[0][3], group[-1][4]
        yield f"@@ -{_range(i1, i2)} +{_range(j1, j2)} @@\n"
        for tag, a1, a2, b1, b2 in group:
            if tag == "equal":
                yield from _lines(" ", old[a1:a2])
                continue
            yield from _lines("-", old[a1:a2])
            yield from _lines("+", new[b1:b2])


def _groups(operations: list[Operation]) -> Iterator[list[Operation]]:
    """Cut the operations into hunks with three lines of context."""
    group: list[Operation] = []
    for number, (tag, i1, i2, j1, j2) in enumerate(operations):
        if tag != "equal":
            group.append((tag, i1, i2, j1, j2))
            continue
        is_first, is_last = number == 0, number == len(operations) - 1
        if is_first:
            skip = max(i2 - i1 - _CONTEXT, 0)
            group.append((tag, i1 + skip, i2, j1 + skip, j2))
        elif is_last or i2 - i1 > 2 * _CONTEXT:
            keep = min(_CONTEXT, i2 - i1)
            group.append((tag, i1, i1 + keep, j1, j1 + keep))
            yield group
            group = [] if is_last else [(tag, i2 - _CONTEXT, i2, j2 - _CONTEXT, j2)]
        else:
            group.append((tag, i1, i2, j1, j2))
    if any(tag != "equal" for tag, *_ in group):
        yield group


def _range(start: int, end: int) -> str:
    length = end - start
    if length == 1:
        return str(start + 1)
    return f"{start + 1 if length else start},{length}"


def _lines(sign: str, lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        body = line.removesuffix("\n").removesuffix("\r")
        yield f"{sign}{body}\n"
        if not line.endswith("\n"):
            yield "\\ No newline at end of file\n"
