"""Writing a whole file."""

import pytest
from tests.daemon.tools.conftest import ToolBench

from lararium_daemon.protocol.ids import SessionId
from lararium_daemon.tools.context import FileLedger
from lararium_daemon.tools.text_file import hash_bytes, remove_temporaries

pytestmark = pytest.mark.anyio


async def test_a_new_file_is_made_with_its_folders(bench: ToolBench) -> None:
    result = await bench.call("write_file", path="a/b/hello.txt", content="hello\n日本 😀\n")

    assert (bench.root / "a/b/hello.txt").read_bytes() == "hello\n日本 😀\n".encode()
    assert result.summary == "created, 2 lines"
    assert result.metadata == {
        "created": True,
        "added": 2,
        "removed": 0,
        "bytes": 18,
        "real_path": str(bench.root / "a/b/hello.txt"),
        "sha256": hash_bytes("hello\n日本 😀\n".encode()),
    }


async def test_a_file_must_have_been_read_before_it_is_overwritten(bench: ToolBench) -> None:
    path = bench.write("f", b"A\n")

    problem = await bench.fails("write_file", path="f", content="B\n")
    assert "you have not read it" in problem
    assert path.read_bytes() == b"A\n"

    await bench.call("read_file", path="f")
    await bench.call("write_file", path="f", content="B\n")
    await bench.call("write_file", path="f", content="C\n")  # its own write counts as read
    assert path.read_bytes() == b"C\n"


async def test_a_file_that_changed_since_it_was_read_is_not_overwritten(bench: ToolBench) -> None:
    path = bench.write("f", b"A\n")
    await bench.call("read_file", path="f")
    path.write_bytes(b"A user line\n")

    problem = await bench.fails("write_file", path="f", content="B\n")

    assert "has changed since you read it" in problem
    assert path.read_bytes() == b"A user line\n"


async def test_a_clash_names_the_session_that_wrote(bench: ToolBench) -> None:
    bench.write("f", b"A\n")
    await bench.call("read_file", path="f")
    mine = bench.ledger
    bench.session_id, bench.ledger = SessionId("ses_2"), FileLedger()
    await bench.call("edit_file", path="f", old_string="A", new_string="B")
    bench.session_id, bench.ledger = SessionId("ses_1"), mine

    problem = await bench.fails("write_file", path="f", content="C\n")

    assert "session ses_2 wrote it" in problem


async def test_an_empty_or_identical_file_needs_no_reading(bench: ToolBench) -> None:
    bench.write("empty", b"")
    bench.write("same", b"x\n")

    await bench.call("write_file", path="empty", content="x\n")
    result = await bench.call("write_file", path="same", content="x\n")

    assert result.summary == "0 added, 0 removed"


@pytest.mark.parametrize("content", ["key=2\nend\n", "\ufeffkey=2\nend\n", "key=2\r\nend\r\n"])
async def test_mark_and_line_ends_of_the_file_are_kept(bench: ToolBench, content: str) -> None:
    path = bench.write("f", b"\xef\xbb\xbfkey=1\r\nend\r\n")
    await bench.call("read_file", path="f")

    await bench.call("write_file", path="f", content=content)

    assert path.read_bytes() == b"\xef\xbb\xbfkey=2\r\nend\r\n"


async def test_mixed_line_ends_are_replaced_by_what_was_given(bench: ToolBench) -> None:
    path = bench.write("f", b"a\r\nb\n")
    await bench.call("read_file", path="f")

    await bench.call("write_file", path="f", content="a\nb\n")

    assert path.read_bytes() == b"a\nb\n"


async def test_a_binary_file_is_not_overwritten(bench: ToolBench) -> None:
    path = bench.write("f.png", b"\x89PNG\0\0")

    assert "binary" in await bench.fails("write_file", path="f.png", content="x")
    assert path.read_bytes() == b"\x89PNG\0\0"


@pytest.mark.parametrize("name", ["nul", "CON.txt", "aux", "sub/Com1.log", "nul. "])
async def test_device_names_of_windows_are_refused(bench: ToolBench, name: str) -> None:
    assert "device name on Windows" in await bench.fails("write_file", path=name, content="x")
    assert list(bench.root.rglob("*")) == []


async def test_names_that_only_begin_like_a_device_are_fine(bench: ToolBench) -> None:
    await bench.call("write_file", path="nullable.txt", content="nul")

    assert (bench.root / "nullable.txt").read_bytes() == b"nul"


@pytest.mark.parametrize(
    "name",
    [
        *(' a "b" $(touch pwn).txt', "-rf.txt", "it's.md", "a\nb", "[id]", "x. ", "x.", "d\\f"),
        *("..\\..\\etc\\p", "{a,b}", "*", "a:b", "@x", "#x", "%41", "é", "e\u0301", "\u202ex"),
    ],
)
async def test_any_name_is_taken_literally(bench: ToolBench, name: str) -> None:
    await bench.call("write_file", path=name, content="needle\n")
    read = await bench.call("read_file", path=name)
    await bench.call("edit_file", path=name, old_string="needle", new_string="pin needle")
    found = await bench.call("grep", pattern="needle", path=name)
    listed = await bench.call("glob", pattern=name)

    assert [path.name for path in bench.root.iterdir()] == [name]
    assert (bench.root / name).read_bytes() == b"pin needle\n"
    assert "needle" in read.text
    assert found.metadata["matches"] == 1
    assert listed.metadata["files"] == 1


async def test_the_home_folder_is_expanded(bench: ToolBench) -> None:
    await bench.call("write_file", path="~/x.txt", content="x")

    assert (bench.home / "x.txt").read_bytes() == b"x"
    assert not (bench.root / "~").exists()


async def test_a_path_that_leads_outside_is_shown_as_it_is(bench: ToolBench) -> None:
    outside = bench.home / ".ssh"
    (bench.root / "k").symlink_to(outside)  # dangling

    preview = await bench.preview("write_file", path="sub/../k/authorized_keys", content="x")

    assert preview.path == str(outside / "authorized_keys")
    assert preview.shown.startswith(f"{outside / 'authorized_keys'}\n")


@pytest.mark.parametrize("path", ["", " ", "a\0b", "x" * 5_000, "\ud800"])
async def test_what_is_no_path_is_refused(bench: ToolBench, path: str) -> None:
    assert await bench.fails("write_file", path=path, content="x")


async def test_a_name_that_is_too_long_leaves_nothing_behind(bench: ToolBench) -> None:
    problem = await bench.fails("write_file", path=f"new/{'x' * 300}", content="x")

    assert "cannot be written" in problem
    assert list(bench.root.iterdir()) == []


async def test_a_deep_path_works(bench: ToolBench) -> None:
    path = "a/" * 150 + "f.txt"

    await bench.call("write_file", path=path, content="x")

    assert (bench.root / path).read_bytes() == b"x"


async def test_a_twin_by_another_composition_is_not_made(bench: ToolBench) -> None:
    path = bench.write("cafe\u0301.txt", b"a\n")
    await bench.call("read_file", path="caf\u00e9.txt")

    await bench.call("write_file", path="caf\u00e9.txt", content="b\n")

    assert list(bench.root.iterdir()) == [path]
    assert path.read_bytes() == b"b\n"


async def test_half_a_character_is_refused(bench: ToolBench) -> None:
    problem = await bench.fails("write_file", path="f", content="a\ud800")

    assert "has no '\\ud800'" in problem


async def test_what_a_dead_process_left_of_a_write_is_removed_and_nothing_else(
    bench: ToolBench,
) -> None:
    path = bench.write("notes.md", b"whole\n")
    left = bench.write(".notes.md.0123456789ab.tmp", b"half")
    others = [
        bench.write(".notes.md.0123456789ab.tmp.txt", b""),
        bench.write(".notes.mdx.0123456789ab.tmp", b""),
        bench.write(".notes.md.tmp", b""),
    ]

    assert remove_temporaries(path) == 1
    assert not left.exists()
    assert all(each.exists() for each in [path, *others])
    assert remove_temporaries(bench.root / "no" / "such") == 0
