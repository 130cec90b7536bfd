"""A hostile environment: a full disk, one that cannot be written, a locked or newer journal, time.

What can be done is done and what cannot be is said, with nothing half stored; and when the
environment is well again, so is the daemon, without a restart.
"""

import os
import signal
import sqlite3
import sys
from collections.abc import Generator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psutil
import pytest
from tests.fakes.crash_stage import (
    CrashStage,
    assert_paired,
    call,
    crash_stage,
    model_says,
    refused,
    wait_until,
)
from tests.fakes.llm_server import FakeLlm
from tests.fakes.small_disk import fill, read_only, small_disk

from lararium_daemon.client.errors import ClientError

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="fork servers are Linux's")

LONG = "word " * 4_000
SMALL, ROOMY = 24, 96
"""Megabytes: without and with room for the reserve."""


@pytest.fixture(params=[SMALL, ROOMY], ids=["small", "roomy"])
def full_stage(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[CrashStage]:
    """A daemon whose home and project lie on a disk that a test may fill."""
    with (
        small_disk(tmp_path / "disk", request.param) as disk,
        FakeLlm() as llm,
        crash_stage(disk / "home", llm) as stage,
    ):
        stage.start()
        if request.param == ROOMY:
            wait_until((stage.places.state_dir / "reserve").exists)
        yield stage


def test_a_full_disk_refuses_messages_and_forgets_nothing(full_stage: CrashStage) -> None:
    stage = full_stage
    session = stage.session()
    stage.post(session, "Before. [[fake tokens=5]]", client_id="before")
    stage.wait_idle(session)
    filler = fill(stage.home.parent)

    for _ in range(3):
        assert refused(lambda: stage.post(session, LONG, client_id="mine")) == (507, "storage_full")
    said = [m["client_message_id"] for m in stage.messages(session) if m["role"] == "user"]
    assert said == ["before"]
    assert stage.client.request("GET", "/api/sessions")["items"][0]["id"] == session

    filler.unlink()
    stage.post(session, LONG, client_id="mine")
    assert stage.wait_idle(session)["last_outcome"] == "completed"
    assert_paired(stage.messages(session))
    assert stage.integrity() == "ok"


def test_a_run_that_meets_a_full_disk_ends_and_the_session_goes_on(full_stage: CrashStage) -> None:
    stage = full_stage
    has_reserve = (stage.places.state_dir / "reserve").exists()
    session = stage.session()
    wait = call("bash", command="echo once >> ran; until test -e go; do sleep 0.02; done")
    stage.llm.script(model_says("", wait), *[model_says(10 * LONG)] * 2)
    stage.post(session)
    wait_until((stage.folder / "ran").exists)
    os.link(stage.folder / "ran", stage.folder / "go.later")
    filler = fill(stage.home.parent)
    (stage.folder / "go.later").rename(stage.folder / "go")

    if has_reserve:  # the end is said although there is no room
        assert stage.wait_idle(session)["last_outcome"] == "error"
        assert [e["code"] for e in stage.events(session) if "code" in e][-1] == "storage_full"
        assert_paired(stage.messages(session))
        assert refused(lambda: stage.post(session, LONG)) == (507, "storage_full")
        assert "The disk is full" in stage.client.request("GET", "/api/status")["notices"][-1]
    else:
        wait_until(lambda: stage.client.request("GET", "/api/status")["running"] == 0)
        assert stage.row(session)["activity"] == "running"
    filler.unlink()
    assert stage.wait_idle(session)["last_outcome"] == "error"

    stage.llm.reset()
    stage.post(session, "Go on.")
    assert stage.wait_idle(session)["last_outcome"] == "completed"
    assert_paired(stage.messages(session))
    assert (stage.folder / "ran").read_text(encoding="utf-8") == "once\n"


def test_a_home_that_cannot_be_written_is_said_at_the_start(tmp_path: Path) -> None:
    with (
        small_disk(tmp_path / "disk", SMALL) as disk,
        FakeLlm() as llm,
        crash_stage(disk / "home", llm) as stage,
    ):
        stage.start()
        stage.stop()
        (stage.folder / "kept").touch()
        with read_only(disk):
            assert refused(stage.start)[1] == "lock_unusable"
        stage.start()
        assert stage.session()


def test_a_locked_journal_is_said_and_works_when_it_is_free(stage: CrashStage) -> None:
    session = stage.session()
    other = sqlite3.connect(stage.places.journal, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")  # as a backup tool does
    assert refused(lambda: stage.post(session, client_id="mine")) == (503, "storage_busy")
    assert stage.messages(session) == []
    other.execute("ROLLBACK")
    other.close()
    stage.post(session, client_id="mine")
    assert stage.wait_idle(session)["last_outcome"] == "completed"


def test_a_newer_journal_is_not_touched(stage: CrashStage) -> None:
    stage.stop()
    database = sqlite3.connect(stage.places.journal, isolation_level=None)
    version = database.execute("PRAGMA user_version").fetchone()[0]
    database.execute("PRAGMA user_version = 9999")
    assert refused(stage.start)[1] == "database_newer"
    assert database.execute("PRAGMA user_version").fetchone()[0] == 9999
    database.execute(f"PRAGMA user_version = {version}")
    database.close()
    stage.start()
    assert stage.session()


@pytest.mark.parametrize("hours", [24, -24, 1, -1])
def test_a_clock_that_jumps_costs_nothing(stage: CrashStage, hours: int) -> None:
    """A day, or an hour as when summer time begins and ends: in the middle of a run."""
    session = stage.session()
    wait = call("bash", command="touch began; until test -e go; do sleep 0.02; done", timeout=60)
    stage.llm.script(model_says(LONG, wait), model_says(LONG, pace=0.02))
    stage.post(session, client_id="before")
    wait_until((stage.folder / "began").exists)
    stage.plan(clock_hours=hours)
    (stage.folder / "go").touch()
    assert stage.wait_idle(session)["last_outcome"] == "completed"
    (stage.folder / "go").unlink()
    (stage.folder / "began").unlink()

    later = stage.session()
    stage.post(later, client_id="after")
    assert stage.wait_idle(later)["last_outcome"] == "completed"
    at = datetime.fromisoformat(stage.events(later)[-1]["at"])
    assert abs(at - datetime.now(UTC) - timedelta(hours=hours)) < timedelta(minutes=10)
    stage.stop()
    stage.start()  # with the clock as it is now
    for each, client_id in ((session, "before"), (later, "after")):
        events = stage.events(each)
        assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
        assert stage.messages(each)[0]["client_message_id"] == client_id
        assert_paired(stage.messages(each))
    stage.clear()
    stage.post(session, client_id="again")
    assert stage.wait_idle(session)["last_outcome"] == "completed"


def test_a_daemon_without_free_file_descriptors_says_so_and_recovers(stage: CrashStage) -> None:
    session = stage.session()
    daemon = psutil.Process(stage.daemon.pid)
    stage.llm.script(
        model_says("", call("bash", command="touch began; until test -e go; do sleep 0.02; done")),
        model_says("", call("bash", command="echo more"), call("read_file", path="began")),
        model_says("Done."),
    )
    stage.post(session)
    wait_until((stage.folder / "began").exists)
    before = daemon.rlimit(psutil.RLIMIT_NOFILE)
    most = max(int(each.name) for each in Path(f"/proc/{daemon.pid}/fd").iterdir())
    daemon.rlimit(psutil.RLIMIT_NOFILE, (most + 1, before[1]))
    (stage.folder / "go").touch()
    wait_until(lambda: "run.ended" in [each["type"] for each in stage.events(session)])
    daemon.rlimit(psutil.RLIMIT_NOFILE, before)
    assert [each["state"] for each in stage.calls(session)] == ["completed", "error", "completed"]
    assert "Too many open files" in stage.calls(session)[1]["result"]["text"]
    (stage.folder / "began").unlink()
    (stage.folder / "go").unlink()
    assert_paired(stage.messages(session))
    stage.llm.reset()
    stage.post(session, "Go on.")
    assert stage.wait_idle(session)["last_outcome"] == "completed"
    assert stage.client.request("GET", "/api/status")["pid"] == daemon.pid


def test_a_daemon_that_was_suspended_goes_on_where_it_was(stage: CrashStage) -> None:
    session = stage.session()
    stage.llm.script(model_says(LONG, pace=0.05))
    stage.post(session)
    wait_until(lambda: stage.row(session)["activity"] == "running")
    os.kill(stage.daemon.pid, signal.SIGSTOP)
    with pytest.raises(ClientError):
        stage.client.request("GET", "/api/health", timeout_seconds=0.2)
    os.kill(stage.daemon.pid, signal.SIGCONT)
    assert stage.wait_idle(session)["last_outcome"] == "completed"
    assert stage.client.request("GET", "/api/status")["pid"] == stage.daemon.pid
