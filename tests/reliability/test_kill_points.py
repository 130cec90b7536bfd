"""Killed at each point of a run: what is on the disk, what the person then sees, what is done.

Each case is a row of the crash matrix. The point is a transaction of the journal (killed before it
is committed, or after that and before anybody is told) or an act of a tool (before it, in the
middle, after it and before its result is committed).
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from tests.fakes.crash_stage import (
    CrashStage,
    Json,
    assert_paired,
    call,
    model_is_full,
    model_says,
    wait_until,
)
from tests.fakes.llm_wire import Scripted

from lararium_daemon.client.errors import ClientError

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="fork servers are Linux's")

LONG = "word " * 4_000
"""More than what is made durable at once, so that text has a transaction of its own."""
ECHO = "echo once >> ran; sleep 0.05"
NOTES = "All that matters of it."
UNKNOWN = ("interrupted", "outcome unknown")
NOT_STARTED = ("interrupted", "not started")
DONE = ("completed", "exit 0")


@dataclass(frozen=True)
class Left:
    """What is there after the restart."""

    row: int
    """Of the crash matrix."""
    message: bool = True
    """Whether the person's message is there."""
    text: bool | None = None
    """Whether the answer's text is there; None where there is no answer."""
    calls: Sequence[tuple[str, str]] = ()
    """State and summary of each call."""
    outcome: str | None = "interrupted"
    """Of the run; None when it waits for the person still."""
    ran: int = 0
    """How often the command ran, in all."""
    goes_on: Sequence[str] = field(default_factory=list[str])
    """Outcomes of all runs once the person resumed, or answered what waits."""


def two_commands() -> list[Scripted]:
    wanted = call("bash", command=ECHO)
    return [model_says(LONG, wanted, wanted), model_says("Done.")]


def asked_command() -> list[Scripted]:
    return [model_says(LONG, call("bash", command=ECHO)), model_says("Done.")]


def full_model() -> list[Scripted]:
    """The session is summarised between the command and the end."""
    said = [model_says(LONG, call("bash", command=ECHO)), model_is_full()]
    return [*said, model_says(NOTES), model_says("Done.")]


RESUMED = ["interrupted", "completed"]
JOURNAL_CASES = {
    ("prompt", "kill"): Left(1, message=False, outcome=None),
    ("prompt", "kill-committed"): Left(2, goes_on=RESUMED),
    ("turn", "kill"): Left(3, goes_on=RESUMED),
    ("turn", "kill-committed"): Left(3, text=False, goes_on=RESUMED),
    ("text", "kill"): Left(4, text=False, goes_on=RESUMED),
    ("text", "kill-committed"): Left(4, text=True, goes_on=RESUMED),
    ("intent", "kill"): Left(5, text=True, goes_on=RESUMED),
    ("intent", "kill-committed"): Left(9, text=True, calls=[UNKNOWN, NOT_STARTED], goes_on=RESUMED),
    ("next", "kill"): Left(6, text=True, calls=[UNKNOWN, NOT_STARTED], ran=1, goes_on=RESUMED),
    ("next", "kill-committed"): Left(9, text=True, calls=[DONE, UNKNOWN], ran=1, goes_on=RESUMED),
    ("result", "kill"): Left(9, text=True, calls=[DONE, UNKNOWN], ran=2, goes_on=RESUMED),
    ("result", "kill-committed"): Left(14, text=True, calls=[DONE, DONE], ran=2, goes_on=RESUMED),
    ("end", "kill"): Left(5, text=True, calls=[DONE, DONE], ran=2, goes_on=RESUMED),
    ("end", "kill-committed"): Left(14, text=True, calls=[DONE, DONE], ran=2, outcome="completed"),
}
ASKED_CASES = {
    ("ask", "kill"): Left(5, text=True, goes_on=RESUMED),
    ("ask", "kill-committed"): Left(7, text=True, outcome=None, ran=1, goes_on=["completed"]),
    ("grant", "kill"): Left(7, text=True, outcome=None, ran=1, goes_on=["completed"]),
    ("grant", "kill-committed"): Left(8, text=True, calls=[UNKNOWN], goes_on=RESUMED),
}
COMPACT_CASES = {
    ("compact", "kill"): Left(14, text=True, calls=[DONE], ran=1, goes_on=RESUMED),
    ("compact", "kill-committed"): Left(13, text=True, calls=[DONE], ran=1, goes_on=RESUMED),
    ("compacted", "kill"): Left(13, text=True, calls=[DONE], ran=1, goes_on=RESUMED),
    ("compacted", "kill-committed"): Left(14, text=True, calls=[DONE], ran=1, goes_on=RESUMED),
}
TOOL_CASES = {
    ("exec", "before"): Left(9, calls=[UNKNOWN]),
    ("exec", "during"): Left(9, calls=[UNKNOWN], ran=1),
    ("exec", "after"): Left(9, calls=[UNKNOWN], ran=1),
    ("write", "before"): Left(10, calls=[("interrupted", "not applied")]),
    ("write", "during"): Left(10, calls=[("interrupted", "not applied")]),
    ("write", "after"): Left(11, calls=[("completed", "applied")]),
    ("read", "before"): Left(9, calls=[UNKNOWN]),
    ("read", "after"): Left(9, calls=[UNKNOWN]),
}
TOOLS = {
    "exec": ("bash", {"command": "echo once | tee -a ran; sleep 30"}),
    "write": ("write_file", {"path": "new.txt", "content": "new\n"}),
    "read": ("read_file", {"path": "known.txt"}),
}


@pytest.mark.parametrize(("point", "kind"), JOURNAL_CASES)
def test_killed_at_a_commit_of_a_run_without_asks(stage: CrashStage, point: str, kind: str) -> None:
    session = stage.session("yolo")
    before = ran(stage)
    stage.llm.script(*two_commands())
    post_and_die(stage, session, f"journal.{point}", kind)
    look(stage, session, JOURNAL_CASES[point, kind], before)


@pytest.mark.parametrize(("point", "kind"), ASKED_CASES)
def test_killed_at_a_commit_of_a_run_that_asks(stage: CrashStage, point: str, kind: str) -> None:
    session = stage.session("default")
    before = ran(stage)
    stage.llm.script(*asked_command())
    if point == "grant":
        stage.post(session, client_id=f"mine-{session}")
        request = stage.wait_for_request(session)
        stage.plan(point="journal.grant", kind=kind)
        with pytest.raises(ClientError):
            stage.decide(request)
        stage.wait_for_death()
    else:
        post_and_die(stage, session, f"journal.{point}", kind)
    look(stage, session, ASKED_CASES[point, kind], before)


@pytest.mark.parametrize(("point", "kind"), COMPACT_CASES)
def test_killed_at_a_commit_of_a_compaction(stage: CrashStage, point: str, kind: str) -> None:
    session = stage.session("yolo")
    before = ran(stage)
    stage.llm.script(*full_model())
    post_and_die(stage, session, f"journal.{point}", kind)
    look(stage, session, COMPACT_CASES[point, kind], before)
    told = [str(message["content"]) for message in stage.llm.requests[0].body["messages"]]
    is_kept = (point, kind) == ("compacted", "kill-committed")
    assert any(NOTES in each for each in told) == is_kept


@pytest.mark.parametrize("kind", ["kill", "kill-committed"])
def test_killed_at_the_commit_of_an_import(stage: CrashStage, kind: str) -> None:
    part = {"type": "text", "part_id": "p", "text": "From elsewhere."}
    message: Json = {"message_id": "m", "role": "user", "created_at": "", "parts": [part]}
    title = f"brought in and {kind}"
    stage.plan(point="journal.import", kind=kind)
    with pytest.raises(ClientError):
        given = {"title": title, "messages": [message]}
        stage.client.request("POST", "/api/sessions/import", given)
    stage.wait_for_death()
    stage.clear()
    stage.start()
    assert stage.integrity() == "ok"
    rows = stage.client.request("GET", "/api/sessions?limit=200")["items"]
    there = [row["message_count"] for row in rows if row["title"] == title]
    assert there == ([1] if kind == "kill-committed" else [])


@pytest.mark.parametrize(("effect", "moment"), TOOL_CASES)
def test_killed_at_an_act_of_a_tool(stage: CrashStage, effect: str, moment: str) -> None:
    (stage.folder / "known.txt").write_text("known\n", encoding="utf-8")
    (stage.folder / "new.txt").unlink(missing_ok=True)
    session = stage.session("yolo")
    before = ran(stage)
    name, arguments = TOOLS[effect]
    if (effect, moment) == ("exec", "after"):
        arguments = {"command": ECHO}
    stage.llm.script(model_says("", call(name, **arguments)))
    post_and_die(stage, session, f"tool.{effect}.{moment}", "kill")
    look(stage, session, TOOL_CASES[effect, moment], before)
    if effect == "write":
        assert (stage.folder / "new.txt").exists() == (moment == "after")
        assert [each.name for each in stage.folder.iterdir() if each.suffix == ".tmp"] == []
    if (effect, moment) == ("exec", "during"):
        [interrupted] = stage.calls(session)
        path = f"/api/sessions/{session}/calls/{interrupted['call_id']}/output"
        assert stage.client.request("GET", path)["text"] == "once\n"


def post_and_die(stage: CrashStage, session: str, point: str, kind: str) -> None:
    """Send a message of the session; the daemon dies at the point."""
    stage.plan(point=point, kind=kind)
    try:
        stage.post(session, client_id=f"mine-{session}")
    except ClientError as error:
        assert error.code == "daemon_gone"
    wait_until(stage.has_met)
    stage.wait_for_death()
    stage.clear()


def look(stage: CrashStage, session: str, left: Left, ran_before: int) -> None:
    """Start the daemon again and compare; then go on, and see that it can."""
    stage.clear()
    stage.llm.reset()
    stage.start()
    assert stage.integrity() == "ok"
    messages = stage.messages(session)
    assert [m["client_message_id"] for m in messages if m["role"] == "user"] == (
        [f"mine-{session}"] if left.message else []
    )
    answers = [m for m in messages if m["role"] == "assistant"]
    texts = [
        any(part["type"] == "text" and part["text"] for part in m["parts"]) for m in answers[:1]
    ]
    assert texts == ([] if left.text is None and not left.calls else [bool(left.text)])
    if left.outcome is not None:
        assert stage.row(session)["last_outcome"] == left.outcome
        assert_paired(messages)
    if left.goes_on != ["completed"]:
        assert states(stage, session) == list(left.calls)
    go_on(stage, session, left)
    resend(stage, session)
    assert ran(stage) - ran_before == left.ran
    assert max(stage.acts().values(), default=0) <= 1


def go_on(stage: CrashStage, session: str, left: Left) -> None:
    """Answer what waits or resume what was cut; the model's rules refuse a history with gaps."""
    if left.outcome is None and left.message:
        request = stage.wait_for_request(session)
        asked = [e for e in stage.events(session) if e["type"] == "permission.requested"]
        assert [each["request"]["id"] for each in asked] == [request["id"]]  # the same card
        stage.decide(request)
    elif left.goes_on:
        stage.client.request("POST", f"/api/sessions/{session}/resume", {})
    stage.wait_idle(session)
    if left.goes_on:
        events = stage.events(session)
        ends = [event["outcome"] for event in events if event["type"] == "run.ended"]
        assert ends == list(left.goes_on)
        assert_paired(stage.messages(session))
        assert stage.requests(session) == []


def resend(stage: CrashStage, session: str) -> None:
    """Send the message again: it is the same one, and it is there once."""
    first = stage.post(session, client_id=f"mine-{session}")
    stage.wait_idle(session)
    again = stage.post(session, client_id=f"mine-{session}")
    assert again["message_id"] == first["message_id"]
    users = [m["message_id"] for m in stage.messages(session) if m["role"] == "user"]
    assert users == [first["message_id"]]


def states(stage: CrashStage, session: str) -> list[tuple[Any, Any]]:
    return [(c["state"], c["result"]["summary"]) for c in stage.calls(session)]


def ran(stage: CrashStage) -> int:
    """How often the command ran, by the file it writes."""
    path = stage.folder / "ran"
    return len(path.read_text(encoding="utf-8").splitlines()) if path.exists() else 0
