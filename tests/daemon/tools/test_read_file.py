"""Reading a file."""

import re

import pytest
from tests.daemon.tools.conftest import ToolBench

from lararium_daemon.tools.truncation import MAX_RESULT_BYTES

pytestmark = pytest.mark.anyio


async def test_lines_carry_their_numbers(bench: ToolBench) -> None:
    bench.write("f", "a\n\nnaïve 日本 😀\n".encode())

    result = await bench.call("read_file", path="f")

    assert result.text == "     1\ta\n     2\t\n     3\tnaïve 日本 😀"
    assert result.summary == "3 lines"
    assert result.metadata["truncated"] is False


async def test_a_range_is_read(bench: ToolBench) -> None:
    bench.write("f", b"".join(b"%d\n" % n for n in range(1, 101)))

    result = await bench.call("read_file", path="f", start_line=10, max_lines=2)

    assert result.text.startswith("    10\t10\n    11\t11\n[truncated")
    assert "start_line=12" in result.text


async def test_following_the_hint_reads_everything_once(bench: ToolBench) -> None:
    lines = ["x" * 300_000, "short", *("y" * 50 for _ in range(3_000))]
    bench.write("f", "\n".join(lines).encode())
    read = ["" for _ in lines]
    arguments: dict[str, int] = {}

    for _ in range(100):
        result = await bench.call("read_file", path="f", **arguments)
        assert 0 < len(result.text.encode()) <= MAX_RESULT_BYTES
        for line in result.text.split("\n"):
            if match := re.match(r" *(\d+)\t(.*)", line):
                read[int(match[1]) - 1] += match[2]
        hint = re.search(r"read on with start_line=(\d+)(?: and start_column=(\d+))?", result.text)
        if hint is None:
            break
        arguments = {"start_line": int(hint[1]), "start_column": int(hint[2] or 1)}

    assert read == lines


async def test_an_empty_file_and_a_line_beyond_the_end_are_said(bench: ToolBench) -> None:
    bench.write("empty", b"")
    bench.write("one", b"a")

    assert (await bench.call("read_file", path="empty")).text == "empty is empty."
    assert "has 1 lines" in await bench.fails("read_file", path="one", start_line=2)


@pytest.mark.parametrize(
    ("data", "note"),
    [
        ("\ufeffkey=1\r\n".encode("utf-16-le"), "[UTF-16-LE, byte order mark, CRLF line ends]"),
        (b"\xef\xbb\xbfkey=1\n", "[byte order mark]"),
        (b"key=1\r\nb\n", "[mixed line ends]"),
    ],
)
async def test_how_a_file_is_written_is_said_when_unusual(
    bench: ToolBench, data: bytes, note: str
) -> None:
    bench.write("f", data)

    result = await bench.call("read_file", path="f")

    assert "     1\tkey=1" in result.text
    assert result.text.endswith(note)


@pytest.mark.parametrize(
    ("name", "hint"),
    [("missing", "no file"), ("folder", "is a folder"), ("bin", "binary"), ("../up", "no file")],
)
async def test_what_cannot_be_read_is_said(bench: ToolBench, name: str, hint: str) -> None:
    (bench.root / "folder").mkdir()
    bench.write("bin", b"\0\1")

    assert hint in await bench.fails("read_file", path=name)


@pytest.mark.parametrize(
    ("existing", "asked"),
    [
        (["Shot 1.01\u202fAM.png"], "Shot 1.01 AM.png"),
        (["cafe\u0301.txt"], "caf\u00e9.txt"),
        (["a\u00a0b/c\u00a0d"], "a b/c d"),
    ],
)
async def test_a_name_that_looks_the_same_is_found(
    bench: ToolBench, existing: list[str], asked: str
) -> None:
    for name in existing:
        bench.write(name, b"content")

    assert "content" in (await bench.call("read_file", path=asked)).text


async def test_two_names_that_look_the_same_are_both_named(bench: ToolBench) -> None:
    bench.write("a\u00a0b", b"1")
    bench.write("a\u202fb", b"2")

    problem = await bench.fails("read_file", path="a b")

    assert "'a\\xa0b' and 'a\\u202fb' look like it" in problem


async def test_brackets_in_a_path_are_literal(bench: ToolBench) -> None:
    bench.write("app/[id]/(x)/page.tsx", b"right")
    bench.write("app/i/page.tsx", b"wrong")

    assert "right" in (await bench.call("read_file", path="app/[id]/(x)/page.tsx")).text


async def test_arguments_that_do_not_fit_are_named(bench: ToolBench) -> None:
    problem = await bench.fails("read_file", start_line=0)

    assert "path: Field required" in problem
    assert "start_line: Input should be greater than or equal to 1" in problem
