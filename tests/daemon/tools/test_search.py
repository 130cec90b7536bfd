"""Grep and glob, with ripgrep and without it."""

import os
import shutil
from pathlib import Path

import pytest
from tests.daemon.tools.conftest import ToolBench

pytestmark = pytest.mark.anyio
PROBLEM = "./shut: Permission denied (os error 13)"


@pytest.fixture(params=["ripgrep", "walk"])
def search(bench: ToolBench, request: pytest.FixtureRequest, tmp_path: Path) -> ToolBench:
    """A bench that searches with ripgrep, and one that finds none on PATH."""
    if request.param == "walk":
        bench.environment |= {"PATH": str(tmp_path / "nothing")}
    elif shutil.which("rg") is None:
        pytest.skip("needs ripgrep")
    return bench


async def grep(bench: ToolBench, pattern: str, **more: object) -> list[str]:
    result = await bench.call("grep", pattern=pattern, **more)
    assert not result.is_error
    return result.text.split("\n")


def elsewhere(bench: ToolBench) -> Path:
    folder = Path(bench.environment["HOME"], "secret")
    folder.mkdir()
    return folder


async def glob(bench: ToolBench, pattern: str, **more: object) -> list[str]:
    return (await bench.call("glob", pattern=pattern, **more)).text.split("\n")


async def test_matches_come_with_path_and_line(search: ToolBench) -> None:
    search.write("b/two.py", b"x\nneedle 2\n")
    search.write("a.py", b"needle 1\r\n")

    result = await search.call("grep", pattern=r"needle \d")

    assert result.text == "a.py:1:needle 1\nb/two.py:2:needle 2"
    assert result.summary == "2 matches in 2 files"
    assert result.metadata == {"matches": 2, "files": 2, "truncated": False}


@pytest.mark.parametrize(("pattern", "line"), [("-42", 1), ("--dry", 2), ("-x", 3), ("-e", 4)])
async def test_a_pattern_that_begins_with_a_dash_is_a_pattern(
    search: ToolBench, pattern: str, line: int
) -> None:
    search.write("a.txt", b"-42\n--dry\n=> -x\n-e\n")

    assert (await grep(search, pattern))[0].startswith(f"a.txt:{line}:")


async def test_a_path_that_begins_with_a_dash_is_a_path(search: ToolBench) -> None:
    search.write("-dir/-x.txt", b"needle\n")

    assert await grep(search, "needle", path="-dir") == ["-dir/-x.txt:1:needle"]
    assert await glob(search, "-x*") == ["-dir/-x.txt"]


async def test_no_match_is_no_error_and_a_bad_pattern_is_one(search: ToolBench) -> None:
    search.write("n.txt", b"pelican\n")

    result = await search.call("grep", pattern="zzz")

    assert (result.is_error, result.summary) == (False, "0 matches")
    assert "not valid" in await search.fails("grep", pattern="(")


@pytest.mark.parametrize("pattern", ["a\\nb", "a\nb", "x|a\\\\\\nb"])
async def test_a_pattern_over_lines_is_an_error_and_not_no_match(
    search: ToolBench, pattern: str
) -> None:
    search.write("n.txt", b"a\nb\n")

    assert "line by line" in await search.fails("grep", pattern=pattern)
    assert await grep(search, "[^\\n]b|a") == ["n.txt:1:a"]
    assert "No matches" in (await grep(search, r"a\\n"))[0]


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every folder")
async def test_a_folder_that_cannot_be_read_is_noted(search: ToolBench) -> None:
    search.write("ok/n.txt", b"pelican\n")
    shut = search.root / "shut"
    shut.mkdir(mode=0)

    lines = await grep(search, "pelican")

    shut.chmod(0o700)
    assert lines[0] == "ok/n.txt:1:pelican"
    assert "Skipped" in lines[1]
    assert "shut" in lines[1]


async def test_errors_of_ripgrep_beside_matches_are_noted(bench: ToolBench, tmp_path: Path) -> None:
    found = '{"type":"match","data":{"path":{"text":"./ok"},"lines":{"text":"pelican\\n"},'
    found += '"line_number":1,"submatches":[{"start":0}]}}'
    fake = tmp_path / "bin" / "rg"
    fake.parent.mkdir()
    lines = ["#!/bin/sh", f"printf '%s\\n' '{found}'", f"echo 'rg: {PROBLEM}' >&2", "exit 2", ""]
    fake.write_text("\n".join(lines), "utf-8")
    fake.chmod(0o755)
    bench.environment |= {"PATH": f"{fake.parent}:/usr/bin:/bin"}

    assert await grep(bench, "pelican") == [
        "ok:1:pelican",
        f"[Skipped: {PROBLEM}]",
    ]


async def test_ignored_files_do_not_fill_the_result(search: ToolBench) -> None:
    for number in range(600):
        search.write(f"node_modules/p/{number}.js", b"needle\n")
    search.write("node_modules/p/index.js", b"")
    search.write("src/a.js", b"needle\n")
    search.write(".gitignore", b"node_modules\n")

    assert await glob(search, "**/*.js") == ["src/a.js"]
    assert await glob(search, "node_modules/p/index.js") == ["node_modules/p/index.js"]
    assert await glob(search, "node_modules/p/i*.js") == ["node_modules/p/index.js"]
    assert await grep(search, "needle") == ["src/a.js:1:needle"]


async def test_brackets_mean_an_existing_folder_first(search: ToolBench) -> None:
    search.write("app/[id]/(x)/page.tsx", b"")
    search.write("app/i/page.tsx", b"")

    assert await glob(search, "app/[id]/**") == ["app/[id]/(x)/page.tsx"]
    assert await glob(search, "app/[hi]/**") == ["app/i/page.tsx"]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("*.py", ["a.py", "b/c.py", "b/d/e.py"]),
        ("*/*.py", ["b/c.py"]),
        ("b/**/*.py", ["b/c.py", "b/d/e.py"]),
        ("**/d/*", ["b/d/e.py", "b/d/e.txt"]),
        ("b/**", ["b/c.py", "b/d/e.py", "b/d/e.txt"]),
        ("./b/?.py", ["b/c.py"]),
        ("{a,b/c}.py", ["a.py", "b/c.py"]),
        ("b/[!a-b].py", ["b/c.py"]),
        ("B/*.py", ["No files (those that ignore rules hide were not looked at)."]),
        ("a.py", ["a.py"]),
        ("c.py", ["b/c.py"]),
    ],
)
async def test_globs(search: ToolBench, pattern: str, expected: list[str]) -> None:
    for name in ("a.py", "b/c.py", "b/d/e.py", "b/d/e.txt", ".git/x.py"):
        search.write(name, b"")

    assert await glob(search, pattern) == expected


async def test_a_glob_says_where_it_looks(search: ToolBench) -> None:
    search.write("src/a.py", b"")
    home = search.environment["HOME"]

    assert (await search.preview("glob", pattern="src/*.py")).path == str(search.root / "src")
    assert (await search.preview("glob", pattern="../*")).path == str(search.root.parent)
    assert (await search.preview("glob", pattern="/etc/*")).path == "/etc"
    assert (await search.preview("glob", pattern="~/*")).path == home
    assert await glob(search, str(search.root / "**/*.py")) == ["src/a.py"]


async def test_a_grep_through_a_link_says_where_it_looks(search: ToolBench) -> None:
    outside = elsewhere(search)
    (search.root / "k").symlink_to(outside)

    assert (await search.preview("grep", pattern="x", path="k")).path == str(outside)


async def test_links_are_not_followed(search: ToolBench) -> None:
    outside = elsewhere(search)
    (outside / "a.txt").write_text("needle", "utf-8")
    (search.root / "k").symlink_to(outside)
    (search.root / "f").symlink_to(outside / "a.txt")

    assert (await search.call("grep", pattern="needle")).metadata["matches"] == 0
    assert (await search.call("glob", pattern="**/*.txt")).metadata["files"] == 0


async def test_secrets_and_what_may_not_be_read_are_left_out(search: ToolBench) -> None:
    for name in (".env", "server.pem", "private/a.txt", "open.txt"):
        search.write(name, b"needle\n")
    search.may_read = lambda path: "private" not in path.parts

    lines = await grep(search, "needle")

    assert lines == ["open.txt:1:needle", "[3 files with matches may not be shown.]"]
    assert "private/a.txt" not in await glob(search, "**/*")
    assert await grep(search, "needle", path=".env") == [".env:1:needle"]


async def test_matches_stop_at_the_limit(search: ToolBench) -> None:
    search.write("f", b"needle\n" * 1_000)

    result = await search.call("grep", pattern="needle")

    assert result.summary == "200+ matches in 1 file"
    assert "Only 200 matches are shown" in result.text


async def test_files_stop_at_the_limit(search: ToolBench) -> None:
    for number in range(510):
        search.write(f"{number:04d}.txt", b"")

    result = await search.call("glob", pattern="*.txt")

    assert result.metadata == {"files": 500, "truncated": True}
    assert "500 of 510 files" in result.text


async def test_long_lines_are_cut_around_the_match(search: ToolBench) -> None:
    search.write("f", b"a" * 10_000 + b"needle" + b"b" * 10_000)

    line = (await grep(search, "needle"))[0]

    assert len(line) < 500
    assert "needle" in line


async def test_utf_16_is_searched(search: ToolBench) -> None:
    search.write("f.txt", "\ufeffkey=1\r\n".encode("utf-16-le"))

    assert await grep(search, "key") == ["f.txt:1:key=1"]


@pytest.mark.parametrize("encoding", ["utf-16-be", "utf-16-le", "cp1252"])
async def test_what_a_search_shows_can_be_read_and_edited(search: ToolBench, encoding: str) -> None:
    line = "Straße in München, größer als früher: über hundert Häuser für alle."
    mark = "\ufeff" if encoding.startswith("utf") else ""
    before = f"{mark}x\r\n{line}\r\n".encode(encoding)
    path = search.write("f.txt", before)

    [found] = await grep(search, "ber hundert")

    assert found == f"f.txt:2:{line}"
    assert line in (await search.call("read_file", path="f.txt")).text
    await search.call("edit_file", path="f.txt", old_string=found[8:], new_string="Häuser")
    assert path.read_bytes() == before.replace(line.encode(encoding), "Häuser".encode(encoding))


async def test_case_and_kind_of_file_can_be_chosen(search: ToolBench) -> None:
    search.write("a.py", b"Needle\n")
    search.write("a.txt", b"needle\n")

    assert await grep(search, "needle", ignore_case=True, glob="*.py") == ["a.py:1:Needle"]


async def test_pipes_are_passed_over(search: ToolBench) -> None:
    os.mkfifo(search.root / "pipe")
    search.write("a.txt", b"needle\n")

    assert await grep(search, "needle") == ["a.txt:1:needle"]


@pytest.mark.timeout(10)
@pytest.mark.parametrize("name", [".gitignore", ".ignore", ".rgignore"])
async def test_a_pipe_in_place_of_an_ignore_file_is_not_waited_for(
    search: ToolBench, name: str
) -> None:
    os.mkfifo(search.root / name)
    search.write("sub/a.txt", b"needle\n")

    assert await grep(search, "needle") == ["sub/a.txt:1:needle"]
    assert await grep(search, "needle", path="sub") == ["sub/a.txt:1:needle"]
    assert await glob(search, "*.txt") == ["sub/a.txt"]


async def test_a_place_that_is_not_there_is_said(search: ToolBench) -> None:
    assert "cannot be searched" in await search.fails("grep", pattern="x", path="missing")
    assert "is no folder" in await search.fails("glob", pattern="*", path="missing")
