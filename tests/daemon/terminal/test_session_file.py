"""A session's file: whatever is broken in it, the good lines are read and the file stays."""

import json
import os
from pathlib import Path

import pytest

from lararium_daemon.protocol.errors import LarariumError
from lararium_daemon.terminal.session_file import (
    MAX_LINE_BYTES,
    read_about,
    read_file,
    sidecar,
    write_file,
)


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
        (b'{"role":"user","content":"half a pair: \\ud83d"}', 4, 0, 0),
        (b'{"role":"user","content":NaN}\n' + line(3), 4, 1, 0),
        (b'{"message_id":"m","role":"user","parts":[{"type":"unknown"}]}\n' + line(3), 4, 0, 1),
        (b'{"message_id":7,"role":"user","created_at":"","parts":[],"content":"seven"}', 4, 0, 0),
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


def test_what_no_daemon_could_take_is_whole_or_left_out(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    long = json.dumps({"role": "user", "content": "x" * MAX_LINE_BYTES}).encode()
    half = b'{"role":"user","content":"a\\ud83d"}\n'
    path.write_bytes(b"\xef\xbb\xbf" + line(0) + b"\n" + long + b"\n" + half)
    found = read_file(path)
    assert [m["parts"][0]["text"] for m in found.messages][1:] == ["a\ufffd"]
    assert (len(found.messages), found.too_long) == (2, 1)
    assert found.note() == "Left out of the file: 1 lines that are too long."


def test_a_file_that_is_there_is_replaced_only_when_asked(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(GOOD)
    with pytest.raises(LarariumError) as caught:
        write_file(path, iter([]), {}, replace=False)
    assert (caught.value.code, path.read_bytes()) == ("file_exists", GOOD)
    assert write_file(path, iter([]), {}) == 0
    assert path.read_bytes() == b""


@pytest.mark.skipif(os.name != "posix", reason="mode bits")
def test_what_is_written_is_private_and_follows_no_link(tmp_path: Path) -> None:
    secret, path = tmp_path / "secret", tmp_path / "s.jsonl"
    secret.write_bytes(b"as it was")
    path.symlink_to(secret)
    (tmp_path / ".s.jsonl.tmp").symlink_to(secret)
    write_file(path, iter([{"role": "user"}]), {})
    assert secret.read_bytes() == b"as it was"
    for each in (path, sidecar(path)):
        assert (each.is_symlink(), each.stat().st_mode & 0o777) == (False, 0o600)


def test_a_file_that_cannot_be_used_is_said(tmp_path: Path) -> None:
    with pytest.raises(LarariumError) as caught:
        read_file(tmp_path / "none.jsonl")
    assert caught.value.code == "file_unusable"
    with pytest.raises(LarariumError) as caught:
        write_file(tmp_path / "none" / "s.jsonl", iter([]), {})
    assert caught.value.code == "file_unusable"


def test_a_write_that_breaks_off_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(GOOD)

    def breaks() -> object:
        yield {"role": "user"}
        raise LarariumError("daemon_gone", "It is gone.")

    with pytest.raises(LarariumError):
        write_file(path, breaks(), {})  # type: ignore[arg-type]
    assert [each.name for each in tmp_path.iterdir()] == ["s.jsonl"]
    assert path.read_bytes() == GOOD
