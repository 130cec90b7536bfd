"""Cleaning, cutting and comparing text."""

import difflib
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lararium_daemon.tools.diff import file_diff, split_lines
from lararium_daemon.tools.spool import Spool
from lararium_daemon.tools.terminal_text import clean, is_binary
from lararium_daemon.tools.truncation import cut_middle


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07x\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\", "xlink"),
        ("\x1b]52;c;c2VjcmV0\x07x", "x"),
        ("\x1b[2147483647bx\x1b[2J\x1b[?1049hy", "xy"),
        ("\x1bPq#0\x1b\\x\x1b_apc\x1b\\y", "xy"),
        ("\x9b31mred", "red"),
        ("10%\r50%\r100%\ndone\r\n", "100%\ndone\n"),
        ("50%\r", "50%"),
        ("a\x00b\x07c\x08d\te\n", "abcd\te\n"),
        ("open \x1b]52;c;never ended", "open "),
        ("naïve 日本 😀", "naïve 日本 😀"),
    ],
)
def test_terminal_output_becomes_plain_text(raw: str, text: str) -> None:
    assert clean(raw) == text


@given(st.text(alphabet="\x1b[]0;m\x07\r\nPaé😀\x9b\\", max_size=60))
def test_cleaned_text_holds_no_control_codes(raw: str) -> None:
    assert not set(clean(raw)) & {"\x1b", "\x07", "\r", "\x9b"}


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", False),
        (b"text", False),
        ("日本".encode() * 1000, False),
        ("日本".encode()[:-1], False),
        (b"a\0b", True),
        (bytes(range(1, 256)) * 4, True),
        (b"mostly text, one bad byte \xff here", False),
    ],
)
def test_binary_is_told_from_text(data: bytes, expected: bool) -> None:
    assert is_binary(data) is expected


@given(st.text(max_size=400), st.integers(200, 1_000))
def test_cut_text_fits_and_keeps_both_ends(text: str, limit: int) -> None:
    cut = cut_middle(text, limit)

    assert len(cut.encode()) <= limit
    if len(text.encode("utf-8", "replace")) > limit:
        assert "bytes left out" in cut
    else:
        assert cut == text


@given(st.lists(st.binary(max_size=300_000 // 4), max_size=6))
def test_a_spool_keeps_both_ends_and_counts(pieces: list[bytes]) -> None:
    with Spool(_scratch(), 100_000) as spool:
        for piece in pieces:
            spool.add(piece)
        whole = b"".join(pieces)
        assert spool.total == len(whole)
        assert spool.lines == whole.count(b"\n")
        assert bytes(spool.head) == whole[: 64 * 1024]
        assert whole.endswith(spool.tail(4096))
        assert spool.dropped == max(len(whole) - 100_000, 0)


def _scratch() -> Path:
    return Path(tempfile.mkdtemp()) / "spool"


LINES = st.lists(st.sampled_from(["a\n", "b\n", "c c\n", "\n", "d"]), max_size=14).map("".join)


@given(LINES, LINES)
def test_a_diff_turns_one_text_into_the_other(before: str, after: str) -> None:
    diff = file_diff("f", before, after)

    assert _apply(split_lines(before), diff.unified) == split_lines(after)
    assert diff.added == sum(line.startswith("+") for line in diff.unified.split("\n"))
    assert diff.removed == sum(line.startswith("-") for line in diff.unified.split("\n"))


def test_a_diff_reads_as_usual() -> None:
    before = "".join(f"{number}\n" for number in range(1, 31))
    after = before.replace("15\n", "fifteen\n").replace("30\n", "30")

    expected = difflib.unified_diff(before.splitlines(True), after.splitlines(True))
    lines = "".join(expected).replace("30 30", "30").split("\n", 2)[2]
    assert file_diff("f", before, after).unified.replace(
        "\\ No newline at end of file\n", ""
    ) == lines + ("" if lines.endswith("\n") else "\n")


def test_a_change_of_line_ends_shows() -> None:
    assert file_diff("f", "a\r\n", "a\n").unified == "@@ -1 +1 @@\n-a\n+a\n"


def test_a_diff_of_a_large_change_is_quick() -> None:
    before = "".join(f"{number}\n" for number in range(20_000))
    after = "".join(f"{number * 7 % 20_011}\n" for number in range(20_000))

    assert file_diff("f", before, after).removed > 10_000


def _apply(lines: list[str], unified: str) -> list[str]:
    """Apply a diff; line ends are compared by the texts' own lines, so CR is left to the count."""
    out: list[str] = []
    position = 0
    body = unified.split("\n")[:-1]
    for index, line in enumerate(body):
        if line.startswith("@@"):
            start = int(line.split()[1][1:].split(",")[0])
            length = line.split()[1].partition(",")[2]
            start = start if length == "0" else start - 1
            out.extend(lines[position:start])
            position = start
        elif line.startswith(" "):
            out.append(lines[position])
            position += 1
        elif line.startswith("-"):
            position += 1
        elif line.startswith("+"):
            bare = index + 1 < len(body) and body[index + 1].startswith("\\")
            out.append(line[1:] + ("" if bare else "\n"))
    out.extend(lines[position:])
    return out
