"""A daemon is believed after process, guid and proof agree; nothing secret is sent before."""

import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.fakes.small_daemon import SmallDaemon

from lararium_daemon.client.errors import ClientError
from lararium_daemon.client.find import Absence, DaemonHandle, expected_proof, look_for_daemon
from lararium_daemon.edge.proof import prove
from lararium_daemon.system.paths import WorkspacePaths
from lararium_daemon.system.process_table import start_time
from lararium_daemon.system.runtime import RuntimeRecord, own_record, write_runtime

TOKEN = "the-token-of-the-daemon"


@pytest.fixture
def paths(tmp_path: Path) -> WorkspacePaths:
    return WorkspacePaths(tmp_path)


@pytest.fixture
def daemon() -> Iterator[SmallDaemon]:
    """A daemon in this very process."""
    server = SmallDaemon("g-1", TOKEN, 1)
    thread = threading.Thread(target=lambda: server.serve_forever(poll_interval=0.02))
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join(5)


def record_of(daemon: SmallDaemon) -> RuntimeRecord:
    return own_record(guid="g-1", port=daemon.port, api_version=(1, 0), app_version="0.1.0")


def test_a_daemon_that_proves_itself_is_found(paths: WorkspacePaths, daemon: SmallDaemon) -> None:
    write_runtime(paths, record_of(daemon), TOKEN)
    found = look_for_daemon(paths)
    assert isinstance(found, DaemonHandle)
    assert (found.guid, found.token, found.token_file) == ("g-1", TOKEN, paths.token)
    assert found.is_alive()
    assert TOKEN not in repr(found)
    assert TOKEN not in "".join(daemon.headers_seen)


def test_no_record_is_no_daemon(paths: WorkspacePaths) -> None:
    assert look_for_daemon(paths) is Absence.NONE


def test_a_number_that_somebody_else_has_now_is_stale(
    paths: WorkspacePaths, daemon: SmallDaemon
) -> None:
    other = subprocess.Popen(["sleep", "30"])
    try:
        write_runtime(paths, record_of(daemon)._replace(pid=other.pid), TOKEN)
        assert look_for_daemon(paths) is Absence.STALE
        assert other.poll() is None
    finally:
        other.kill()
        other.wait(5)
    assert daemon.headers_seen == []


def test_a_record_of_another_boot_is_stale(paths: WorkspacePaths, daemon: SmallDaemon) -> None:
    write_runtime(paths, record_of(daemon)._replace(boot_id="another"), TOKEN)
    assert look_for_daemon(paths) is Absence.STALE


def test_another_guid_at_the_port_is_foreign(paths: WorkspacePaths, daemon: SmallDaemon) -> None:
    write_runtime(paths, record_of(daemon)._replace(guid="g-2"), TOKEN)
    assert look_for_daemon(paths) is Absence.FOREIGN


def test_a_squatter_that_cannot_prove_itself_never_sees_the_token(
    paths: WorkspacePaths, daemon: SmallDaemon
) -> None:
    daemon.token = "guessed-token-of-the-squatter"
    write_runtime(paths, record_of(daemon), TOKEN)
    assert look_for_daemon(paths) is Absence.FOREIGN
    assert len(daemon.headers_seen) == 2
    assert TOKEN not in "".join(daemon.headers_seen)


@pytest.mark.parametrize("token", [b"", b"\xff\xfe", None])
def test_without_a_readable_token_nobody_is_believed(
    paths: WorkspacePaths, daemon: SmallDaemon, token: bytes | None
) -> None:
    write_runtime(paths, record_of(daemon), TOKEN)
    paths.token.unlink()
    if token is not None:
        paths.token.write_bytes(token)
    assert look_for_daemon(paths) is Absence.FOREIGN


def test_a_process_that_does_not_answer_is_silent(paths: WorkspacePaths) -> None:
    record = own_record(guid="g-1", port=1, api_version=(1, 0), app_version="0.1.0")
    write_runtime(paths, record, TOKEN)
    assert look_for_daemon(paths) is Absence.SILENT


def test_a_daemon_of_another_major_version_is_said(
    paths: WorkspacePaths, daemon: SmallDaemon
) -> None:
    record = record_of(daemon)._replace(api_version={"major": 2, "minor": 0})
    write_runtime(paths, record, TOKEN)
    with pytest.raises(ClientError, match="version 2") as problem:
        look_for_daemon(paths)
    assert problem.value.code == "other_api_version"


def test_both_sides_compute_the_same_proof() -> None:
    assert expected_proof("t", "g", 80, "n" * 16) == prove("t", "daemon", "g", 80, "n" * 16)


def test_a_handle_knows_when_its_process_is_gone(paths: WorkspacePaths) -> None:
    child = subprocess.Popen(["sleep", "30"])
    begun = start_time(child.pid)
    assert begun is not None
    handle = DaemonHandle(
        workspace_id=paths.workspace_id,
        base_url="http://127.0.0.1:1",
        pid=child.pid,
        create_time=begun,
        guid="g",
        token_file=paths.token,
        token="t",
    )
    assert handle.is_alive()
    child.kill()
    child.wait(5)
    assert not handle.is_alive()
