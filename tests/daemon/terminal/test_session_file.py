"""A session's file: whatever is broken in it, the good lines are read and the file stays."""

import json
from pathlib import Path

import pytest

from lararium_daemon.terminal.session_file import read_about, read_file, sidecar, write_file


def line(number: int, text: str = "héllo 😀") -> bytes:
    part = {"type": "text", "part_id": f"p{number}", "text": text}
    message = {"message_id": f"m{number}", "role": "user", "created_at": "", "parts": [part]}
    return json.dumps(message, ensure_ascii=False).encode()


GOOD = b"\n".join(line(number) for number in range(3)) + b"\n"


@pytest.mark.parametrize(
    ("tail", "messages", "torn", "foreign"),
    [
        (b"", 3, 0, 0),
        (b'{"type":"mess', 3, 1, 0),
        (line(3)[: line(3).index(b"\xf0") + 2], 3, 1, 0),
        (line(3), 4, 0, 0),
        (b'{"type":"summary","text":"of another program"}\n', 3, 0, 1),
        (b"[1, 2]\n\n\xff\xfe\n" + line(3) + b"\r\n", 4, 1, 1),
        (b'{"role":"assistant","content":"plain"}\n', 4, 0, 0),
        (
            b'{"type":"user","message":{"role":"user","content":[{"type":"text","text":"a"}]}}',
            4,
            0,
            0,
        ),
        (b"[" * 100_000, 3, 1, 0),
    ],
)
def test_bad_lines_cost_themselves_alone(
    tmp_path: Path, tail: bytes, messages: int, torn: int, foreign: int
) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(GOOD + tail)
    found = read_file(path)
    assert (len(found.messages), found.torn, found.foreign) == (messages, torn, foreign)
    assert bool(found.note()) == bool(torn or foreign)
    assert path.read_bytes() == GOOD + tail


def test_what_was_written_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    messages = [json.loads(line(number)) for number in range(3)]
    assert write_file(path, iter(messages), {"session": {"title": "T"}}) == 3
    assert read_file(path).messages == messages
    assert read_about(path) == {"session": {"title": "T"}}
    sidecar(path).write_text("{half", encoding="utf-8")
    assert read_about(path) == {}


def test_a_write_that_breaks_off_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(GOOD)

    def breaks() -> object:
        yield {"role": "user"}
        raise OSError

    with pytest.raises(OSError):
        write_file(path, breaks(), {})  # type: ignore[arg-type]
    assert [each.name for each in tmp_path.iterdir()] == ["s.jsonl"]
    assert path.read_bytes() == GOOD
