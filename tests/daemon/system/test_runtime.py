"""`daemon.json` is believed only when it makes sense; the token lies apart."""

import json
import os
import stat
from pathlib import Path

import pytest

from lararium_daemon.protocol.errors import LarariumError
from lararium_daemon.protocol.ids import WorkspaceId
from lararium_daemon.system.paths import WorkspacePaths
from lararium_daemon.system.process_table import is_alive
from lararium_daemon.system.runtime import (
    RuntimeRecord,
    announce_error,
    announce_ready,
    own_record,
    read_runtime,
    remove_runtime,
    write_runtime,
)


@pytest.fixture
def paths(tmp_path: Path) -> WorkspacePaths:
    return WorkspacePaths(tmp_path)


@pytest.fixture
def record() -> RuntimeRecord:
    return own_record(guid="g-1", port=4711, api_version=(1, 0), app_version="0.1.0")


def test_what_was_written_is_read_and_names_this_process(
    paths: WorkspacePaths, record: RuntimeRecord
) -> None:
    write_runtime(paths, record, "the-token")
    assert read_runtime(paths.daemon_json) == record
    assert record.base_url == "http://127.0.0.1:4711"
    assert is_alive(record.pid, record.pid_create_time)
    assert set(json.loads(paths.daemon_json.read_bytes())) == {
        "guid", "pid", "pid_create_time", "boot_id", "host", "port", "api_version",
        "app_version", "started_at", "safe",
    }  # fmt: skip


def test_the_token_lies_in_a_private_file_of_its_own(
    paths: WorkspacePaths, record: RuntimeRecord
) -> None:
    write_runtime(paths, record, "the-token")
    assert paths.token.read_bytes() == b"the-token"
    assert b"the-token" not in paths.daemon_json.read_bytes()
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (paths.token, paths.daemon_json)}
    assert modes == {0o600}


@pytest.mark.parametrize(
    "content",
    [b"", b"0\n", b'{"pid":', b"[]", b"null", b'"text"', b"{}", b"\xff\xfe", b"[" * 50_000],
)
def test_a_file_without_sense_is_no_record(paths: WorkspacePaths, content: bytes) -> None:
    paths.daemon_json.write_bytes(content)
    assert read_runtime(paths.daemon_json) is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"host": "192.0.2.1"},
        {"host": "localhost"},
        {"port": 0},
        {"port": 70_000},
        {"port": "80"},
        {"port": True},
        {"pid": -1},
        {"pid": 0},
        {"guid": 7},
        {"api_version": "1.0"},
        {"api_version": {"major": 1}},
        {"pid_create_time": None},
    ],
)
def test_a_record_with_a_wrong_field_is_no_record(
    paths: WorkspacePaths, record: RuntimeRecord, wrong: dict[str, object]
) -> None:
    write_runtime(paths, record, "t")
    content = json.loads(paths.daemon_json.read_bytes())
    paths.daemon_json.write_text(json.dumps(content | wrong), encoding="utf-8")
    assert read_runtime(paths.daemon_json) is None


def test_a_folder_or_nothing_in_its_place_is_no_record(paths: WorkspacePaths) -> None:
    assert read_runtime(paths.daemon_json) is None
    paths.daemon_json.mkdir()
    assert read_runtime(paths.daemon_json) is None


def test_a_daemon_removes_its_own_record_and_nobody_elses(
    paths: WorkspacePaths, record: RuntimeRecord
) -> None:
    write_runtime(paths, record, "t")
    remove_runtime(paths, "g-2")
    assert paths.daemon_json.exists()
    remove_runtime(paths, "g-1")
    assert not paths.daemon_json.exists()
    assert not paths.token.exists()


def test_a_folder_in_the_place_of_the_record_is_said(
    paths: WorkspacePaths, record: RuntimeRecord
) -> None:
    paths.daemon_json.mkdir()
    with pytest.raises(LarariumError, match=r"daemon\.json cannot be written") as problem:
        write_runtime(paths, record, "t")
    assert problem.value.code == "runtime_unwritable"


def test_the_ready_line_is_one_line_without_the_token(record: RuntimeRecord) -> None:
    reader, writer = os.pipe()
    announce_ready(writer, WorkspaceId("w"), record)
    with os.fdopen(reader, encoding="utf-8") as pipe:
        (line,) = pipe.readlines()
    assert json.loads(line) == {
        "ready": {
            "workspace_id": "w",
            "base_url": "http://127.0.0.1:4711",
            "pid": os.getpid(),
            "guid": "g-1",
        }
    }


def test_announcing_to_nobody_is_no_error() -> None:
    announce_error(None, "code", "detail")
    reader, writer = os.pipe()
    os.close(reader)
    announce_error(writer, "code", "detail")
