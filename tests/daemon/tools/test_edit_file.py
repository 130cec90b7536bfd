"""Editing a piece of a file."""

import os
import socket
import stat
from pathlib import Path

import pytest
from tests.daemon.tools.conftest import ToolBench

pytestmark = pytest.mark.anyio
QUOTED = "it\u2019s “ok”".encode()


async def edited(bench: ToolBench, data: bytes, old: str, new: str, **more: bool) -> bytes:
    path = bench.write("f.txt", data)
    await bench.call("edit_file", path="f.txt", old_string=old, new_string=new, **more)
    return path.read_bytes()


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        (
            b"one\r\n\ttwo\r\nthree\r\n",
            "one\n\ttwo",
            "ONE\n\tTWO\n\tmore",
            b"ONE\r\n\tTWO\r\n\tmore\r\nthree\r\n",
        ),
        (b"a\r\nb\nc\r\nd\n", "c", "C", b"a\r\nb\nC\r\nd\n"),
        (b"a\r\nb\nc\r\nd\n", "d", "d\ne", b"a\r\nb\nc\r\nd\ne\n"),
        (b"a\nb\n", "a\r\nb", "a\r\nc", b"a\nc\n"),
        (b"a\r\nb", "\nb", "\nc\nd", b"a\r\nc\r\nd"),
        (b"a\r\nb\r\n", "a\n", "", b"b\r\n"),
        (b"a\rb", "a", "x", b"x\rb"),
    ],
)
async def test_line_ends_stay_as_they_are(
    bench: ToolBench, before: bytes, old: str, new: str, after: bytes
) -> None:
    assert await edited(bench, before, old, new) == after


@pytest.mark.parametrize("old", ["a\nb", "a\r\nb"])
async def test_replacing_all_keeps_line_ends_too(bench: ToolBench, old: str) -> None:
    before = b"a\r\nb\r\na\r\nb\r\n"

    assert await edited(bench, before, old, "A\nB", replace_all=True) == b"A\r\nB\r\n" * 2


async def test_the_byte_order_mark_stays(bench: ToolBench) -> None:
    before = b"\xef\xbb\xbfkey=1\r\nend\r\n"

    assert await edited(bench, before, "key=1", "key=22") == b"\xef\xbb\xbfkey=22\r\nend\r\n"


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le"])
async def test_wide_encodings_are_kept(bench: ToolBench, encoding: str) -> None:
    after = await edited(bench, "\ufeffkey=1\r\n".encode(encoding), "key=1", "key=2")

    assert after == "\ufeffkey=2\r\n".encode(encoding)


async def test_a_legacy_encoding_is_kept_or_refused(bench: ToolBench) -> None:
    text = "Straße in München, größer als früher: über hundert Häuser für alle.\n" * 5
    before = text.encode("cp1252")
    path = bench.write("f.txt", before)

    await bench.call("edit_file", path="f.txt", old_string="alle", new_string="x", replace_all=True)
    assert path.read_bytes() == text.replace("alle", "x").encode("cp1252")

    problem = await bench.fails(
        "edit_file", path="f.txt", old_string="x.", new_string="日本", replace_all=True
    )
    assert "has no '日'" in problem


@pytest.mark.parametrize("everywhere", [False, True])
async def test_the_new_text_is_taken_literally(bench: ToolBench, everywhere: bool) -> None:
    new = "p=$$ $& $1 \\1 \\g<0> \\n %s {x}"

    assert await edited(bench, b"log(1)", "log(1)", new, replace_all=everywhere) == new.encode()


async def test_a_link_stays_a_link_and_its_target_changes(bench: ToolBench) -> None:
    target = bench.write("real/conf.py", b"on=False")
    (bench.root / "link.py").symlink_to(target)
    (bench.root / "link2.py").symlink_to("link.py")

    preview = await bench.preview(
        "edit_file", path="link2.py", old_string="False", new_string="True"
    )
    await bench.finish("edit_file", preview, path="link2.py", old_string="False", new_string="True")

    assert preview.path == str(target)
    assert target.read_bytes() == b"on=True"
    assert (bench.root / "link.py").is_symlink()
    assert (bench.root / "link2.py").is_symlink()


async def test_a_loop_of_links_is_an_error(bench: ToolBench) -> None:
    (bench.root / "a").symlink_to("b")
    (bench.root / "b").symlink_to("a")

    for name in ("read_file", "edit_file", "write_file"):
        assert await bench.fails(name, path="a", old_string="x", new_string="y", content="z")


async def test_the_mode_bits_stay(bench: ToolBench) -> None:
    path = bench.write("run.sh", b"echo a\n")
    path.chmod(0o754)

    await bench.call("edit_file", path="run.sh", old_string="a", new_string="b")

    assert stat.S_IMODE(path.stat().st_mode) == 0o754


@pytest.mark.parametrize("everywhere", [False, True])
async def test_an_empty_old_text_is_refused(bench: ToolBench, everywhere: bool) -> None:
    path = bench.write("f.txt", b"no")

    problem = await bench.fails(
        "edit_file", path="f.txt", old_string="", new_string="-", replace_all=everywhere
    )

    assert "empty" in problem
    assert path.read_bytes() == b"no"


async def test_a_missing_file_is_an_error(bench: ToolBench) -> None:
    problem = await bench.fails("edit_file", path="new.txt", old_string="", new_string="X")

    assert "no file" in problem
    assert not (bench.root / "new.txt").exists()


@pytest.mark.parametrize(
    ("content", "old", "hint"),
    [
        (b"def  f():\ndef\tf():\n", "def f():", "Line 1 differs in spaces only"),
        (b"\tif x {\n\t\ty()\n\t}\n", "    if x {\n        y()\n    }", "indents with tabs"),
        (QUOTED, "it's", "other quotes or accents"),
        (b"alpha\n", "Alpha", "upper and lower case"),
        (b"alpha\n", "     1\talpha", "line numbers"),
        (b"alpha\n", "beta", "Read the file again"),
    ],
)
async def test_text_that_is_not_there_is_refused_with_the_reason(
    bench: ToolBench, content: bytes, old: str, hint: str
) -> None:
    path = bench.write("f.txt", content)

    problem = await bench.fails("edit_file", path="f.txt", old_string=old, new_string="x")

    assert hint in problem
    assert path.read_bytes() == content


async def test_a_typographic_quote_can_be_replaced(bench: ToolBench) -> None:
    after = await edited(bench, QUOTED, "\u2019", "'")

    assert after == "it's “ok”".encode()


async def test_text_that_is_there_twice_is_refused_with_the_lines(bench: ToolBench) -> None:
    path = bench.write("f.txt", b"x\na\nx\n")

    problem = await bench.fails("edit_file", path="f.txt", old_string="x", new_string="y")

    assert "2 times (lines 1, 3)" in problem
    assert path.read_bytes() == b"x\na\nx\n"


async def test_an_edit_of_a_file_that_changed_keeps_the_change_and_says_so(
    bench: ToolBench,
) -> None:
    path = bench.write("f.txt", b"A\n")
    await bench.call("read_file", path="f.txt")
    path.write_bytes(b"A user line\nA2\n")

    result = await bench.call("edit_file", path="f.txt", old_string="A2", new_string="B")

    assert path.read_bytes() == b"A user line\nB\n"
    assert "changed since you read it" in result.text


async def test_a_file_that_changes_while_the_person_thinks_is_not_overwritten(
    bench: ToolBench,
) -> None:
    path = bench.write("f.txt", b"A\n")
    arguments = {"path": "f.txt", "old_string": "A", "new_string": "B"}
    preview = await bench.preview("edit_file", **arguments)
    path.write_bytes(b"A\nmine\n")

    with pytest.raises(Exception, match="changed between the preview and the write"):
        await bench.finish("edit_file", preview, **arguments)

    assert path.read_bytes() == b"A\nmine\n"


async def test_a_path_that_leads_elsewhere_meanwhile_is_not_written(
    bench: ToolBench, tmp_path: Path
) -> None:
    bench.write("dir/f.txt", b"A\n")
    arguments = {"path": "dir/f.txt", "old_string": "A", "new_string": "B"}
    preview = await bench.preview("edit_file", **arguments)
    outside = tmp_path / "outside"
    (bench.root / "dir").rename(outside)
    (bench.root / "dir").symlink_to(outside)

    with pytest.raises(Exception, match="leads elsewhere now"):
        await bench.finish("edit_file", preview, **arguments)

    assert (outside / "f.txt").read_bytes() == b"A\n"


async def test_the_preview_says_what_would_change(bench: ToolBench) -> None:
    bench.write("a/f.txt", b"1\n2\n3\n")

    preview = await bench.preview("edit_file", path="a/f.txt", old_string="2", new_string="two")

    assert preview.title == "a/f.txt"
    assert preview.shown == "a/f.txt\n@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n"
    assert preview.path == str(bench.root / "a/f.txt")
    assert len(preview.before_sha256) == len(preview.after_sha256) == 64
    assert preview.diff is not None
    assert (preview.diff.added, preview.diff.removed) == (1, 1)
    assert (bench.root / "a/f.txt").read_bytes() == b"1\n2\n3\n"


async def test_the_result_says_what_changed(bench: ToolBench) -> None:
    bench.write("f.txt", b"x\nx\n")

    result = await bench.call(
        "edit_file", path="f.txt", old_string="x", new_string="y", replace_all=True
    )

    assert result.text == "Changed f.txt: 2 lines added, 2 removed. 2 places were changed."
    assert result.summary == "2 added, 2 removed"
    assert not result.is_error


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize("name", ["read_file", "edit_file", "write_file", "grep"])
async def test_a_pipe_is_refused_at_once(bench: ToolBench, name: str) -> None:
    os.mkfifo(bench.root / "notes.md")

    problem = await bench.fails(
        name, path="notes.md", old_string="a", new_string="b", content="c", pattern="d"
    )

    assert "named pipe" in problem


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="needs sockets in folders")
@pytest.mark.parametrize("name", ["read_file", "edit_file", "write_file", "grep"])
async def test_a_socket_is_refused_at_once(
    bench: ToolBench, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(bench.root)  # the name of a socket must be short
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("notes.md")

        problem = await bench.fails(
            name, path="notes.md", old_string="a", new_string="b", content="c", pattern="d"
        )

    assert "is a socket" in problem or "cannot be opened" in problem
    assert stat.S_ISSOCK((bench.root / "notes.md").stat().st_mode)
