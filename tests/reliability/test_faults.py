"""Faults that do not kill: a commit or an act that fails or hangs, at each point of a run.

The run ends with a stable code, nothing is half done or open, and the next message just works, all
in the same life of the daemon.
"""

import sys
import threading
from collections.abc import Generator

import pytest
from tests.fakes.crash_stage import (
    CrashStage,
    assert_paired,
    call,
    model_is_full,
    model_says,
    refused,
    wait_until,
)
from tests.fakes.fault_pairs import ACTS, FAILURES, all_pairs, journal_pairs
from tests.fakes.llm_wire import Scripted
from tests.reliability.scale import report
from tests.reliability.test_kill_points import (
    ASKED_CASES,
    COMPACT_CASES,
    JOURNAL_CASES,
    TOOL_CASES,
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="fork servers are Linux's")

LONG = "word " * 4_000
CODES = {"raise": "storage_failed", "enospc": "storage_full", "eio": "storage_failed"}
STATUS = {"raise": 500, "enospc": 507, "eio": 500}
POINTS = ("turn", "text", "intent", "next", "result", "compact", "compacted", "end")
ASKED_POINTS = ("ask", "grant")
JOURNAL_PAIRS = journal_pairs(POINTS, FAILURES)
ASKED_PAIRS = journal_pairs(ASKED_POINTS, FAILURES)
ACT_PAIRS = [
    (effect, moment, kind)
    for effect, moment in ACTS
    for kind in (*FAILURES, "hang")
    # Where a disk hangs in the middle of a change no interrupt helps: it has a test of its own.
    if (effect, moment, kind) != ("write", "during", "hang")
]
TOOLS = {
    "exec": call("bash", command="echo once | tee -a ran; sleep 0.2"),
    "write": call("write_file", path="new.txt", content="new\n"),
    "read": call("read_file", path="known.txt"),
}


def script(point: str) -> list[Scripted]:
    """Make the model do what has this point in it."""
    echo = call("bash", command="true")
    if point in {"compact", "compacted"}:
        said = [model_says(LONG, echo), model_is_full(), model_says("Notes.")]
        return [*said, model_says("Done.")]
    return [model_says(LONG, echo, echo), model_says("Done.")]


@pytest.fixture(autouse=True)
def nothing_is_left(stage: CrashStage) -> Generator[None]:
    """After each case the next message works, nothing waits, and nothing acted twice."""
    daemon = stage.daemon.pid
    yield
    stage.clear()
    stage.llm.reset()
    assert stage.client.request("GET", "/api/status")["pid"] == daemon
    assert stage.client.request("GET", "/api/permissions/requests")["items"] == []
    assert max(stage.acts().values(), default=0) <= 1
    assert stage.integrity() == "ok"


def works_again(stage: CrashStage, session: str) -> None:
    """The session goes on as if nothing had been."""
    stage.clear()
    stage.llm.reset()
    stage.post(session, "Go on.")
    assert stage.wait_idle(session)["last_outcome"] == "completed"
    assert_paired(stage.messages(session))


@pytest.mark.parametrize("kind", CODES)
def test_a_message_that_cannot_be_stored_is_refused_and_can_be_sent_again(
    stage: CrashStage, kind: str
) -> None:
    session = stage.session()
    stage.plan(point="journal.prompt", kind=kind)
    answer = refused(lambda: stage.post(session, client_id="mine"))
    assert answer == (STATUS[kind], CODES[kind])
    assert stage.messages(session) == []
    stage.clear()
    stage.post(session, client_id="mine")
    stage.wait_idle(session)
    assert [m["role"] for m in stage.messages(session)] == ["user", "assistant"]


@pytest.mark.parametrize(("point", "kind"), JOURNAL_PAIRS)
def test_a_commit_that_fails_ends_the_run_with_its_code(
    stage: CrashStage, point: str, kind: str
) -> None:
    session = stage.session()
    stage.llm.script(*script(point))
    stage.plan(point=f"journal.{point}", kind=kind)
    stage.post(session)
    row = stage.wait_idle(session)
    assert stage.has_met()
    assert row["last_outcome"] == "error"
    [end] = [each for each in stage.events(session) if each["type"] == "run.ended"]
    assert (end["code"], end["outcome"]) == (CODES[kind], "error")
    works_again(stage, session)


@pytest.mark.parametrize(("point", "kind"), ASKED_PAIRS)
def test_an_ask_that_cannot_be_stored_is_not_left_open(
    stage: CrashStage, point: str, kind: str
) -> None:
    session = stage.session("default")
    stage.llm.script(model_says("", call("bash", command="touch made; sleep 0")))
    if point == "ask":
        stage.plan(point="journal.ask", kind=kind)
        stage.post(session)
    else:
        stage.post(session)
        request = stage.wait_for_request(session)
        stage.plan(point="journal.grant", kind=kind)
        assert refused(lambda: stage.decide(request)) == (409, "already_resolved")
    assert stage.wait_idle(session)["last_outcome"] == "error"
    assert not (stage.folder / "made").exists()
    works_again(stage, session)


def test_a_disk_that_hangs_blocks_what_must_be_stored_and_no_reading(stage: CrashStage) -> None:
    session = stage.session()
    stage.plan(point="journal.prompt", kind="hang")
    sender = threading.Thread(target=lambda: stage.post(session, client_id="mine"))
    sender.start()
    wait_until(stage.has_met)
    assert stage.row(session)["message_count"] == 0
    assert stage.client.request("GET", "/api/status")["running"] == 1
    assert sender.is_alive()
    stage.clear()
    sender.join(20)
    assert stage.wait_idle(session)["last_outcome"] == "completed"


@pytest.mark.parametrize("point", POINTS)
def test_a_run_whose_disk_hangs_goes_on_when_it_is_back(stage: CrashStage, point: str) -> None:
    session = stage.session()
    stage.llm.script(*script(point))
    stage.plan(point=f"journal.{point}", kind="hang")
    stage.post(session)
    wait_until(stage.has_met)
    assert stage.row(session)["activity"] == "running"
    stage.clear()
    assert stage.wait_idle(session)["last_outcome"] == "completed"


@pytest.mark.parametrize("point", ASKED_POINTS)
def test_an_ask_whose_disk_hangs_is_asked_and_answered_when_it_is_back(
    stage: CrashStage, point: str
) -> None:
    session = stage.session("default")
    stage.llm.script(model_says("", call("bash", command="touch made; sleep 0")))
    if point == "ask":
        stage.plan(point="journal.ask", kind="hang")
        stage.post(session)
        wait_until(stage.has_met)
        assert "permission.requested" not in [each["type"] for each in stage.events(session)]
        stage.clear()
        stage.decide(stage.wait_for_request(session))
    else:
        stage.post(session)
        request = stage.wait_for_request(session)
        stage.plan(point="journal.grant", kind="hang")
        person = threading.Thread(target=lambda: stage.decide(request))
        person.start()
        wait_until(stage.has_met)
        assert person.is_alive()
        assert not (stage.folder / "made").exists()
        stage.clear()
        person.join(20)
    assert stage.wait_idle(session)["last_outcome"] == "completed"
    (stage.folder / "made").unlink()


@pytest.mark.parametrize("kind", [*FAILURES, "hang"])
def test_an_import_that_cannot_be_stored_leaves_nothing(stage: CrashStage, kind: str) -> None:
    part = {"type": "text", "part_id": "p", "text": "From elsewhere."}
    message = {"message_id": "m", "role": "user", "created_at": "", "parts": [part]}
    given = {"title": f"brought in and {kind}", "messages": [message]}

    def bring() -> object:
        return stage.client.request("POST", "/api/sessions/import", given)

    def there() -> int:
        rows = stage.client.request("GET", "/api/sessions?limit=200")["items"]
        return [row["title"] for row in rows].count(given["title"])

    stage.plan(point="journal.import", kind=kind)
    if kind == "hang":
        sender = threading.Thread(target=bring)
        sender.start()
        wait_until(stage.has_met)
        assert there() == 0
        stage.clear()
        sender.join(20)
    else:
        assert refused(bring) == (STATUS[kind], CODES[kind])
        assert there() == 0
        stage.clear()
        bring()
    assert there() == 1


def test_a_change_whose_disk_hangs_is_done_when_it_is_back(stage: CrashStage) -> None:
    (stage.folder / "new.txt").unlink(missing_ok=True)
    session = stage.session()
    stage.llm.script(model_says("", TOOLS["write"]), model_says("Done."))
    stage.plan(point="tool.write.during", kind="hang")
    stage.post(session)
    wait_until(stage.has_met)
    assert not (stage.folder / "new.txt").exists()
    stage.clear()
    assert stage.wait_idle(session)["last_outcome"] == "completed"
    assert (stage.folder / "new.txt").read_text(encoding="utf-8") == "new\n"


def test_every_fault_that_exists_is_tried() -> None:
    tried = {*JOURNAL_CASES, *ASKED_CASES, *COMPACT_CASES, *JOURNAL_PAIRS, *ASKED_PAIRS}
    tried |= {(f"{effect}.{moment}", "kill") for effect, moment in TOOL_CASES}
    tried |= {(f"{effect}.{moment}", kind) for effect, moment, kind in ACT_PAIRS}
    tried |= {("write.during", "hang"), *journal_pairs((*POINTS, *ASKED_POINTS), ["hang"])}
    tried |= set(journal_pairs(["prompt", "import"], [*FAILURES, "hang"]))
    tried |= set(journal_pairs(["import"], ["kill", "kill-committed"]))
    assert tried == all_pairs()
    report(f"{len(tried)} pairs of a point and a kind of fault")


@pytest.mark.parametrize(("effect", "moment", "kind"), ACT_PAIRS)
def test_an_act_that_fails_or_hangs_is_told_and_ends_there(
    stage: CrashStage, effect: str, moment: str, kind: str
) -> None:
    (stage.folder / "known.txt").write_text("known\n", encoding="utf-8")
    (stage.folder / "new.txt").unlink(missing_ok=True)
    session = stage.session()
    stage.llm.script(model_says("", TOOLS[effect]), model_says("Done."))
    stage.plan(point=f"tool.{effect}.{moment}", kind=kind)
    stage.post(session)
    if kind == "hang":
        wait_until(stage.has_met)
        stage.client.request("POST", f"/api/sessions/{session}/interrupt", {})
    outcome = stage.wait_idle(session)["last_outcome"]
    assert stage.has_met()
    [ended] = stage.calls(session)
    is_written = (effect, moment) == ("write", "after")  # the file's hash tells
    assert (outcome, ended["state"]) == {
        "raise": ("error", "completed" if is_written else "interrupted"),
        "hang": ("interrupted", "interrupted"),
        "enospc": ("completed", "error"),
        "eio": ("completed", "error"),
    }[kind]
    assert [each.name for each in stage.folder.iterdir() if each.suffix == ".tmp"] == []
    if effect == "write":
        assert (stage.folder / "new.txt").exists() == (moment == "after")
    works_again(stage, session)
